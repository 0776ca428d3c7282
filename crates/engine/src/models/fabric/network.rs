//! The network of a fabric: described in the scenario, or read from the file that it names.

use hopscope_formats::{AggregationNode, CabledNetwork, OwnLink, ReadError, read_fabric};
use hopscope_measure::Problem;
use hopscope_topology::{
    Anomaly, CustomLink, Family, NetworkSpec, Port, with_cables_mended, with_missing_switches,
};

use super::{FabricScenario, FabricScenarioPlan};
use crate::models::added_links::with_links;
use crate::registry::Finding;
use crate::scenario::source::{FileFault, Files};

/// What a file says besides the network.
#[derive(Clone)]
pub(super) struct OfFile {
    /// How many ports each switch has, where it says.
    pub(super) ports: Vec<Option<Port>>,
    /// The number of the kind of device of each switch, where it says.
    pub(super) devices: Vec<Option<u32>>,
    /// What the file has besides: no hosts.
    pub(super) aggregation: Vec<AggregationNode>,
    /// Links that join a node to itself: no part of the network.
    pub(super) own_links: Vec<OwnLink>,
    /// What is odd about the file itself.
    pub(super) anomalies: Vec<Anomaly>,
}

/// Everything that a network comes from.
#[derive(PartialEq)]
pub(super) struct MadeOf {
    pub(super) spec: NetworkSpec,
    pub(super) added_links: Vec<CustomLink>,
    pub(super) mends_cables: bool,
    pub(super) places_switches: bool,
    pub(super) file: Option<String>,
}

/// The network that the scenario describes or names the file of, and what it was made of.
pub(super) fn network(
    params: &mut FabricScenario,
    files: &mut Files<'_>,
    before: Option<&FabricScenarioPlan>,
) -> Result<(CabledNetwork, MadeOf), Vec<Finding>> {
    let mut attachment = None;
    if let NetworkSpec::File(file) = &mut params.network {
        let read = files.read("network.file.path", &file.path).map_err(|found| vec![Finding::from(found)])?;
        file.path.clone_from(&read.name);
        attachment = Some(read);
    }
    let made_of = MadeOf {
        spec: params.network.clone(),
        added_links: params.added_links.clone(),
        mends_cables: params.upgrade.mend_cables,
        places_switches: params.upgrade.place_missing_switches,
        file: attachment.as_ref().map(|attachment| attachment.text.text.clone()),
    };
    if let Some(before) = before.filter(|before| before.made_of == made_of) {
        return Ok((before.cabled(), made_of));
    }
    let cabled = match (&params.network, &attachment) {
        (NetworkSpec::File(file), Some(attachment)) => {
            let read = read_fabric(&attachment.name, attachment.text.text.as_bytes(), file);
            read.map_err(|error| match error {
                ReadError::File(error) => vec![Finding::from(attachment.diagnosis(&error))],
                ReadError::Scenario(problem) => vec![Finding::from(below_network(problem))],
            })?
        }
        (spec, _) => spec.build().map(CabledNetwork::numbered).map_err(|problems| {
            problems.into_iter().map(|problem| Finding::from(below_network(problem))).collect::<Vec<_>>()
        })?,
    };
    if let NetworkSpec::File(_) = params.network
        && cabled.network.hosts().is_empty()
    {
        return Err(vec![Finding::from(without_hosts())]);
    }
    let mut network = with_links(cabled.network, &params.added_links)
        .map_err(|problems| problems.into_iter().map(Finding::from).collect::<Vec<_>>())?;
    // What is odd about cables is too much for the engine of a page.
    let in_a_page = cfg!(target_family = "wasm");
    if made_of.mends_cables {
        if in_a_page {
            return Err(vec![Finding::from(not_in_a_page("mend_cables", "a page does not mend cables"))]);
        }
        network = with_cables_mended(&network, &Family::of(&network));
    }
    let cabled = CabledNetwork { network, ..cabled };
    if !made_of.places_switches {
        return Ok((cabled, made_of));
    }
    if in_a_page {
        let problem = "a page places no missing switches";
        return Err(vec![Finding::from(not_in_a_page("place_missing_switches", problem))]);
    }
    let placed = with_missing_switches(&cabled.network, &Family::of(&cabled.network));
    Ok((cabled.with_network(placed), made_of))
}

/// What a page leaves to the program.
fn not_in_a_page(field: &str, problem: &str) -> Problem {
    Problem::new(format!("upgrade.{field}"), problem, "false; run it by the program instead")
}

/// A file with switches only.
pub(super) fn without_hosts() -> Problem {
    let path = "network.file.hosts_per_switch";
    let hint = Some(format!(
        "`--set {path}=1` attaches one to every switch, also to spines; `hopscope import --hosts 'leaf*=1'` to those \
         that are called so"
    ));
    Problem { hint, ..Problem::new(path, "the file has no hosts", "how many to attach to every switch") }
}

pub(super) fn below_network(problem: Problem) -> Problem {
    Problem { path: format!("network.{}", problem.path), ..problem }
}
