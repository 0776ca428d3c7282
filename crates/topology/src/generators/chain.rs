//! A line or a ring of switches.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::cube::Cube;
use crate::graph::drawing::on_circle;
use crate::graph::{Network, Node};

/// Switches in a row: a line (tandem) or a ring. Switch `s0` is the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Chain {
    /// The number of switches. Default 5.
    pub switches: u32,
    /// Hosts at each switch. Default 1.
    pub hosts_per_switch: u32,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 0.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    pub placement_seed: u64,
}

impl Default for Chain {
    fn default() -> Self {
        Self { switches: 5, hosts_per_switch: 1, servers: 0, placement_seed: 0 }
    }
}

impl Chain {
    pub(crate) fn line(&self) -> Result<Network, Vec<Problem>> {
        self.build(1, false)
    }

    pub(crate) fn ring(&self) -> Result<Network, Vec<Problem>> {
        self.build(3, true)
    }

    fn build(&self, least: u32, closed: bool) -> Result<Network, Vec<Problem>> {
        let Self { switches: count, hosts_per_switch, servers, placement_seed } = *self;
        let mut checks = Checks::default();
        checks.range("switches", count, least, 65_534);
        checks.size(count.into(), &[("hosts_per_switch", hosts_per_switch, count.into())], servers);
        checks.passed()?;
        let mut builder = NetworkBuilder::new();
        let mut switches = Vec::with_capacity(count as usize);
        for i in 0..count {
            let switch = builder.add_switch(format!("s{i}"));
            let (x, y) = if closed { on_circle(i, count, 1.0) } else { (f64::from(i), 0.0) };
            builder.place(Node::Switch(switch), x, y);
            switches.push(switch);
        }
        for pair in switches.windows(2) {
            builder.add_link(pair[0], pair[1], None, None);
        }
        if closed {
            builder.add_link(switches[switches.len() - 1], switches[0], None, None);
        }
        attach_hosts(&mut builder, &switches, hosts_per_switch);
        let mut network = finish(builder, servers, placement_seed);
        network.cube = Some(Cube { sides: vec![count], wraps: closed });
        Ok(network)
    }
}
