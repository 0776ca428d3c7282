//! The ARPANET's subnet (crate `arpanet`).

use std::sync::Arc;

use hopscope_arpanet::{ArpanetParams, ArpanetPlan, read_lines};
use hopscope_formats::FormatError;
use hopscope_measure::JourneyLog;
use serde_json::Value as Json;

use crate::drive::{Driven, Driver};
use crate::registry::{Finding, ScenarioModel};
use crate::scenario::source::Files;

/// Things that happen to a message, and packets of it that pass a line, for each journey that is kept: enough for ten hops.
const EVENTS_OF_A_MESSAGE: usize = 200;

/// Journeys with which the trace ceases to grow: it is held in memory.
const MOST_TRACED: usize = 10_000;

/// The model `arpanet`.
pub(crate) enum Arpanet {}

impl ScenarioModel for Arpanet {
    const NAME: &'static str = "arpanet";
    const ABOUT: &'static str = "The ARPANET's IMPs of 1973 to 1975: message handling of versions 2 and 3, flow control, line protocol and routing.";
    type Params = ArpanetParams;
    type Plan = Arc<ArpanetPlan>;

    fn prepare(params: &mut ArpanetParams, files: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        let mut whole = params.clone();
        if let Some(path) = &mut params.network.file {
            let attachment =
                files.read("network.file", path).map_err(|diagnosis| vec![Finding::from(diagnosis)])?;
            let lines = read_lines(&attachment.text.text).map_err(|error| {
                let error = FormatError {
                    line: error.line as u32,
                    column: 1,
                    problem: error.problem,
                    expected: error.expected,
                    hint: None,
                };
                vec![Finding::from(attachment.diagnosis(&error))]
            })?;
            path.clone_from(&attachment.name);
            // The scenario's own lines come first, so that their places in it are those of the problems found.
            whole.network.line.extend(lines);
        }
        let plan = ArpanetPlan::new(whole)
            .map_err(|problems| problems.into_iter().map(Finding::from).collect::<Vec<_>>())?;
        Ok(Arc::new(plan))
    }

    fn run(_: &ArpanetParams, plan: &Self::Plan, driver: &Driver<'_>) -> Driven {
        match driver.journeys() {
            0 => driver.drive(plan.simulation(driver.seed(), ())),
            most => {
                let mut simulation = plan.simulation(driver.seed(), JourneyLog::new(most));
                simulation.model.keep_trace(
                    usize::try_from(most).unwrap_or(MOST_TRACED).min(MOST_TRACED) * EVENTS_OF_A_MESSAGE,
                );
                driver.drive(simulation)
            }
        }
    }

    fn topology(_: &ArpanetParams, plan: &Self::Plan) -> Option<Json> {
        let imps = plan.imp_names().map(|name| {
            serde_json::json!({"name": name, "kind": "switch", "role": null, "x": null, "y": null, "level": null})
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
                "diameter": plan.hop_histogram().keys().max(),
                "mean_hops": plan.mean_hops(),
                "root": null,
                "hop_histogram": histogram,
                "through_root": null,
                "most_loaded_links": [],
            },
            "nodes": imps.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
        }))
    }
}
