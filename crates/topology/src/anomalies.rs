//! What is odd about a network: cables unlike the rest, cables that a regular family lacks or that lead elsewhere,
//! single points of failure. Nothing is simulated or routed for it.

mod absent_spines;
mod departures;
mod dragonflies;
mod exchanges;
mod full_mesh;
mod grids;
mod hosts_astray;
mod mended;
mod misplaced;
mod missing;
mod pairs;
mod single_points;
mod stray_hosts;
mod tried;
mod unlike;
mod up_links;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::family::Family;
use crate::graph::{LinkId, Network};

pub use absent_spines::with_missing_switches;
pub use mended::with_cables_mended;

/// The kind of an anomaly. What costs most comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnomalyKind {
    /// A cable with fewer lanes than comparable cables.
    NarrowLink,
    /// A cable with a lower rate than comparable cables.
    SlowLink,
    /// A port that runs on one lane.
    OneLane,
    /// A port that was in use, or is meant to be, and carries nothing.
    DeadPort,
    /// A cable that runs below what both of its ends could do.
    BelowAbility,
    /// The two ends of a cable say different things of it.
    EndsDisagree,
    /// A cable between other switches than a regular family has one, or one more between two than others have.
    MisplacedLink,
    /// A cable that a regular family would have.
    MissingLink,
    /// A switch of the level above that others have free ports for.
    MissingSwitch,
    /// A switch whose up-links carry less than what comes from below, in proportion to comparable switches or at all.
    UnequalUpDown,
    /// Switches all of whose cables are slower than others.
    OlderGeneration,
    /// A switch or cable without which hosts could not reach each other.
    SinglePoint,
    /// A cable with a higher rate than comparable cables.
    FastLink,
    /// A host with fewer ports up than it has.
    PartlyCabled,
    /// A node that no subnet manager has set up, where others are.
    WithoutLid,
    /// A host of a fat tree that is not at a leaf, or is probably at the wrong leaf.
    StrayHost,
    /// A leaf of a fat tree without hosts, where others have some.
    LeafWithoutHosts,
    /// Something in the file that is no part of the network.
    LeftOut,
}

/// Something odd.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Anomaly {
    /// Its kind.
    pub kind: AnomalyKind,
    /// A sentence about it with names and numbers.
    pub words: String,
    /// The cables that it is about, if the anomaly is in the cables' own data or in their comparison with others.
    #[serde(skip)]
    pub cables: Vec<LinkId>,
}

impl Anomaly {
    /// An anomaly in these words.
    #[must_use]
    pub fn new(kind: AnomalyKind, words: impl Into<String>) -> Self {
        Self { kind, words: words.into(), cables: Vec::new() }
    }

    /// The same, said to be about these cables.
    #[must_use]
    pub fn of_cables(self, cables: Vec<LinkId>) -> Self {
        Self { cables, ..self }
    }
}

/// The number of examples named before "and 7 more".
const NAMED: usize = 4;

/// What is odd about a network of this family, by kind.
#[must_use]
pub fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    let mut found = unlike::anomalies(network, family);
    found.extend(missing::anomalies(network, family));
    found.extend(single_points::anomalies(network, family));
    found.sort();
    found
}

/// The links that are slower than comparable links, each with the median rate of these in bit/s.
#[must_use]
pub fn slow_links(network: &Network, family: &Family) -> Vec<(LinkId, f64)> {
    unlike::slow_links(network, family).iter().map(|slow| (slow.link, slow.usual.bit_s() as f64)).collect()
}

/// The network as after the replacement of its slow cables: each link that is slower than comparable links gets their
/// rate.
#[must_use]
pub fn with_slow_cables_replaced(network: &Network, family: &Family) -> Network {
    let slow = unlike::slow_links(network, family);
    let replaced: BTreeMap<LinkId, _> =
        slow.iter().map(|slow| (slow.link, (slow.usual, slow.usual_lanes))).collect();
    network.with_speeds(|link| replaced.get(&link).copied())
}

/// A cable with the ports at both ends, as messages name it.
#[must_use]
pub fn cable(network: &Network, link: LinkId) -> String {
    let ends = network.link(link).ends.map(|end| match end.node {
        crate::graph::Node::Host(_) => network.name(end.node).to_owned(),
        crate::graph::Node::Switch(_) => format!("{}:{}", network.name(end.node), end.port),
    });
    ends.join(" - ")
}

/// The first names, and how many more there are.
#[must_use]
pub fn listed(names: &[String]) -> String {
    match names.len().checked_sub(NAMED) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}
