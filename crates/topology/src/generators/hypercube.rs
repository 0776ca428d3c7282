//! Hypercubes.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::cube::Cube;
use crate::graph::{Network, Node};

/// 2^d switches; two are linked if their numbers differ in one bit. The defaults are AN1's Hypercube.
///
/// A switch is named by its binary number, such as `s01101`; `s00000` has the smallest uid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hypercube {
    /// The number of dimensions d. Default 5.
    pub dimensions: u32,
    /// Hosts at each switch. Default 3.
    pub hosts_per_switch: u32,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 9.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
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
