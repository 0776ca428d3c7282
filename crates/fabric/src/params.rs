//! The parameters that every machine on a fabric shares, with unit, default and source: routes and links. The defaults
//! are AN1's.

use std::ops::RangeInclusive;

use hopscope_measure::Problem;
use hopscope_units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::upgrade::Upgrade;

/// Routing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingParams {
    /// Which routes are legal.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "all shortest paths", "to": "shortest", "drops": ["routing.root", "routing.roots", "routing.tables"], "cause": "route concentration", "cost": "a guarantee against deadlock"},
        {"words": "up*/down* routes", "to": "up-down", "cause": "circular wait", "cost": "longer routes, a root"},
        {"words": "dimension-order routes", "to": "dimension-order", "drops": ["routing.root", "routing.roots", "routing.tables"], "cause": "route concentration", "relieves": ["blocking"], "cost": "virtual channels"},
    ])))]
    pub rule: Rule,
    /// The root switch of up*/down*, by name. Default: the switch with the smallest uid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Several root switches of up*/down*, by name, such as all spines of a fat tree. They replace `root`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
    /// A file of forwarding tables, as OpenSM and `hopscope routes` write them. They replace `rule`. The path is
    /// relative to the scenario's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<String>,
    /// A file of the service level of each path: lines of a source's GUID, a destination's LID and a level, or the path
    /// records that `saquery` prints. Frames with credits then use the virtual lanes that these levels mean. Only with
    /// `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_sl: Option<String>,
    /// A file of the lane that each service level means between two ports of a switch: `opensm-sl2vl.dump`, the output
    /// of `smpquery sl2vl`, or `ibdiagnet2.sl2vl`. Default: each level is on the lane of its number. Only with
    /// `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sl2vl: Option<String>,
    /// Which of several next hops a packet takes.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "packets take any idle next hop", "to": "multi-path", "cause": "path collision", "cost": "packets out of order"},
        {"words": "packets take the next hop stopped longest ago", "to": "least-recently-stopped", "cause": "path collision", "cost": "packets out of order"},
    ])))]
    pub choice: Choice,
}

/// Which routes are legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The shortest routes that never go up after they have gone down. Deadlock-free (SRC 88, section 2.1).
    #[default]
    UpDown,
    /// All shortest routes. Deadlock-free only with unbounded buffers, or on topologies such as trees (SRC 88, section
    /// 3.2).
    Shortest,
    /// One dimension after the other. Networks with rings of four or more switches use two virtual channels per link
    /// and a dateline in each ring. Deadlock-free on a mesh, torus, hypercube, line or ring (Dally and Seitz 1987; SRC
    /// 88, section 3.2).
    DimensionOrder,
    /// Structured buffer pools: all shortest routes, with one class of buffers at each input for each number of
    /// remaining hops (Merlin and Schweitzer 1980; SRC 88, section 3.2). Deadlock-free on any network, with as many
    /// virtual channels as the longest route has hops. Designed for store-and-forward.
    StructuredPools,
    /// By the family that the network is recognised as, as its operator would. A fat tree: up*/down* with all switches
    /// of the highest level as roots, so that every spine is used. Any other network: all shortest routes where these
    /// cannot deadlock, otherwise up*/down* from the most central switch.
    ByFamily,
}

/// Which of several next hops a packet takes. If none of them is idle, the packet joins the switch's queue of blocked
/// packets and takes the first of its next hops that becomes free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// A random idle next hop: AN1 as designed (SRC 88, section 3.5).
    #[default]
    MultiPath,
    /// One fixed next hop from each switch to each host, idle or not. It is drawn once per run, from the scenario's
    /// seed.
    SinglePath,
    /// Static paths, each drawn once per run for a pair of hosts: one fixed next hop in each switch for each sender and
    /// receiver, idle or not ("random selection of static paths at configuration", SRC 88, section 3.5).
    PairPath,
    /// Static paths as an AN1 routing table can hold them, which is read by input port and destination: one fixed next
    /// hop for each input of a switch and each receiver, idle or not, drawn once per run.
    InputPath,
    /// The idle next hop with the lowest port number: AN1 as built (SRC 88, footnote 2).
    LowestNumbered,
    /// The idle next hop that was stopped least recently. Next hops that were never stopped come first; among them the
    /// choice is random.
    LeastRecentlyStopped,
}

impl Choice {
    /// Whether the next hop is fixed before a packet arrives.
    #[must_use]
    pub fn is_static(self) -> bool {
        match self {
            Self::SinglePath | Self::PairPath | Self::InputPath => true,
            Self::MultiPath | Self::LowestNumbered | Self::LeastRecentlyStopped => false,
        }
    }
}

/// The defaults for links whose rate or delay the network does not state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkParams {
    /// The rate in each direction, in whole kbit/s: 100 Mbit/s (SRC 88, section 2.1).
    pub rate: Rate,
    /// The propagation delay of data and of stop and start signals: 0.2 us. With 2 us per switch it gives the 11.2 us
    /// of an idle path over 5 switches and 6 links (SRC 88, Table 2).
    pub delay: Span,
}

/// The parameters of every machine on a fabric.
#[derive(Clone, Debug, Default)]
pub struct FabricParams {
    /// Routing.
    pub routing: RoutingParams,
    /// The links.
    pub link: LinkParams,
    /// Links made faster.
    pub upgrade: Upgrade,
}

impl Default for LinkParams {
    fn default() -> Self {
        Self { rate: Rate::from_mbit_s(100), delay: Span::from_ns(200) }
    }
}

/// The slowest and fastest link that the model counts exactly, in bit/s.
const RATES: RangeInclusive<u64> = 1_000..=4_000_000_000_000;
/// The longest propagation delay: more than once around the world.
pub(crate) const LONGEST_DELAY: Span = Span::from_ms(500);

impl FabricParams {
    /// The problems of the parameters that do not depend on the network.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some(problem) = self.link.rate_problem() {
            problems.push(problem);
        }
        if self.link.delay > LONGEST_DELAY {
            let problem = format!("delay {} is out of range", self.link.delay);
            problems.push(Problem::new("link.delay", problem, format!("at most {LONGEST_DELAY}")));
        }
        let RoutingParams { rule, root, roots, tables, path_sl, sl2vl, .. } = &self.routing;
        let given = [("routing.root", root.is_some()), ("routing.roots", !roots.is_empty())];
        for (path, _) in given.into_iter().filter(|(_, given)| *given) {
            if *rule != Rule::UpDown {
                let problem = "only up*/down* routes have a root";
                problems.push(Problem::new(path, problem, "no root, or rule = \"up-down\""));
            }
            if tables.is_some() {
                let problem = "forwarding tables have no root";
                problems.push(Problem::new(path, problem, "no root, or no `routing.tables`"));
            }
        }
        let of_lanes = [("routing.path_sl", path_sl.is_some()), ("routing.sl2vl", sl2vl.is_some())];
        for (path, _) in of_lanes.into_iter().filter(|(_, given)| *given && tables.is_none()) {
            let problem = "virtual lanes of a file without forwarding tables of a file";
            problems.push(Problem::new(path, problem, "`routing.tables` as well"));
        }
        if root.is_some() && !roots.is_empty() {
            let problem = "`root` and `roots` are both given";
            problems.push(Problem::new("routing.roots", problem, "one of the two"));
        }
        problems
    }
}

impl LinkParams {
    fn rate_problem(&self) -> Option<Problem> {
        let problem = rate_problem(self.rate)?;
        Some(Problem::new("link.rate", problem, "whole kbit/s from 1 kbit/s to 4 Tbit/s"))
    }
}

/// Why a link cannot have this rate; nothing if it can.
pub(crate) fn rate_problem(rate: Rate) -> Option<String> {
    let bit_s = rate.bit_s();
    let refused = !RATES.contains(&bit_s) || !bit_s.is_multiple_of(1_000);
    refused.then(|| format!("link rate {rate} is out of range"))
}
