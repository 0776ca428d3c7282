//! Hypercubes.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::cube::Cube;
use crate::graph::{Network, Node};

/// 2^d switches, each linked to those whose number differs from its own in one bit. The defaults are AN1's Hypercube.
///
/// Switch `s01101` has that binary number; `s00000` has the smallest uid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hypercube {
    /// The number of dimensions d. Default 5.
    pub dimensions: u32,
    /// Hosts at each switch. Default 3.
    pub hosts_per_switch: u32,
    /// How many hosts are servers; all others are then clients. 0: any host talks to any. Default 9.
    pub servers: u32,
    /// Where the servers are: 0 (the default) spreads them evenly, any other number draws their switches at random.
    pub placement_seed: u64,
}

impl Default for Hypercube {
    fn default() -> Self {
        Self { dimensions: 5, hosts_per_switch: 3, servers: 9, placement_seed: 0 }
    }
}

/// How each dimension shifts a switch in the drawing: the first three make a cube seen from a corner, the others move
/// copies of it.
const SHIFTS: [(f64, f64); 8] =
    [(1.0, 0.0), (0.0, 1.0), (0.45, -0.4), (2.6, 0.3), (0.3, 2.8), (6.2, 0.6), (0.6, 6.6), (13.4, 1.2)];

impl Hypercube {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let Self { dimensions, hosts_per_switch, servers, placement_seed } = *self;
        let mut checks = Checks::default();
        checks.range("dimensions", dimensions, 0, 15);
        let switches = 1 << dimensions.min(32);
        checks.size(switches, &[("hosts_per_switch", hosts_per_switch, switches)], servers);
        checks.passed()?;
        let count = 1usize << dimensions;
        let mut builder = NetworkBuilder::new();
        let mut switches = Vec::with_capacity(count);
        for number in 0..count {
            let switch = builder.add_switch(format!("s{number:0width$b}", width = dimensions as usize));
            let set = (0..dimensions as usize).filter(|bit| number >> bit & 1 == 1);
            let shift = |bit: usize| {
                let doubled = f64::from(1u32 << (bit / SHIFTS.len() * 4));
                let (x, y) = SHIFTS[bit % SHIFTS.len()];
                (x * doubled, y * doubled)
            };
            let (x, y) = set.map(shift).fold((0.0, 0.0), |(x, y), (dx, dy)| (x + dx, y + dy));
            builder.place(Node::Switch(switch), x, y);
            switches.push(switch);
        }
        for number in 0..count {
            for bit in 0..dimensions {
                let other = number ^ (1 << bit);
                if other > number {
                    builder.add_link(switches[number], switches[other], None, None);
                }
            }
        }
        attach_hosts(&mut builder, &switches, hosts_per_switch);
        let mut network = finish(builder, servers, placement_seed);
        network.cube = Some(Cube { sides: vec![2; dimensions as usize], wraps: false });
        Ok(network)
    }
}
