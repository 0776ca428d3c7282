//! `kind = "replay"`: routing messages in the order of a published table.

use hopscope_arpanet::HoldDown;
use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Given, Kind};
use crate::routing_replay::{ReplayStep, ReplayedImp, RoutingReplay, replayed};
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// Routing messages on tables of some IMPs, and every cell that they leave behind as printed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Replay {
    /// The hold-down rule.
    pub hold_down: HoldDown,
    /// The IMPs whose tables are computed.
    pub imps: Vec<Imp>,
    /// The routing messages in order.
    pub steps: Vec<Step>,
}

/// An IMP of a published table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Imp {
    /// Its name.
    pub name: String,
    /// Its first estimate, relative to d.
    pub estimate: i32,
    /// Its neighbours, beginning with the best at the start.
    pub neighbours: Vec<String>,
    /// Its first entry, as printed: "d + 9/0/A!".
    pub cell: String,
}

/// A routing message of a published table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Step {
    /// The sending neighbour.
    pub from: String,
    /// The receiving IMP.
    pub to: String,
    /// The estimate that it carries, relative to d, if the table of its sender is not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<i32>,
    /// The packets in the output queue towards that neighbour: the local delay. Default: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<u16>,
    /// The entry that it produces, as printed.
    pub cell: String,
    /// The printed entry, if it is a misprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misprint: Option<String>,
}

impl Replay {
    /// What is replayed, without what was printed.
    fn messages(&self) -> RoutingReplay {
        let imp = |imp: &Imp| ReplayedImp {
            name: imp.name.clone(),
            estimate: imp.estimate,
            neighbours: imp.neighbours.clone(),
        };
        let step = |step: &Step| ReplayStep {
            from: step.from.clone(),
            to: step.to.clone(),
            estimate: step.estimate,
            local: step.local,
        };
        RoutingReplay {
            hold_down: self.hold_down,
            imps: self.imps.iter().map(imp).collect(),
            steps: self.steps.iter().map(step).collect(),
        }
    }
}

impl Kind for Replay {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, _: &Context, _: &Given) -> Json {
        if let Err(error) = replayed(&self.messages()) {
            let place = match error.step.checked_sub(1) {
                Some(step) => at.field("steps").entry(step),
                None => at.field("imps"),
            };
            resolver.refuse(&place, &error.problem, "IMPs that are followed, and their neighbours", None);
        }
        json!({ "hold_down": self.hold_down, "imps": self.imps, "steps": self.steps })
    }
}
