//! A mesh or a torus of switches.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::cube::Cube;
use crate::graph::{Network, Node};

/// A rectangular array of switches, with wraparound (torus) or without (mesh). The defaults are AN1's Torus (Table 1).
///
/// Switch `x3y1` is in column 3 of row 1. A side of length 2 has no wraparound, which would only double its links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Grid {
    /// Switches in a row. Default 5.
    pub width: u32,
    /// Switches in a column. Default 4.
    pub height: u32,
    /// Hosts at each switch. Default 4.
    pub hosts_per_switch: u32,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 8.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    pub placement_seed: u64,
}

impl Default for Grid {
    fn default() -> Self {
        Self { width: 5, height: 4, hosts_per_switch: 4, servers: 8, placement_seed: 0 }
    }
}

impl Grid {
    pub(crate) fn torus(&self) -> Result<Network, Vec<Problem>> {
        self.build(true)
    }

    pub(crate) fn mesh(&self) -> Result<Network, Vec<Problem>> {
        self.build(false)
    }

    fn build(&self, wraps: bool) -> Result<Network, Vec<Problem>> {
        let Self { width, height, hosts_per_switch, servers, placement_seed } = *self;
        let mut checks = Checks::default();
        checks.range("width", width, 1, 10_000);
        checks.range("height", height, 1, 10_000);
        let switches = u64::from(width) * u64::from(height);
        checks.size(switches, &[("hosts_per_switch", hosts_per_switch, switches)], servers);
        checks.passed()?;
        let mut builder = NetworkBuilder::new();
        let mut switches = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let switch = builder.add_switch(format!("x{x}y{y}"));
                builder.place(Node::Switch(switch), f64::from(x), f64::from(y));
                switches.push(switch);
            }
        }
        let at = |x: u32, y: u32| switches[(y * width + x) as usize];
        let next = |i: u32, side: u32| (i + 1 < side).then_some(i + 1).or((wraps && side > 2).then_some(0));
        for y in 0..height {
            for x in 0..width {
                if let Some(east) = next(x, width) {
                    builder.add_link(at(x, y), at(east, y), None, None);
                }
                if let Some(south) = next(y, height) {
                    builder.add_link(at(x, y), at(x, south), None, None);
                }
            }
        }
        attach_hosts(&mut builder, &switches, hosts_per_switch);
        let mut network = finish(builder, servers, placement_seed);
        network.cube = Some(Cube { sides: vec![width, height], wraps });
        Ok(network)
    }
}
