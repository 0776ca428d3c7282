//! A scenario's fabric as files of other tools, and its forwarding tables: computed, written and checked.

use std::collections::BTreeMap;

use hopscope_fabric::{FabricParams, routes as routes_of};
use hopscope_formats::fabric::{FORMATS, FabricFormat};
use hopscope_formats::lanes::Lids;
pub use hopscope_formats::tables::Lfts;
use hopscope_formats::{
    CabledNetwork, LinkDefaults, MOST_LIDS, WrittenForm, root_guids, tables, write_fabric,
};
use hopscope_scenario::{Diagnosis, Path, ScenarioError, did_you_mean};
use hopscope_topology::{
    DestinationTables, HostId, Node, Routes, SwitchId, TableCheck, TableEngine, TableEngineError,
    VirtualLanes, ports_to_switches,
};
use hopscope_units::Rate;
use serde_json::{Value as Json, json};

use crate::engine_kind::{EngineKind, NamedRoots, RootsFrom};
use crate::models::table_files::lanes_of;
use crate::scenario::Scenario;
use crate::scenario::source::{FileFault, read_beside};

/// A fabric with its addresses, what holds for links of which it says nothing, and the tables that its packets follow.
#[derive(Clone, Debug)]
pub(crate) struct CabledFabric {
    pub fabric: CabledNetwork,
    pub links: LinkDefaults,
    /// The tables of the scenario, one for each path to a host; none where it has none.
    pub tables: Vec<DestinationTables>,
    /// The virtual lanes from files of the scenario.
    pub lanes: Option<VirtualLanes>,
    /// The engine whose tables come nearest to the scenario's routes, where it names none.
    pub engine: EngineKind,
    /// The roots of up*/down*.
    pub roots: NamedRoots,
    /// The rate of each link, bit/s.
    pub rates: Vec<f64>,
    /// What the scenario says of routes and links.
    pub params: FabricParams,
}

impl CabledFabric {
    /// The routes of the scenario, which it shares with its plan.
    pub fn routes(&self) -> Result<Routes, ScenarioError> {
        let network = &self.fabric.network;
        if !self.tables.is_empty() {
            let routes = Routes::of_several_tables(network, self.tables.clone());
            return routes.map_err(|error| Diagnosis::new(error.to_string()).into());
        }
        routes_of(network, &self.params).map_err(|problem| {
            let about = Diagnosis::about(&Path::of(&problem.path), &problem.problem);
            about.expected(&problem.expected).hint(problem.hint.as_deref()).into()
        })
    }
}

/// Where tables come from, and the roots of up*/down*.
#[derive(Clone, Debug, Default)]
pub struct TablesOf {
    /// A file of tables.
    pub file: Option<String>,
    /// An engine that computes them.
    pub engine: Option<String>,
    /// The names of the switches of level 0.
    pub roots: Vec<String>,
    /// A file of their GUIDs.
    pub root_guids: Option<String>,
    /// A file of the service levels of paths, and one of the lanes that they mean.
    pub path_sl: Option<String>,
    /// See `path_sl`.
    pub sl2vl: Option<String>,
    /// The names of two hosts: the path from the one to the other is included.
    pub path: Option<[String; 2]>,
}

/// What the check of tables finds.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Whether every pair is reached, nothing loops and nothing can lock.
    pub safe: bool,
    /// Everything found, as JSON; `tables` says where the tables came from.
    pub json: String,
}

/// Checks tables of a scenario's fabric: those of a file, of an engine, of the scenario itself, or else shortest paths
/// where it takes these, and up*/down* where it has any other rule.
///
/// # Errors
/// A file that is wrong or of another fabric, with its place; a scenario without a fabric; an engine that is not made
/// for it.
pub fn check(scenario: &Scenario, of: &TablesOf) -> Result<Checked, ScenarioError> {
    let CabledFabric { fabric, tables: own, lanes: own_lanes, engine: nearest, roots: otherwise, .. } =
        cabled_fabric(scenario)?;
    let (roots, roots_from) = roots(&fabric, of, &otherwise)?;
    let network = &fabric.network;
    let is_own = of.file.is_none() && of.engine.is_none() && !own.is_empty();
    let mut lids = Lids::new(&fabric, &BTreeMap::new());
    let mut notes = Vec::new();
    let (source, check, tables) = match (&of.file, &of.engine) {
        (Some(file), _) => {
            let (tables, by_lid, replaced) = read_with_notes(file, &fabric)?;
            lids = Lids::new(&fabric, &by_lid);
            notes = replaced;
            (file.clone(), TableCheck::of_paths(network, &tables, &roots), tables)
        }
        (None, None) if is_own => {
            ("the scenario's".to_owned(), TableCheck::of_paths(network, &own, &roots), own)
        }
        (None, engine) => {
            let kind = engine.as_deref().map_or(Ok(nearest), engine_named)?;
            let engine = kind.with_roots(roots.clone());
            let source = match kind.misfit(network) {
                None => format!("hopscope's {}", kind.word()),
                Some(misfit) => format!("hopscope's {}, though this is {misfit}", kind.word()),
            };
            if of.path.is_some() || of.path_sl.is_some() || of.sl2vl.is_some() {
                let tables = vec![compute(&fabric, &engine, roots_from)?];
                (source, TableCheck::of_paths(network, &tables, &roots), tables)
            } else {
                let check = TableCheck::of_engine(network, &engine, &roots);
                (source, check.map_err(|error| unfit(&error, roots_from))?, Vec::new())
            }
        }
    };
    let check = match read_lanes(of, &fabric, &lids)?.or(own_lanes.filter(|_| is_own)) {
        Some(lanes) => check.on_lanes(network, &tables, &lanes),
        None => check,
    };
    let mut json = serde_json::to_value(&check).expect("a check is plain data");
    json["tables"] = source.into();
    json["safe"] = check.is_safe().into();
    json["notes"] = notes.into();
    if let Some(ends) = &of.path {
        json["path"] = path(&fabric, &tables, ends)?;
    }
    Ok(Checked { safe: check.is_safe(), json: scenario.with_facts(json).to_string() })
}

/// The path between two hosts by the tables of every LID of the receiver.
fn path(
    fabric: &CabledNetwork,
    tables: &[DestinationTables],
    ends: &[String; 2],
) -> Result<Json, ScenarioError> {
    let network = &fabric.network;
    let host = |name: &String| {
        let wrong = |(problem, hint)| Diagnosis::new(problem).expected("the name of a host").hint(hint);
        network.host_named(name).map_err(wrong)
    };
    let (from, to) = (host(&ends[0])?, host(&ends[1])?);
    // A host with fewer LIDs than others begins again with its lowest; computed tables are for the lowest alone.
    let first = tables.first().and_then(|tables| tables.lid(to));
    let further = |tables: &&DestinationTables| tables.lid(to) != first;
    let of_host = tables.iter().take(1).chain(tables.iter().skip(1).take_while(further));
    let paths = of_host.map(|tables| {
        let mut path = json!(tables.path(network, from, to));
        path["lid"] = json!(tables.lid(to).or(fabric.hosts[to.index()].lid));
        path
    });
    Ok(json!({ "from": network.name(Node::Host(from)), "to": network.name(Node::Host(to)),
               "paths": paths.collect::<Vec<_>>() }))
}

/// Tables by an engine, as text that OpenSM's routing engine `file` loads.
///
/// # Errors
/// As [`check`].
pub fn routes(scenario: &Scenario, of: &TablesOf) -> Result<Lfts, ScenarioError> {
    let CabledFabric { fabric, roots: otherwise, .. } = cabled_fabric(scenario)?;
    let (roots, roots_from) = roots(&fabric, of, &otherwise)?;
    let kind = of.engine.as_deref().map_or(Ok(EngineKind::UpDown), engine_named)?;
    let engine = kind.with_roots(roots);
    let nodes = fabric.switches.len() + fabric.hosts.len();
    let too_many = || {
        let problem = format!("{nodes} switches and hosts need more LIDs than InfiniBand has");
        ScenarioError::from(Diagnosis::new(problem).expected(format!("at most {MOST_LIDS}")))
    };
    if fabric.lids().is_none() {
        return Err(too_many());
    }
    let tables = compute(&fabric, &engine, roots_from)?;
    let to_switches =
        ports_to_switches(&fabric.network, &engine).map_err(|error| unfit(&error, roots_from))?;
    Lfts::new(fabric, tables, to_switches).ok_or_else(too_many)
}

/// The fabric of a scenario as a file that other tools read; the suffix of its name determines the format.
///
/// # Errors
/// A scenario without a fabric; a suffix of no format; a fabric that the format cannot express.
pub fn written(scenario: &Scenario, file_name: &str) -> Result<String, ScenarioError> {
    let Some(form) = WrittenForm::of_name(file_name) else {
        let endings = WrittenForm::ENDINGS.map(|(ending, _)| ending).join(", ");
        let diagnosis = Diagnosis::new(format!("the extension of \"{file_name}\" is no fabric format"));
        return Err(diagnosis.expected(format!("a file name with one of the extensions {endings}")).into());
    };
    let CabledFabric { mut fabric, links, rates, .. } = cabled_fabric(scenario)?;
    // Links have the rates that they run at in the scenario, which may upgrade them.
    fabric.network = fabric.network.with_speeds(|link| {
        Some((Rate::from_bit_s(rates[link.index()] as u64), fabric.network.link(link).lanes))
    });
    write_fabric(&fabric, form, links)
        .map_err(|error| Diagnosis::new(error.problem).expected(error.expected).into())
}

/// The formats of fabrics that can be read, as JSON: help texts and the reference page list them from here.
#[must_use]
pub fn fabric_formats() -> serde_json::Value {
    let row = |format: &FabricFormat| {
        serde_json::json!({
            "name": format.name,
            "known_as": format.known_as,
            "endings": format.endings,
            "about": format.about,
            "left_aside": format.left_aside,
            "example": format.example,
        })
    };
    FORMATS.iter().map(row).collect()
}

pub(crate) fn cabled_fabric(scenario: &Scenario) -> Result<CabledFabric, ScenarioError> {
    scenario.prepared().cabled_fabric().ok_or_else(|| {
        let problem =
            format!("a scenario of model \"{}\" has no switches with forwarding tables", scenario.model());
        Diagnosis::new(problem).expected("a fabric's file, or a scenario of model \"fabric\"").into()
    })
}

/// The tables of a file, one for each LID of a host, and the host of each LID.
pub(crate) fn read_every_lid(
    file: &str,
    fabric: &CabledNetwork,
) -> Result<(Vec<DestinationTables>, BTreeMap<u16, HostId>), ScenarioError> {
    let (tables, by_lid, _) = read_with_notes(file, fabric)?;
    Ok((tables, by_lid))
}

/// Tables for every LID, the host of each LID, and what is to be said of tables that may be older than the fabric.
type NotedTables = (Vec<DestinationTables>, BTreeMap<u16, HostId>, Vec<String>);

fn read_with_notes(file: &str, fabric: &CabledNetwork) -> Result<NotedTables, ScenarioError> {
    let attachment = read_beside(file, "forwarding table")?;
    let text = &attachment.text.text;
    let read = tables::read(text).and_then(|tables| {
        let replaced = tables.switches_of_other_guids(fabric).into_iter().map(|switch| {
            format!(
                "{switch}: was the switch replaced after the tables were read? they are taken by its name"
            )
        });
        let (on_lids, by_lid) = (tables.on_every_lid(fabric, text)?, tables.hosts_by_lid(fabric, text)?);
        Ok((on_lids, by_lid, replaced.chain(tables.omissions()).collect()))
    });
    read.map_err(|error| attachment.diagnosis(&error).into())
}

/// The virtual lanes of the files that are asked for, if any.
fn read_lanes(
    of: &TablesOf,
    fabric: &CabledNetwork,
    lids: &Lids,
) -> Result<Option<VirtualLanes>, ScenarioError> {
    let read = |file: &Option<String>, what| file.as_ref().map(|file| read_beside(file, what)).transpose();
    let files = [read(&of.path_sl, "path SL")?, read(&of.sl2vl, "SL-to-VL")?];
    Ok(lanes_of(files, fabric, lids)?)
}

fn compute(
    fabric: &CabledNetwork,
    engine: &TableEngine,
    roots_from: RootsFrom,
) -> Result<DestinationTables, ScenarioError> {
    DestinationTables::compute(&fabric.network, engine).map_err(|error| unfit(&error, roots_from).into())
}

fn unfit(error: &TableEngineError, roots_from: RootsFrom) -> Diagnosis {
    let (expected, hint) = match (error, roots_from) {
        (TableEngineError::NoTree { .. }, _) => {
            ("a tree of tiers with hosts at its leaves", "try --engine up-down")
        }
        (TableEngineError::NoRoute { .. }, RootsFrom::User) => (ROOTS, "leave some roots out"),
        (TableEngineError::NoRoute { .. }, RootsFrom::Family) => (ROOTS, "name a root: --root SWITCH"),
    };
    Diagnosis::new(error.to_string()).expected(expected).hint(Some(hint))
}

/// What the roots of up*/down* have to be.
const ROOTS: &str = "roots above every switch that has hosts";

fn engine_named(name: &str) -> Result<EngineKind, ScenarioError> {
    EngineKind::named(name).ok_or_else(|| {
        let names = EngineKind::ALL.map(EngineKind::word);
        let diagnosis = Diagnosis::new(format!("there is no engine \"{name}\"")).expected(names.join(", "));
        diagnosis.hint(did_you_mean(name, names)).into()
    })
}

/// The roots that are asked for, or else those of the scenario or the family.
fn roots(
    fabric: &CabledNetwork,
    of: &TablesOf,
    otherwise: &NamedRoots,
) -> Result<(Vec<SwitchId>, RootsFrom), ScenarioError> {
    let network = &fabric.network;
    let mut roots = Vec::new();
    let is_asked = !of.roots.is_empty() || of.root_guids.is_some();
    let (names, from) =
        if is_asked { (&of.roots, RootsFrom::User) } else { (&otherwise.names, otherwise.from) };
    for name in names {
        let wrong = |(problem, hint)| Diagnosis::new(problem).expected("the name of a switch").hint(hint);
        roots.push(network.switch_named(name).map_err(wrong)?);
    }
    if let Some(file) = &of.root_guids {
        let attachment = read_beside(file, "root GUID")?;
        let read = root_guids::read(&attachment.text.text, fabric);
        roots.extend(read.map_err(|error| ScenarioError::from(attachment.diagnosis(&error)))?);
    }
    Ok((roots, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_found_by_its_word() {
        for kind in EngineKind::ALL {
            assert_eq!(EngineKind::named(kind.word()), Some(kind));
        }
        assert_eq!(EngineKind::named("as now"), None);
    }

    #[test]
    fn only_roots_that_the_user_named_can_be_left_out() {
        let hint = |from| {
            let error = TableEngineError::NoRoute { from: "a".to_owned(), to: "b".to_owned() };
            unfit(&error, from).hint.expect("a hint")
        };
        assert_eq!(hint(RootsFrom::User), "leave some roots out");
        assert_eq!(hint(RootsFrom::Family), "name a root: --root SWITCH");
    }
}
