//! Nodes without a local identifier, if comparable nodes have one: the subnet manager has not set them up.

use hopscope_topology::{Anomaly, AnomalyKind, Network, listed};
use hopscope_units::amount;

use crate::fabric::cabled::Address;

/// Their anomaly. None for switches, or hosts, if the file has no LID of them at all, as before a subnet manager has
/// run, or if more than half have none.
pub(super) fn told(network: &Network, switches: &[Address], hosts: &[Address]) -> Option<Anomaly> {
    let lacking = |addresses: &[Address]| -> Vec<usize> {
        let without: Vec<usize> = (0..addresses.len()).filter(|i| addresses[*i].lid.is_none()).collect();
        if 2 * without.len() <= addresses.len() { without } else { Vec::new() }
    };
    let names = lacking(switches).into_iter().map(|i| network.switches()[i].name.clone());
    let names = names.chain(lacking(hosts).into_iter().map(|i| network.hosts()[i].name.clone()));
    let names: Vec<String> = names.collect();
    let words = match &names[..] {
        [] => return None,
        [only] => format!(
            "{only} has no LID: the subnet manager has not set it up, and real traffic does not reach it"
        ),
        _ => format!(
            "{} no LID: the subnet manager has not set them up, and real traffic does not reach them: {}",
            amount(names.len(), "node has", "nodes have"),
            listed(&names)
        ),
    };
    Some(Anomaly::new(AnomalyKind::WithoutLid, words))
}
