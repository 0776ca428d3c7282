//! Networks with dimensions: what dimension-order routes need to know.

use crate::graph::{Network, Port, SwitchId};

/// The arrangement of a mesh, a torus or a hypercube: the k-ary n-cubes of Dally and Seitz (IEEE Trans. Computers
/// 1987), with sides of their own.
///
/// The number of a switch is its place along each dimension, as a number of mixed radix, the first dimension's digit
/// the lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    /// The switches along each dimension.
    pub sides: Vec<u32>,
    /// Whether the last switch along a dimension of more than two is linked to the first.
    pub wraps: bool,
}

/// The next hop of a dimension-order route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub to: SwitchId,
    /// The virtual channel of the link.
    pub lane: u16,
}

/// The shortest ring in which a packet can hold one of its links and wait for the next: in one of three, every route is
/// one hop.
const SHORTEST_RING: u32 = 4;

impl Cube {
    /// How many virtual channels a link needs to break the cycles: 2 where a ring is long enough to have one, else 1.
    pub(crate) fn lanes(&self) -> u16 {
        let ring = self.wraps && self.sides.iter().any(|&side| side >= SHORTEST_RING);
        if ring { 2 } else { 1 }
    }

    /// The next hop: along the first dimension in which the two differ, the shorter way round. Half-way round either
    /// way, switches of even place go up and the others down, so that the two directions share such traffic.
    ///
    /// The dateline of a ring lies between its last switch and its first. A packet that has still to cross it takes
    /// virtual channel 0, any other the last one: that is Dally and Seitz's rule of low and high channels for both
    /// directions.
    pub(crate) fn next(&self, from: SwitchId, to: SwitchId) -> Hop {
        let (mut here, mut there, mut stride) = (from.index() as u32, to.index() as u32, 1);
        for &side in &self.sides {
            let (at, goal) = (here % side, there % side);
            if at != goal {
                let ring = self.wraps && side > 2;
                let ahead = (goal + side - at) % side;
                let forward = match (2 * ahead).cmp(&side) {
                    _ if !ring => goal > at,
                    std::cmp::Ordering::Equal => at.is_multiple_of(2),
                    order => order.is_lt(),
                };
                let next = if forward { (at + 1) % side } else { (at + side - 1) % side };
                let crosses = ring && forward == (goal < at);
                let lane = if crosses { 0 } else { self.lanes() - 1 };
                let to = from.index() + (next * stride) as usize - (at * stride) as usize;
                return Hop { to: SwitchId::new(to), lane };
            }
            (here, there, stride) = (here / side, there / side, stride * side);
        }
        unreachable!("a packet at its destination makes no hop")
    }

    /// The port by which a switch reaches a neighbour.
    pub(crate) fn port(network: &Network, from: SwitchId, to: SwitchId) -> Port {
        let found = network.neighbours(from).find(|(_, _, far, _)| *far == to);
        found.expect("neighbours in a dimension are linked").0
    }
}
