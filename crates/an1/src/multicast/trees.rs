//! The path of packets for several hosts: up the spanning tree to the root, then down to all hosts of their group.

use hopscope_topology::{HostId, Network, Port, SpanningTree, SwitchId};

/// A port by which a packet goes down, to a child on the tree or to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub port: Port,
    /// The number of hosts of the group that it leads to.
    pub hosts: u32,
    /// The host at its end, if it does not lead to a switch.
    pub host: Option<u32>,
}

/// The ports by which a packet leaves a switch, all at once.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way<'a> {
    /// To the parent.
    Up(Port),
    /// Down all branches with hosts of the group, in the order of ports.
    Down(&'a [Branch]),
}

/// The trees of all groups. They share the path up, which AN1's forwarding table recognises by the input port.
#[derive(Debug)]
pub(crate) struct Trees {
    tree: SpanningTree,
    /// By group and switch.
    branches: Vec<Vec<Vec<Branch>>>,
}

impl Trees {
    /// The trees of these groups of hosts.
    pub fn new(network: &Network, tree: SpanningTree, groups: &[Vec<HostId>]) -> Self {
        let branches = groups.iter().map(|group| branches(network, &tree, group)).collect();
        Self { tree, branches }
    }

    /// The path of a packet for a group that came to a switch by a port. A packet that came down, from the parent,
    /// continues down; at the root every packet turns, also to where it came from.
    pub fn way(&self, group: u16, switch: u32, came_by: Port) -> Way<'_> {
        match self.tree.parent(SwitchId::new(switch as usize)) {
            Some(parent) if parent != came_by => Way::Up(parent),
            _ => Way::Down(&self.branches[usize::from(group)][switch as usize]),
        }
    }
}

/// The branches of each switch that lead to hosts of a group.
fn branches(network: &Network, tree: &SpanningTree, group: &[HostId]) -> Vec<Vec<Branch>> {
    let mut branches: Vec<Vec<Branch>> = vec![Vec::new(); network.switches().len()];
    for &id in group {
        let host = network.host(id);
        let branch = Branch { port: host.port, hosts: 1, host: Some(id.index() as u32) };
        branches[host.switch.index()].push(branch);
    }
    for &switch in tree.upwards() {
        let below = tree.children(switch).iter().map(|&(port, child)| {
            let hosts = branches[child.index()].iter().map(|branch| branch.hosts).sum();
            Branch { port, hosts, host: None }
        });
        let below: Vec<Branch> = below.filter(|branch| branch.hosts > 0).collect();
        branches[switch.index()].extend(below);
        branches[switch.index()].sort_unstable_by_key(|branch| branch.port);
    }
    branches
}

#[cfg(test)]
mod tests {
    use hopscope_topology::{NetworkBuilder, Role, Routes, RoutingRule};

    use super::*;

    #[test]
    fn a_packet_climbs_to_the_root_and_goes_down_where_its_group_is() {
        // A row a - r - b - c with the root r, a host on each; no member of c's group is on a.
        let mut builder = NetworkBuilder::new();
        let [r, a, b, c] = ["r", "a", "b", "c"].map(|name| builder.add_switch(name));
        for (one, other) in [(a, r), (r, b), (b, c)] {
            builder.add_link(one, other, None, None);
        }
        for switch in [r, a, b, c] {
            builder.add_host(format!("h{}", switch.index()), switch, Role::Any);
        }
        let network = builder.build().expect("a row");
        let routes = Routes::compute(&network, &RoutingRule::UpDown { roots: vec!["r".into()] });
        let tree = routes.expect("routes").spanning_tree(&network).expect("one root");
        let trees = Trees::new(&network, tree, &[[r, b, c].map(|id| HostId::new(id.index())).into()]);
        let way = |switch: SwitchId, came_by| match trees.way(0, switch.index() as u32, came_by) {
            Way::Up(port) => (Some(port), Vec::new()),
            Way::Down(branches) => (None, branches.iter().map(|b| (b.port, b.hosts, b.host)).collect()),
        };
        // From its own host, and from below, up; at the root and from above, down.
        assert_eq!(way(c, 1), (Some(0), vec![]));
        assert_eq!(way(b, 1), (Some(0), vec![]));
        assert_eq!(way(r, 1), (None, vec![(1, 2, None), (2, 1, Some(0))]));
        assert_eq!(way(b, 0), (None, vec![(1, 1, None), (2, 1, Some(2))]));
        assert_eq!(way(c, 0), (None, vec![(1, 1, Some(3))]));
        assert_eq!(way(a, 0), (None, vec![]));
    }
}
