//! Ports of the leaves of a fat tree in which hosts are, and hosts that are in other ones.

use std::collections::BTreeMap;

use crate::anomalies::departures::{MOST, most_common};
use crate::family::Levels;
use crate::graph::{Endpoint, HostId, Network, Node, Port, SwitchId};

/// Which ports of leaves have hosts, and how many leaves have one in each.
pub(super) struct HostPorts<'a> {
    network: &'a Network,
    leaves: Vec<SwitchId>,
    with_host: BTreeMap<Port, usize>,
}

impl<'a> HostPorts<'a> {
    pub fn of(network: &'a Network, levels: &Levels) -> Self {
        Self::of_switches(network, network.switch_ids().filter(|id| levels.level(*id) == 0).collect())
    }

    /// The same where hosts may be at all of these switches.
    pub fn of_switches(network: &'a Network, leaves: Vec<SwitchId>) -> Self {
        let mut with_host = BTreeMap::new();
        for host in network.hosts().iter().filter(|host| leaves.binary_search(&host.switch).is_ok()) {
            *with_host.entry(host.port).or_default() += 1;
        }
        Self { network, leaves, with_host }
    }

    /// The only host of a switch that is in a port in which no other has a host, and some have a cable to a switch.
    pub fn in_port_of_a_cable(&self, switch: SwitchId) -> Option<HostId> {
        let of_switch = self.network.host_ids().filter(|id| self.network.host(*id).switch == switch);
        let is_odd = |id: &HostId| {
            let port = self.network.host(*id).port;
            self.others(switch, port) == 0 && self.leading_on(switch, port) > 0
        };
        let mut odd = of_switch.filter(is_odd);
        odd.next().filter(|_| odd.next().is_none())
    }

    /// How many of the other leaves have a cable to a switch in a port.
    fn leading_on(&self, leaf: SwitchId, port: Port) -> usize {
        let leads_on = |id: &SwitchId| {
            matches!(self.network.far_end(*id, port), Some(Endpoint { node: Node::Switch(_), .. }))
        };
        self.leaves.iter().filter(|id| **id != leaf && leads_on(id)).count()
    }

    /// How many of the other leaves have a host in a port.
    fn others(&self, switch: SwitchId, port: Port) -> usize {
        let own = matches!(self.network.far_end(switch, port), Some(Endpoint { node: Node::Host(_), .. }));
        self.with_host.get(&port).copied().unwrap_or(0) - usize::from(own)
    }

    /// Whether most other leaves have a host in the port of this leaf.
    pub fn are_usual(&self, end: Endpoint) -> bool {
        let Node::Switch(leaf) = end.node else { return false };
        self.leaves.contains(&leaf)
            && self.others(leaf, end.port) as f64 > MOST * (self.leaves.len() - 1) as f64
    }

    /// Whether a switch has more hosts than most leaves, or is none: in a fabric whose file numbers no ports, a host is
    /// in the port of a cable wherever that is missing.
    pub fn has_more_than_most(&self, switch: SwitchId) -> bool {
        let hosts = self.network.hosts_per_switch();
        let most = most_common(self.leaves.iter().map(|leaf| hosts[leaf.index()]));
        !self.leaves.contains(&switch) || most.is_some_and(|(most, _)| hosts[switch.index()] > most)
    }

    /// The empty ports of a leaf in which most others have a host.
    pub fn empty(&self, leaf: SwitchId) -> Vec<Port> {
        let is_empty = |port: &Port| self.network.far_end(leaf, *port).is_none();
        let ports = self.with_host.keys().copied().filter(is_empty);
        ports.filter(|port| self.are_usual(Endpoint::switch(leaf, *port))).collect()
    }

    /// The hosts of a leaf in ports in which no other leaf has one; none where its cables up are in other ports than
    /// those of most, so that its ports determine nothing.
    pub fn alone(&self, leaf: SwitchId) -> Vec<HostId> {
        let is_usual =
            |port: Port| self.leading_on(leaf, port) as f64 > MOST * (self.leaves.len() - 1) as f64;
        if !self.network.neighbours(leaf).all(|(port, ..)| is_usual(port)) {
            return Vec::new();
        }
        let of_leaf = self.network.host_ids().filter(|id| self.network.host(*id).switch == leaf);
        of_leaf.filter(|id| self.others(leaf, self.network.host(*id).port) == 0).collect()
    }

    /// The only empty port of all leaves in which most others have a host.
    pub fn only_empty(&self) -> Option<Endpoint> {
        let empty = |leaf: &SwitchId| {
            let leaf = *leaf;
            self.empty(leaf).into_iter().map(move |port| Endpoint::switch(leaf, port))
        };
        let mut empty = self.leaves.iter().flat_map(empty);
        empty.next().filter(|_| empty.next().is_none())
    }
}

/// Leaves with other numbers of hosts than most, some with as many too many as others lack.
pub(super) struct Unequal {
    /// How many most have.
    pub usual: u32,
    /// The leaves with other numbers.
    pub leaves: Vec<(SwitchId, u32)>,
}

impl Unequal {
    /// Nothing where some lack hosts that no other has: a leaf that is only half full.
    pub fn of(leaves: &[(SwitchId, u32)]) -> Option<Self> {
        let (usual, times) = most_common(leaves.iter().map(|(_, hosts)| *hosts))?;
        let more: u32 = leaves.iter().map(|(_, hosts)| hosts.saturating_sub(usual)).sum();
        let fewer: u32 = leaves.iter().map(|(_, hosts)| usual.saturating_sub(*hosts)).sum();
        let are_few = (times as f64) >= MOST * leaves.len() as f64 && more == fewer && more > 0;
        let unequal = leaves.iter().copied().filter(|(_, hosts)| *hosts != usual).collect();
        are_few.then_some(Self { usual, leaves: unequal })
    }

    /// The host that is at a wrong leaf, and the port that it should be in: one leaf has one too many, in a port in
    /// which no other leaf has a host, and one lacks one, in a port in which most others have one.
    pub fn astray(&self, ports: &HostPorts<'_>) -> Option<(HostId, Endpoint)> {
        let [one, other] = self.leaves[..] else { return None };
        let (more, fewer) = if one.1 > other.1 { (one, other) } else { (other, one) };
        match (&ports.alone(more.0)[..], &ports.empty(fewer.0)[..]) {
            ([host], [port]) if more.1 == self.usual + 1 => Some((*host, Endpoint::switch(fewer.0, *port))),
            _ => None,
        }
    }
}

/// How many hosts each leaf has, once these are where they belong.
pub(super) fn of_leaves(
    network: &Network,
    levels: &Levels,
    put_right: &BTreeMap<HostId, Endpoint>,
) -> Vec<(SwitchId, u32)> {
    let mut hosts = network.hosts_per_switch();
    for (id, to) in put_right {
        if let Node::Switch(leaf) = to.node {
            hosts[network.host(*id).switch.index()] -= 1;
            hosts[leaf.index()] += 1;
        }
    }
    network.switch_ids().filter(|id| levels.level(*id) == 0).map(|id| (id, hosts[id.index()])).collect()
}
