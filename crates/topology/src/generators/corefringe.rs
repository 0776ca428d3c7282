//! AN1's Corefringe: a core of switches, and a fringe with the hosts.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::{Network, Node};

/// The core's switches; the fringe is in as many groups.
const CORE: usize = 8;
/// The fringe switches of a group: two in the even ones, three in the odd ones.
const GROUP_SIZES: [usize; CORE] = [2, 3, 2, 3, 2, 3, 2, 3];

/// AN1's Corefringe (section 2.3, Figure 1): 8 core switches, 20 fringe switches with the hosts, and a root.
///
/// A fringe switch of group i is linked to the core switches i - 1, i, i + 1 and i + 4, modulo 8. The switch `root` is
/// linked to every core switch and has the smallest uid, which makes all shortest paths legal. No traffic passes it,
/// and Table 1's 28 switches do not include it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Corefringe {
    /// Hosts at each fringe switch. Default 4.
    pub hosts_per_switch: u32,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 8.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    pub placement_seed: u64,
}

impl Default for Corefringe {
    fn default() -> Self {
        Self { hosts_per_switch: 4, servers: 8, placement_seed: 0 }
    }
}

impl Corefringe {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let Self { hosts_per_switch, servers, placement_seed } = *self;
        let fringes: usize = GROUP_SIZES.iter().sum();
        let mut checks = Checks::default();
        checks.size(1, &[("hosts_per_switch", hosts_per_switch, fringes as u64)], servers);
        checks.passed()?;
        let mut builder = NetworkBuilder::new();
        // Added first, the root has the smallest uid.
        let root = builder.add_switch("root");
        builder.place(Node::Switch(root), 0.5 * fringes as f64, 0.0);
        let mut core = Vec::with_capacity(CORE);
        for i in 0..CORE {
            let switch = builder.add_switch(format!("core{i}"));
            let x = (i as f64 + 0.5) * fringes as f64 / CORE as f64;
            builder.place(Node::Switch(switch), x, 2.0);
            builder.add_link(root, switch, None, None);
            core.push(switch);
        }
        let mut fringe = Vec::with_capacity(fringes);
        for (group, &size) in GROUP_SIZES.iter().enumerate() {
            for _ in 0..size {
                let switch = builder.add_switch(format!("fringe{}", fringe.len()));
                builder.place(Node::Switch(switch), fringe.len() as f64 + 0.5, 5.0);
                for step in [CORE - 1, 0, 1, 4] {
                    builder.add_link(core[(group + step) % CORE], switch, None, None);
                }
                fringe.push(switch);
            }
        }
        attach_hosts(&mut builder, &fringe, hosts_per_switch);
        Ok(finish(builder, servers, placement_seed))
    }
}
