//! The parameters that every machine on a fabric shares, with unit, default and source: routes and links. The defaults
//! are AN1's.

use std::ops::RangeInclusive;

use hopscope_measure::Problem;
use hopscope_units::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::upgrade::Upgrade;

/// How packets find their way.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingParams {
    /// Which routes are legal.
    #[schemars(extend("what-if" = [
        {"words": "all shortest paths", "to": "shortest", "cause": "route concentration", "cost": "a guarantee against deadlock"},
        {"words": "dimension-order routes", "to": "dimension-order", "cause": "route concentration", "cost": "virtual channels"},
    ]))]
    pub rule: Rule,
    /// The name of the switch that is the root of up*/down*; unless given, the one with the smallest UID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// A file of forwarding tables, as OpenSM and `hopscope routes` write them; packets then follow these, whatever the
    /// rule. Its place is relative to the scenario's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<String>,
    /// Which of several legal next hops a packet takes.
    #[schemars(extend("what-if" = [
        {"words": "packets take any idle next hop", "to": "multi-path", "cause": "path collision", "cost": "packets out of order"},
        {"words": "packets take the next hop stopped longest ago", "to": "least-recently-stopped", "cause": "path collision", "cost": "packets out of order"},
    ]))]
    pub choice: Choice,
}

/// Which routes are legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The shortest of the routes that never go up after they have gone down: free of deadlock (SRC 88, section 2.1).
    #[default]
    UpDown,
    /// Any shortest route: free of deadlock only with unbounded buffers or a fortunate topology (section 3.2).
    Shortest,
    /// One dimension after the other, on two virtual channels a link where the network has rings of four or more, with
    /// a dateline in each ring: free of deadlock on a mesh, torus, hypercube, line or ring (Dally and Seitz 1987;
    /// section 3.2).
    DimensionOrder,
    /// Any shortest route, with a class of buffers at each input for every number of hops that may be left: structured
    /// buffer pools (Merlin and Schweitzer 1980; section 3.2). Free of deadlock on any network, for as many virtual
    /// channels as the longest route has hops. Made for store-and-forward.
    StructuredPools,
}

/// Which of several next hops a packet takes. Where none of them is idle, it joins the switch's queue of blocked
/// packets, and the first output that frees and would do takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// A random idle one: AN1 as designed (SRC 88, section 3.5).
    #[default]
    MultiPath,
    /// Always the same from a switch to a host, idle or not, drawn at random when the network is configured: a function
    /// of switch, host and the scenario's seed.
    SinglePath,
    /// The lowest-numbered idle one: AN1 as built (footnote 2).
    LowestNumbered,
    /// The idle one that was told to stop longest ago, or never; a random one of those that never were.
    LeastRecentlyStopped,
}

/// Every link that the network does not describe otherwise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkParams {
    /// The rate in each direction, in whole kbit/s: 100 Mbit/s (section 2.1).
    pub rate: Rate,
    /// The propagation delay, for packets and for stop and start alike: 0.2 us, which with 2 us a switch gives the 11.2
    /// us of an idle path over 5 switches and 6 links (Table 2).
    pub delay: Span,
}

/// What every machine on a fabric is told.
#[derive(Clone, Debug, Default)]
pub struct FabricParams {
    /// How packets find their way.
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
/// The longest cable: around the world, and then some.
const LONGEST_DELAY: Span = Span::from_ms(500);

impl FabricParams {
    /// What is wrong with the parameters, whatever the network.
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
        if self.routing.rule != Rule::UpDown && self.routing.root.is_some() {
            let problem = "only up*/down* routes have a root";
            problems.push(Problem::new("routing.root", problem, "no root, or rule = \"up-down\""));
        }
        if self.routing.tables.is_some() && self.routing.root.is_some() {
            let problem = "forwarding tables have no root";
            problems.push(Problem::new("routing.root", problem, "no root, or no `routing.tables`"));
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

/// Why a link cannot have this rate, or nothing where it can.
pub(crate) fn rate_problem(rate: Rate) -> Option<String> {
    let bit_s = rate.bit_s();
    let refused = !RATES.contains(&bit_s) || !bit_s.is_multiple_of(1_000);
    refused.then(|| format!("link rate {rate} is out of range"))
}
