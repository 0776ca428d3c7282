//! Single points of failure: nodes and links whose failure alone cuts a network in parts.

use std::collections::BTreeMap;

use petgraph::algo::articulation_points::articulation_points;
use petgraph::graph::{NodeIndex, UnGraph};
use serde::Serialize;

/// The nodes and links without which those that are left fall apart, whatever the routes.
///
/// They are the articulation points of a graph in which links are nodes as well, so that none of two parallel cables
/// counts.
///
/// Method: R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2), 1972.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SinglePoints {
    /// The nodes' names, in the network's order.
    pub nodes: Vec<String>,
    /// The names at both ends of the links, in the network's order.
    pub links: Vec<[String; 2]>,
}

impl SinglePoints {
    /// Those of a network of these nodes, and links between them. Panics where a link ends nowhere.
    #[must_use]
    pub fn of<'a>(
        nodes: impl IntoIterator<Item = &'a str>,
        links: impl IntoIterator<Item = [&'a str; 2]>,
    ) -> Self {
        let mut graph = UnGraph::<(), ()>::default();
        let nodes: Vec<(&str, NodeIndex)> =
            nodes.into_iter().map(|name| (name, graph.add_node(()))).collect();
        let by_name: BTreeMap<&str, NodeIndex> = nodes.iter().copied().collect();
        let mut ways = Vec::new();
        for ends in links {
            let way = graph.add_node(());
            for end in ends {
                graph.add_edge(way, by_name[end], ());
            }
            ways.push((ends, way));
        }
        let points = articulation_points(&graph);
        let nodes = nodes.into_iter().filter(|(_, node)| points.contains(node));
        let ways = ways.into_iter().filter(|(_, way)| points.contains(way));
        Self {
            nodes: nodes.map(|(name, _)| name.to_owned()).collect(),
            links: ways.map(|(ends, _)| ends.map(str::to_owned)).collect(),
        }
    }
}
