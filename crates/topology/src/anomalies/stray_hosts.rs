//! Hosts of a fat tree that are above its leaves, such as one that manages the subnet.

use crate::anomalies::{Anomaly, AnomalyKind, listed};
use crate::family::Family;
use crate::graph::Network;

pub(super) fn anomaly(network: &Network, family: &Family) -> Option<Anomaly> {
    let Family::FatTree(levels) = family else { return None };
    let stray = network.hosts().iter().filter(|host| levels.level(host.switch) > 0);
    let names: Vec<String> =
        stray.map(|host| format!("{} at {}", host.name, network.switch(host.switch).name)).collect();
    let words = match names.as_slice() {
        [] => return None,
        [only] => format!("one host is not at a leaf of the fat tree, as all others are: {only}"),
        _ => format!("{} hosts are not at leaves of the fat tree: {}", names.len(), listed(&names)),
    };
    Some(Anomaly::new(AnomalyKind::StrayHost, words))
}
