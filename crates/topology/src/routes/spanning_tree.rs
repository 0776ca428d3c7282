//! The spanning tree of up*/down*: the way of packets for several hosts.

use crate::graph::{Network, Port, SwitchId};

use super::Routes;

/// The spanning tree on which up*/down* orients the links: every switch but the root has a parent.
///
/// The parent is the neighbour one level higher with the smallest uid, by the link of the smallest port (AN1's tree
/// positions are compared in this order: Schroeder et al. 1991, section on reconfiguration).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanningTree {
    /// The port of each switch that leads to its parent; nothing for the root.
    parents: Vec<Option<Port>>,
    /// The ports of each switch that lead to its children, in the order of their numbers, with the child.
    children: Vec<Vec<(Port, SwitchId)>>,
    /// All switches, each after its children.
    upwards: Vec<SwitchId>,
}

impl SpanningTree {
    /// The port that leads to the parent; nothing at the root.
    #[must_use]
    pub fn parent(&self, switch: SwitchId) -> Option<Port> {
        self.parents[switch.index()]
    }

    /// The ports that lead to children, in the order of their numbers, each with the child.
    #[must_use]
    pub fn children(&self, switch: SwitchId) -> &[(Port, SwitchId)] {
        &self.children[switch.index()]
    }

    /// All switches, each after its children: the root comes last.
    #[must_use]
    pub fn upwards(&self) -> &[SwitchId] {
        &self.upwards
    }
}

impl Routes {
    /// The spanning tree of these routes; nothing where they have no root or several.
    #[must_use]
    pub fn spanning_tree(&self, network: &Network) -> Option<SpanningTree> {
        let root = self.root()?;
        let level = |id: SwitchId| self.level(id);
        let mut parents = vec![None; network.switches().len()];
        let mut children = vec![Vec::new(); network.switches().len()];
        for switch in network.switch_ids().filter(|id| *id != root) {
            let above = network.neighbours(switch).filter(|&(_, _, far, _)| level(far) < level(switch));
            let nearest = above.min_by_key(|&(port, _, far, _)| (level(far), network.switch(far).uid, port));
            let (port, _, parent, far_port) = nearest.expect("every switch but the root has one above it");
            parents[switch.index()] = Some(port);
            children[parent.index()].push((far_port, switch));
        }
        children.iter_mut().for_each(|ports: &mut Vec<_>| ports.sort_unstable());
        let mut upwards: Vec<SwitchId> = network.switch_ids().collect();
        upwards.sort_by_key(|id| std::cmp::Reverse(level(*id)));
        Some(SpanningTree { parents, children, upwards })
    }
}

#[cfg(test)]
mod tests {
    use crate::RoutingRule;
    use crate::graph::NetworkBuilder;

    use super::*;

    #[test]
    fn a_parent_is_one_level_higher_and_the_first_of_several() {
        // A square with a diagonal: d hangs below b and c and twice from b; the link b - c is no part of the tree.
        let mut builder = NetworkBuilder::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| builder.add_switch(name));
        for (one, other) in [(a, b), (a, c), (c, d), (b, c), (b, d), (b, d)] {
            builder.add_link(one, other, None, None);
        }
        let network = builder.build().expect("a network");
        let up_down = RoutingRule::UpDown { roots: vec!["a".to_owned()] };
        let tree =
            Routes::compute(&network, &up_down).expect("routes").spanning_tree(&network).expect("a tree");
        assert_eq!([a, b, c, d].map(|id| tree.parent(id)), [None, Some(0), Some(0), Some(1)]);
        assert_eq!(tree.children(a), [(0, b), (1, c)]);
        assert_eq!(tree.children(b), [(2, d)]);
        assert_eq!([c, d].map(|id| tree.children(id).len()), [0, 0]);
        assert_eq!((tree.upwards()[0], tree.upwards()[3]), (d, a));
        let shortest = Routes::compute(&network, &RoutingRule::Shortest).expect("routes");
        assert_eq!(shortest.spanning_tree(&network), None);
    }
}
