//! Hosts of a fat tree that are not at its leaves: above them, such as one that manages the subnet, or at a switch that
//! hangs from them; leaves without hosts; and leaves with more hosts than others, beside some with as many fewer.

use hopscope_units::amount;

use crate::anomalies::departures::{MOST, most_common};
use crate::anomalies::{Anomaly, AnomalyKind, listed};
use crate::family::{Family, Levels};
use crate::graph::{Network, SwitchId};

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    let Family::FatTree(levels) = family else { return Vec::new() };
    let hosts = network.hosts_per_switch();
    let leaves: Vec<(SwitchId, u32)> =
        network.switch_ids().filter(|id| levels.level(*id) == 0).map(|id| (id, hosts[id.index()])).collect();
    let strays = [not_at_leaves(network, levels), unequal_leaves(network, &leaves)];
    let strays = strays.into_iter().flatten().map(|words| Anomaly::new(AnomalyKind::StrayHost, words));
    let without =
        without_hosts(network, &leaves).map(|words| Anomaly::new(AnomalyKind::LeafWithoutHosts, words));
    strays.chain(without).collect()
}

/// A rack that is switched off, or whose hosts are still to come.
fn without_hosts(network: &Network, leaves: &[(SwitchId, u32)]) -> Option<String> {
    let (without, with): (Vec<_>, Vec<_>) = leaves.iter().partition(|(_, hosts)| *hosts == 0);
    let (usual, times) = most_common(with.iter().map(|(_, hosts)| *hosts))?;
    let who = if times == with.len() { "others" } else { "most others" };
    let where_others = format!("where {who} have {usual}");
    let names: Vec<String> = without.iter().map(|(id, _)| network.switch(*id).name.clone()).collect();
    match &names[..] {
        [] => None,
        [only] => Some(format!("the leaf {only} has no hosts, {where_others}")),
        _ => {
            let count = amount(names.len(), "leaf", "leaves");
            Some(format!("{count} have no hosts, {where_others}: {}", listed(&names)))
        }
    }
}

fn not_at_leaves(network: &Network, levels: &Levels) -> Option<String> {
    let stray = network.hosts().iter().filter(|host| levels.level(host.switch) != 0);
    let names: Vec<String> =
        stray.map(|host| format!("{} at {}", host.name, network.switch(host.switch).name)).collect();
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("one host is not at a leaf of the fat tree, as all others are: {only}")),
        _ => Some(format!("{} hosts are not at leaves of the fat tree: {}", names.len(), listed(&names))),
    }
}

/// Which host is at a wrong leaf nothing tells. That some leaves have as many too many as others lack does: a leaf that
/// is only half full lacks hosts that no other has.
fn unequal_leaves(network: &Network, leaves: &[(SwitchId, u32)]) -> Option<String> {
    let (usual, times) = most_common(leaves.iter().map(|(_, hosts)| *hosts))?;
    let more: u32 = leaves.iter().map(|(_, hosts)| hosts.saturating_sub(usual)).sum();
    let fewer: u32 = leaves.iter().map(|(_, hosts)| usual.saturating_sub(*hosts)).sum();
    if (times as f64) < MOST * leaves.len() as f64 || more != fewer || more == 0 {
        return None;
    }
    let unequal = leaves.iter().filter(|(_, hosts)| *hosts != usual);
    let names: Vec<String> =
        unequal.map(|(id, hosts)| format!("{} has {hosts}", network.switch(*id).name)).collect();
    Some(format!(
        "leaves have unequal numbers of hosts, where others have {usual}: {}; hosts may be at a wrong leaf",
        listed(&names)
    ))
}
