//! A star: switches around a central one.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::drawing::on_circle;
use crate::graph::{Network, Node};

/// A central switch, `hub`, and switches `s0`, `s1` and so on, each linked to it. The hub has the smallest uid. Without
/// arms the network is a single switch with its hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Star {
    /// Switches around the hub. Default 4.
    pub arms: u32,
    /// Hosts at each arm. Default 1.
    pub hosts_per_arm: u32,
    /// Hosts at the hub. Default 0.
    pub hosts_at_hub: u32,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 0.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    pub placement_seed: u64,
}

impl Default for Star {
    fn default() -> Self {
        Self { arms: 4, hosts_per_arm: 1, hosts_at_hub: 0, servers: 0, placement_seed: 0 }
    }
}

impl Star {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let Self { arms, hosts_per_arm, hosts_at_hub, servers, placement_seed } = *self;
        let mut checks = Checks::default();
        checks.range("arms", arms, 0, 30_000);
        let hosts = [("hosts_per_arm", hosts_per_arm, arms.into()), ("hosts_at_hub", hosts_at_hub, 1)];
        checks.size(1 + u64::from(arms), &hosts, servers);
        checks.passed()?;
        let mut builder = NetworkBuilder::new();
        let hub = builder.add_switch("hub");
        builder.place(Node::Switch(hub), 0.0, 0.0);
        let mut switches = Vec::with_capacity(arms as usize);
        for i in 0..arms {
            let switch = builder.add_switch(format!("s{i}"));
            let (x, y) = on_circle(i, arms, 1.0);
            builder.place(Node::Switch(switch), x, y);
            builder.add_link(hub, switch, None, None);
            switches.push(switch);
        }
        attach_hosts(&mut builder, &[hub], hosts_at_hub);
        attach_hosts(&mut builder, &switches, hosts_per_arm);
        Ok(finish(builder, servers, placement_seed))
    }
}
