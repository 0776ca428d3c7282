//! Dragonflies of the largest size.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::drawing::on_circle;
use crate::graph::{Network, Node, SwitchId};

/// A dragonfly of maximum size (Kim, Dally, Scott and Abts, ISCA 2008). Each router is linked to every other router of
/// its group. One link joins any two groups, in the palm-tree arrangement.
///
/// Router `g2r1` is router 1 of group 2. There are routers * global_links + 1 groups; link l of a group (router l /
/// global_links) leads to the group l + 1 places before it. A balanced dragonfly has routers = 2 * hosts = 2 *
/// global_links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dragonfly {
    /// Routers in a group, known as a. Default 4.
    pub routers: u32,
    /// Hosts at each router, known as p. Default 2.
    pub hosts_per_router: u32,
    /// Links of each router to other groups, known as h. Default 2.
    pub global_links: u32,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 0.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    pub placement_seed: u64,
}

impl Default for Dragonfly {
    fn default() -> Self {
        Self { routers: 4, hosts_per_router: 2, global_links: 2, servers: 0, placement_seed: 0 }
    }
}

impl Dragonfly {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let Self { routers, hosts_per_router, global_links, servers, placement_seed } = *self;
        let mut checks = Checks::default();
        checks.range("routers", routers, 1, 256);
        checks.range("global_links", global_links, 1, 256);
        let groups = u64::from(routers) * u64::from(global_links) + 1;
        let switches = groups.saturating_mul(routers.into());
        checks.size(switches, &[("hosts_per_router", hosts_per_router, switches)], servers);
        checks.passed()?;
        let groups = groups as u32;
        let mut builder = NetworkBuilder::new();
        let mut group_routers: Vec<Vec<SwitchId>> = Vec::with_capacity(groups as usize);
        for group in 0..groups {
            let (x, y) = on_circle(group, groups, f64::from(routers));
            let place = |r: u32| {
                let router = builder.add_switch(format!("g{group}r{r}"));
                let (dx, dy) = on_circle(r, routers, 1.0);
                builder.place(Node::Switch(router), x + dx, y + dy);
                router
            };
            group_routers.push((0..routers).map(place).collect());
        }
        for members in &group_routers {
            for (i, &a) in members.iter().enumerate() {
                for &b in &members[i + 1..] {
                    builder.add_link(a, b, None, None);
                }
            }
        }
        for group in 0..groups {
            for link in 0..groups - 1 {
                let other = (group + groups - 1 - link) % groups;
                // The far end of link l is link a h - 1 - l of the other group; the lower group adds it.
                if group < other {
                    let router =
                        |group: u32, link: u32| group_routers[group as usize][(link / global_links) as usize];
                    builder.add_link(router(group, link), router(other, groups - 2 - link), None, None);
                }
            }
        }
        attach_hosts(&mut builder, &group_routers.concat(), hosts_per_router);
        Ok(finish(builder, servers, placement_seed))
    }
}
