use hopscope_topology::{FileSpec, GraphFormat, Network, Problem};
use thiserror::Error;

use crate::cabled::CabledNetwork;
use crate::error::{Fault, FormatError};
use crate::{anynet, edge_list, graphml, infiniband, subnet_lst};

/// The most hosts that are attached to each switch of a file without hosts.
const MOST_HOSTS_PER_SWITCH: u32 = 10_000;

/// Why a scenario's network file makes no network.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ReadError {
    /// Something is wrong in the file.
    #[error(transparent)]
    File(#[from] FormatError),
    /// The file is right, but the scenario wants what it does not have.
    #[error("{}: {}; expected {}", .0.path, .0.problem, .0.expected)]
    Scenario(Problem),
}

/// The network in a file, read as the scenario says.
///
/// `file_name` decides the format where the scenario leaves it open; `contents` are the file's bytes.
///
/// # Errors
/// The first thing that is wrong with the file, with its place, or with what the scenario wants of it.
pub fn read_network(file_name: &str, contents: &[u8], spec: &FileSpec) -> Result<Network, ReadError> {
    read_fabric(file_name, contents, spec).map(|fabric| fabric.network)
}

/// The same network with the addresses of its nodes: those of the file, or numbered ones.
///
/// # Errors
/// As [`read_network`].
pub fn read_fabric(file_name: &str, contents: &[u8], spec: &FileSpec) -> Result<CabledNetwork, ReadError> {
    let refuse = |field: &str, problem: String, expected: String| {
        Err(ReadError::Scenario(Problem::new(format!("file.{field}"), problem, expected)))
    };
    let (per_switch, most) = (spec.hosts_per_switch, MOST_HOSTS_PER_SWITCH);
    if per_switch > most {
        return refuse("hosts_per_switch", format!("{per_switch} is out of range"), format!("0 to {most}"));
    }
    let text = text_of(contents)?;
    let name = file_name.to_ascii_lowercase();
    let format = match spec.format {
        GraphFormat::Auto if name.ends_with(".graphml") || name.ends_with(".xml") => GraphFormat::Graphml,
        GraphFormat::Auto => fabric_format(text).unwrap_or(GraphFormat::Anynet),
        named => named,
    };
    let mut fabric = match format {
        GraphFormat::Infiniband => infiniband::read(text)?,
        GraphFormat::SubnetLst => subnet_lst::read(text)?,
        GraphFormat::EdgeList => CabledNetwork::numbered(edge_list::read(text, per_switch)?),
        GraphFormat::Graphml => CabledNetwork::numbered(graphml::read(text, per_switch)?),
        GraphFormat::Anynet | GraphFormat::Auto => {
            CabledNetwork::numbered(anynet::read(text, per_switch, spec.cycle)?)
        }
    };
    let network = &mut fabric.network;
    let (servers, hosts) = (spec.servers as usize, network.hosts().len());
    if servers > hosts {
        return refuse(
            "servers",
            format!("{servers} servers among {hosts} hosts"),
            format!("at most {hosts}"),
        );
    }
    network.choose_servers(servers, spec.placement_seed);
    Ok(fabric)
}

/// The format of a fabric's file, told by how it begins; nothing for what is none.
#[must_use]
pub fn fabric_format(text: &str) -> Option<GraphFormat> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.split_whitespace().next().unwrap_or_default();
    if infiniband::looks_like(text) {
        Some(GraphFormat::Infiniband)
    } else if subnet_lst::looks_like(text) {
        Some(GraphFormat::SubnetLst)
    } else if edge_list::looks_like(text) {
        Some(GraphFormat::EdgeList)
    } else if first.starts_with("<?xml") || first.starts_with("<graphml") {
        Some(GraphFormat::Graphml)
    } else if ["router", "node"].contains(&first) {
        Some(GraphFormat::Anynet)
    } else {
        None
    }
}

/// The text that these bytes are, without the mark that some editors put at its start.
fn text_of(contents: &[u8]) -> Result<&str, FormatError> {
    let text = std::str::from_utf8(contents).map_err(|error| {
        let good = &contents[..error.valid_up_to()];
        let good = std::str::from_utf8(good).expect("valid up to there");
        Fault::at(good.len(), "this is not text in UTF-8", "a text file")
            .hint("is it packed, or another kind of file?")
            .in_text(good)
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}
