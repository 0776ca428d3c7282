//! AN1's Floors and Floors+: a building's switches, floor by floor.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_hosts};
use crate::graph::builder::NetworkBuilder;
use crate::graph::{HostId, Network, Node, Role, SwitchId};

/// AN1's Floors (section 2.3, Figures 3 and 4): on each of four floors, four arm switches with the hosts, each linked
/// to both of two centre switches; the centres of different floors are linked in a pattern.
///
/// Switch `f2c1` is a centre of floor 2, `f2a3` an arm. The first host on each of the first two arms of a floor is a
/// server. The smallest uid is that of `f0c0`.
///
/// Floors+ also has a link between the two centres of each floor, which carries no traffic itself. It moves the second
/// centre of the root's floor to level 1, so that traffic can pass that centre (SRC 88, section 3.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Floors {
    /// Which centre switches are linked. Figure 4, which shows them, is lost; three interpretations agree with the
    /// text. Default "full".
    pub interconnect: Interconnect,
    /// Hosts at each arm. Default 5.
    pub hosts_per_arm: u32,
}

/// How the centre switches of different floors are linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interconnect {
    /// Every centre to the six centres of the other floors.
    #[default]
    Full,
    /// Both centres of a floor to both of the next, and those of the last floor to those of the first. Then one of the
    /// two paths between the two floors next to the root's is illegal on Floors+ too, although the paper says that all
    /// shortest paths are legal there (SRC 88, section 3.2).
    Ring,
    /// Both centres of a floor to both of the next.
    Line,
}

/// The floors.
const FLOORS: usize = 4;
/// The arms of a floor.
const ARMS: usize = 4;
/// The arms of a floor that have a server.
const ARMS_WITH_SERVER: usize = 2;
/// How far apart floors are drawn.
const FLOOR_SPACING: f64 = 7.0;

impl Default for Floors {
    fn default() -> Self {
        Self { interconnect: Interconnect::Full, hosts_per_arm: 5 }
    }
}

impl Interconnect {
    /// Whether the centres of these two floors are linked.
    fn links(self, low: usize, high: usize) -> bool {
        match self {
            Self::Full => true,
            Self::Ring => high - low == 1 || high - low == FLOORS - 1,
            Self::Line => high - low == 1,
        }
    }
}

impl Floors {
    pub(crate) fn floors(&self) -> Result<Network, Vec<Problem>> {
        self.build(false)
    }

    pub(crate) fn floors_plus(&self) -> Result<Network, Vec<Problem>> {
        self.build(true)
    }

    fn build(&self, centres_joined: bool) -> Result<Network, Vec<Problem>> {
        let Self { interconnect, hosts_per_arm } = *self;
        let mut checks = Checks::default();
        // An arm's first host may be a server: it must have one.
        checks.range("hosts_per_arm", hosts_per_arm, 1, 10_000);
        checks.passed()?;
        let mut builder = NetworkBuilder::new();
        let centres: Vec<[SwitchId; 2]> = (0..FLOORS)
            .map(|floor| {
                [0u8, 1].map(|c| place(&mut builder, format!("f{floor}c{c}"), floor, f64::from(c) + 1.0, 0.0))
            })
            .collect();
        let mut servers = Vec::new();
        for (floor, centres) in centres.iter().enumerate() {
            for a in 0..ARMS {
                let arm =
                    place(&mut builder, format!("f{floor}a{a}"), floor, a as f64, outwards(floor) * 1.5);
                for &centre in centres {
                    builder.add_link(centre, arm, None, None);
                }
                if a < ARMS_WITH_SERVER {
                    servers.push(HostId::new(builder.host_count()));
                }
                attach_hosts(&mut builder, &[arm], hosts_per_arm);
            }
        }
        for low in 0..FLOORS {
            for high in (low + 1..FLOORS).filter(|high| interconnect.links(low, *high)) {
                for a in centres[low] {
                    for b in centres[high] {
                        builder.add_link(a, b, None, None);
                    }
                }
            }
        }
        if centres_joined {
            for [a, b] in centres {
                builder.add_link(a, b, None, None);
            }
        }
        let mut network = builder.build().expect("every pattern joins all floors");
        network.set_roles(|id| if servers.contains(&id) { Role::Server } else { Role::Client });
        Ok(network)
    }
}

/// Floors are drawn as four blocks, arms outside.
fn outwards(floor: usize) -> f64 {
    if floor < 2 { -1.0 } else { 1.0 }
}

fn place(builder: &mut NetworkBuilder, name: String, floor: usize, x: f64, y: f64) -> SwitchId {
    let switch = builder.add_switch(name);
    let (column, row) = ((floor % 2) as f64, (floor / 2) as f64);
    builder.place(Node::Switch(switch), x + FLOOR_SPACING * column, y + 3.0 * row);
    switch
}
