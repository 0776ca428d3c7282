//! Aggregation nodes: what reduces data within switches (SHARP of Quantum and Switch-IB 2). Each looks like a channel
//! adapter at a port of its own switch, and is no host: no jobs run there. They are left out of networks. Tables and
//! counters may still name them.

use hopscope_topology::{Anomaly, AnomalyKind, Port};
use hopscope_units::amount;

/// The number of the kind of device that aggregation nodes have.
const DEVICE: u32 = 0xcf09;

/// How their description ends: "Mellanox Technologies Aggregation Node".
const DESCRIPTION: &str = "Aggregation Node";

/// Whether a channel adapter is an aggregation node, by its device or its description.
pub(super) fn is_aggregation_node(device: Option<u32>, description: &str) -> bool {
    device == Some(DEVICE) || description.trim_end().ends_with(DESCRIPTION)
}

/// An aggregation node that was left out of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregationNode {
    /// The GUIDs of its port and of the node, in this order, where the file gives them.
    pub guids: Vec<u64>,
    /// Its local identifier, where the file says.
    pub lid: Option<u16>,
    /// What the file calls it.
    pub description: String,
    /// The GUID of its switch, and the port there as the file numbers it.
    pub at: (u64, Port),
}

/// Their anomaly: their number.
pub(super) fn told(nodes: &[AggregationNode]) -> Option<Anomaly> {
    let count = amount(nodes.len(), "aggregation node", "aggregation nodes");
    let words = match nodes.len() {
        0 => return None,
        1 => format!("left out: {count} of a switch (SHARP), which is no host"),
        _ => format!("left out: {count} of switches (SHARP), which are no hosts"),
    };
    Some(Anomaly::new(AnomalyKind::LeftOut, words))
}
