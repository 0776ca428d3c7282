//! How much of the shortest paths a routing rule forbids.

use serde::Serialize;

use crate::demand::{Demand, Talk};
use crate::graph::Network;
use crate::reach::{Reach, State};
use crate::routes::Routes;

/// What a rule takes from the shortest paths between switches that have hosts, over ordered pairs of different ones
/// whose hosts talk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShortestPathsLost {
    /// All such pairs.
    pub pairs: u64,
    /// Pairs whose legal routes are longer than the shortest path.
    pub longer: u64,
    /// Pairs of the shortest length that may take only some of the shortest paths.
    pub fewer: u64,
}

impl ShortestPathsLost {
    /// Compares legal routes of a network with all shortest paths of the same network.
    #[must_use]
    pub fn new(network: &Network, legal: &Routes, shortest: &Routes, demand: Demand) -> Self {
        let talk = Talk::new(network, demand);
        let mut lost = Self::default();
        let mut reach = Reach::new(network, legal);
        let mut shortest_reach = Reach::new(network, shortest);
        let mut fewer = vec![false; reach.state_count()];
        for to in reach.sources().to_vec() {
            reach.towards(to);
            shortest_reach.towards(to);
            for &state in reach.order().iter().rev() {
                let all = shortest_reach.ports(State { phase: 0, ..state });
                let mut next = reach.next(state);
                fewer[reach.index(state)] = reach.ports(state) != all
                    || next.any(|next| next.switch != to && fewer[reach.index(next)]);
            }
            for &from in reach.sources().iter().filter(|from| **from != to && talk.pairs(**from, to) > 0) {
                let start = State { switch: from, phase: 0 };
                lost.pairs += 1;
                if reach.distance(start) > shortest_reach.distance(start) {
                    lost.longer += 1;
                } else if fewer[reach.index(start)] {
                    lost.fewer += 1;
                }
            }
        }
        lost
    }

    /// Whether every shortest path is legal.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.longer == 0 && self.fewer == 0
    }
}
