//! Hosts of a fat tree that are not at its leaves: above them, such as one that manages the subnet, or at a switch that
//! hangs from them; leaves without hosts; and leaves with more hosts than others, beside some with as many fewer.

use std::collections::BTreeMap;

use hopscope_units::amount;

use crate::anomalies::departures::most_common;
use crate::anomalies::hosts_astray::{HostPorts, Unequal, of_leaves};
use crate::anomalies::{Anomaly, AnomalyKind, listed};
use crate::family::Levels;
use crate::graph::{Endpoint, HostId, Network, SwitchId};

/// Hosts that are reported as misplaced count at their proper leaf.
pub(super) fn anomalies(
    network: &Network,
    levels: &Levels,
    put_right: &BTreeMap<HostId, Endpoint>,
) -> Vec<Anomaly> {
    let leaves = of_leaves(network, levels, put_right);
    let ports = HostPorts::of(network, levels);
    let strays =
        [not_at_leaves(network, levels, &ports, put_right), unequal_leaves(network, &leaves, &ports)];
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

fn not_at_leaves(
    network: &Network,
    levels: &Levels,
    ports: &HostPorts<'_>,
    put_right: &BTreeMap<HostId, Endpoint>,
) -> Option<String> {
    let stray = network.host_ids().filter(|id| !put_right.contains_key(id)).map(|id| network.host(id));
    let stray = stray.filter(|host| levels.level(host.switch) != 0);
    let names: Vec<String> =
        stray.map(|host| format!("{} at {}", host.name, network.switch(host.switch).name)).collect();
    match names.as_slice() {
        [] => None,
        [only] => {
            let empty = ports.only_empty().map(|end| format!("{}:{}", network.name(end.node), end.port));
            let empty = empty.map_or(String::new(), |port| {
                format!("; {port} is the only empty port of a leaf in which others have a host")
            });
            Some(format!("one host is not at a leaf of the fat tree, as all others are: {only}{empty}"))
        }
        _ => Some(format!("{} hosts are not at leaves of the fat tree: {}", names.len(), listed(&names))),
    }
}

/// The ports may show which host is at a wrong leaf. That some leaves have as many too many as others lack does: a leaf
/// that is only half full lacks hosts that no other has.
fn unequal_leaves(network: &Network, leaves: &[(SwitchId, u32)], ports: &HostPorts<'_>) -> Option<String> {
    let unequal = Unequal::of(leaves)?;
    let names: Vec<String> = unequal
        .leaves
        .iter()
        .map(|(id, hosts)| format!("{} has {hosts}", network.switch(*id).name))
        .collect();
    let which = match unequal.astray(ports) {
        Some((id, to)) => {
            let host = network.host(id);
            format!(
                "{} in {}:{}, where no other leaf has a host, should probably be in {}:{}, which is empty",
                host.name,
                network.switch(host.switch).name,
                host.port,
                network.name(to.node),
                to.port
            )
        }
        None => "hosts may be at a wrong leaf".to_owned(),
    };
    Some(format!(
        "leaves have unequal numbers of hosts, where others have {}: {}; {which}",
        unequal.usual,
        listed(&names)
    ))
}
