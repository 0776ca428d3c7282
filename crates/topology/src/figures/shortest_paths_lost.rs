//! How much of the shortest paths a routing rule forbids.

use serde::Serialize;

use super::demand::{Demand, Talk};
use crate::graph::Network;
use crate::routes::Routes;
use crate::routes::walk::{RouteWalk, State};

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
        let mut walk = RouteWalk::new(network, legal);
        let mut shortest_walk = RouteWalk::new(network, shortest);
        let mut fewer = vec![false; walk.state_count()];
        for to in walk.sources().to_vec() {
            walk.towards(to);
            shortest_walk.towards(to);
            for &state in walk.order().iter().rev() {
                let all = shortest_walk.ports(State { phase: 0, ..state });
                let mut next = walk.next(state);
                fewer[walk.index(state)] =
                    walk.ports(state) != all || next.any(|next| next.switch != to && fewer[walk.index(next)]);
            }
            for &from in walk.sources().iter().filter(|from| **from != to && talk.pairs(**from, to) > 0) {
                let start = State { switch: from, phase: 0 };
                lost.pairs += 1;
                if walk.distance(start) > shortest_walk.distance(start) {
                    lost.longer += 1;
                } else if fewer[walk.index(start)] {
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
