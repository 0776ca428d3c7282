//! The ARPANET's subnet (crate `arpanet`).

use std::sync::Arc;

use hopscope_arpanet::{
    ArpanetParams, ArpanetPlan, Place, Subnet, read_hosts, read_lines, read_pairs, read_places, read_sizes,
};
use hopscope_formats::FormatError;
use hopscope_formats::columns::table::Table;
use hopscope_kernel::Simulation;
use hopscope_measure::{Journal, JourneyLog};
use hopscope_scenario::Attachment;
use hopscope_topology::SinglePoints;
use serde_json::Value as Json;

use crate::drive::{Driven, Driver};
use crate::models::origins::{Origins, Rows};
use crate::registry::{Finding, ScenarioModel};
use crate::scenario::source::{FileFault, Files};

/// Things that happen to a message, and packets of it that pass a line, for each journey that is kept: enough for ten
/// hops.
const EVENTS_OF_A_MESSAGE: usize = 200;

/// Journeys with which the trace ceases to grow: it is held in memory.
const MOST_TRACED: usize = 10_000;

/// A checked subnet, and where its IMPs are drawn.
pub(crate) struct ArpanetNet {
    plan: Arc<ArpanetPlan>,
    places: Vec<Place>,
}

/// The model `arpanet`.
pub(crate) enum Arpanet {}

impl ScenarioModel for Arpanet {
    const NAME: &'static str = "arpanet";
    const ABOUT: &'static str = "The ARPANET's IMPs of 1973 to 1975: message handling of versions 2 and 3, flow control, line protocol and routing.";
    const SNAPSHOTS: bool = true;
    type Params = ArpanetParams;
    type Plan = ArpanetNet;

    fn prepare(params: &mut ArpanetParams, files: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        params.protocol.message_numbers = Some(params.protocol.message_numbers());
        let mut whole = params.clone();
        let mut origins = Origins::default();
        // What stands in the scenario itself comes first, so that its places in it are those of the problems found.
        if let Some(path) = &mut params.network.file {
            append(
                &mut origins,
                "network.line",
                &mut whole.network.line,
                read_file(files, "network.file", path, read_lines)?,
            );
        }
        if let (Some(named), Some(sites)) = (&mut params.sites, &mut whole.sites) {
            if let Some(path) = &mut named.file {
                append(
                    &mut origins,
                    "sites.pair",
                    &mut sites.pair,
                    read_file(files, "sites.file", path, read_pairs)?,
                );
            }
            if let Some(path) = &mut named.sizes_file {
                append(
                    &mut origins,
                    "sites.sizes",
                    &mut sites.sizes,
                    read_file(files, "sites.sizes_file", path, read_sizes)?,
                );
            }
            if let Some(path) = &mut named.hosts_file {
                append(
                    &mut origins,
                    "sites.hosts_file",
                    &mut sites.host_of_file,
                    read_file(files, "sites.hosts_file", path, read_hosts)?,
                );
            }
        }
        let places = match &mut params.network.places_file {
            Some(path) => read_file(files, "network.places_file", path, read_places)?.0.rows,
            None => Vec::new(),
        };
        let plan = ArpanetPlan::new(whole).map_err(|problems| origins.findings(problems))?;
        Ok(ArpanetNet { plan: Arc::new(plan), places })
    }

    fn run(_: &ArpanetParams, ArpanetNet { plan, .. }: &Self::Plan, driver: &Driver<'_>) -> Driven {
        match driver.journeys() {
            0 => drive(plan.simulation(driver.seed(), ()), driver),
            most => {
                let mut simulation = plan.simulation(driver.seed(), JourneyLog::new(most));
                simulation.model.keep_trace(
                    usize::try_from(most).unwrap_or(MOST_TRACED).min(MOST_TRACED) * EVENTS_OF_A_MESSAGE,
                );
                drive(simulation, driver)
            }
        }
    }

    fn topology(_: &ArpanetParams, ArpanetNet { plan, places }: &Self::Plan) -> Option<Json> {
        let imps = plan.imp_names().map(|name| {
            // A drawing's y grows downwards; a degree of longitude at 38 degrees north is four fifths of one of
            // latitude.
            let place = places.iter().find(|(site, ..)| site == name);
            let (x, y) = place.map(|&(_, longitude, latitude)| (longitude * 0.8, -latitude)).unzip();
            serde_json::json!({"name": name, "kind": "switch", "role": null, "x": x, "y": y, "level": null})
        });
        let links = plan.line_ends().map(|(from, from_port, to, to_port)| {
            serde_json::json!({"from": from, "from_port": from_port, "to": to, "to_port": to_port, "up": null})
        });
        let histogram: serde_json::Map<String, Json> =
            plan.hop_histogram().into_iter().map(|(hops, pairs)| (hops.to_string(), pairs.into())).collect();
        Some(serde_json::json!({
            "called": "IMP",
            "figures": {
                "switches": plan.imp_names().count(),
                "hosts": 0,
                "links": plan.line_ends().count(),
                "on_the_way": "lines",
                "diameter": plan.hop_histogram().keys().max(),
                "mean_hops": plan.mean_hops(),
                "root": null,
                "hop_histogram": histogram,
                "through_root": null,
                "most_loaded_links": [],
                "single_points_of_failure": SinglePoints::of(
                    plan.imp_names(),
                    plan.line_ends().map(|(from, _, to, _)| [from, to]),
                ),
            },
            "nodes": imps.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
        }))
    }
}

/// Drives a simulation, with snapshots where they are asked for.
fn drive<J: Journal>(mut simulation: Simulation<Subnet<J>>, driver: &Driver<'_>) -> Driven {
    if let Some(times) = driver.snapshots() {
        Subnet::keep_snapshots(&mut simulation, times);
    }
    driver.drive(simulation)
}

/// Appends the rows of a file to a list, and remembers where they stand.
fn append<T>(
    origins: &mut Origins,
    list: &'static str,
    rows: &mut Vec<T>,
    (table, file): (Table<T>, Attachment),
) {
    origins.add(list, rows.len(), file, Rows::Kept(table.places));
    rows.extend(table.rows);
}

/// What stands in a file that a field names; the field then holds the file's name in the run folder.
fn read_file<T>(
    files: &mut Files<'_>,
    field: &str,
    path: &mut String,
    read: impl FnOnce(&str) -> Result<Table<T>, FormatError>,
) -> Result<(Table<T>, Attachment), Vec<Finding>> {
    let file = files.read(field, path).map_err(|diagnosis| vec![Finding::from(diagnosis)])?;
    let table = read(&file.text.text).map_err(|error| vec![Finding::from(file.diagnosis(&error))])?;
    path.clone_from(&file.name);
    Ok((table, file))
}
