//! AN1's Mstage: a multi-stage network for clients and servers.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_row};
use crate::graph::builder::NetworkBuilder;
use crate::graph::{Network, Node, Role};

/// AN1's multi-stage network for clients and servers (SRC 88, section 2.3, Figure 2). The defaults are Mstage.
///
/// Each switch of level 0 has servers and a link to every switch of level 1. Each switch of level 2 has clients and
/// links to two different switches of level 1. Switch `l1s3` is the fourth of level 1. The smallest uid is at level 0:
/// a root at level 1 would make some shortest paths illegal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mstage {
    /// Switches at level 0. Default 4.
    pub level_0: u32,
    /// Switches at level 1. Default 4.
    pub level_1: u32,
    /// Switches at level 2. Default 16.
    pub level_2: u32,
    /// Servers at each switch of level 0. Default 2.
    pub servers_per_switch: u32,
    /// Clients at each switch of level 2. Default 5.
    pub clients_per_switch: u32,
    /// The two switches of level 1 that each switch of level 2 is linked to. Figure 2, which shows them, is lost; the
    /// choice hardly affects results. Default "neighbours".
    pub pairing: Pairing,
}

/// How Mstage links level 2 to level 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Switch i of level 2 to switches i and i + 1 of level 1, modulo their number.
    #[default]
    Neighbours,
    /// Switch i of level 2 to the i-th pair of level 1, in the repeated order 01, 02, 03, 12, 13, 23.
    AllPairs,
    /// The switches of level 1 in fixed pairs (0 with 1, 2 with 3), each pair serving an equal part of level 2.
    FixedPairs,
}

impl Default for Mstage {
    fn default() -> Self {
        let pairing = Pairing::Neighbours;
        Self { level_0: 4, level_1: 4, level_2: 16, servers_per_switch: 2, clients_per_switch: 5, pairing }
    }
}

impl Pairing {
    /// The two switches of level 1 that switch `i` of level 2 is linked to.
    fn of(self, i: u32, level_1: u32) -> [u32; 2] {
        match self {
            Self::Neighbours => [i % level_1, (i + 1) % level_1],
            Self::AllPairs => {
                let pairs = level_1 * (level_1 - 1) / 2;
                let mut pair = i % pairs;
                let mut first = 0;
                while pair >= level_1 - 1 - first {
                    pair -= level_1 - 1 - first;
                    first += 1;
                }
                [first, first + 1 + pair]
            }
            Self::FixedPairs => {
                let first = i % (level_1 / 2) * 2;
                [first, first + 1]
            }
        }
    }
}

impl Mstage {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let Self { level_0, level_1, level_2, servers_per_switch, clients_per_switch, pairing } = *self;
        let mut checks = Checks::default();
        checks.range("level_0", level_0, 1, 1_000);
        checks.range("level_1", level_1, 2, 1_000);
        checks.range("level_2", level_2, 1, 30_000);
        let even = pairing != Pairing::FixedPairs || level_1.is_multiple_of(2);
        checks.require(even, "level_1", format!("{level_1} switches do not form pairs"), "an even number");
        let switches = u64::from(level_0) + u64::from(level_1) + u64::from(level_2);
        let hosts = [
            ("clients_per_switch", clients_per_switch, level_2.into()),
            ("servers_per_switch", servers_per_switch, level_0.into()),
        ];
        checks.size(switches, &hosts, 0);
        checks.passed()?;

        let mut builder = NetworkBuilder::new();
        let levels = [level_0, level_1, level_2].into_iter().enumerate().map(|(level, count)| {
            let widest = level_0.max(level_1).max(level_2);
            let switches = (0..count).map(|i| {
                let switch = builder.add_switch(format!("l{level}s{i}"));
                let x = (f64::from(i) + 0.5) * f64::from(widest) / f64::from(count);
                builder.place(Node::Switch(switch), x, 2.0 * level as f64);
                switch
            });
            switches.collect::<Vec<_>>()
        });
        let levels: Vec<_> = levels.collect();
        for &a in &levels[0] {
            for &b in &levels[1] {
                builder.add_link(a, b, None, None);
            }
        }
        for (i, &c) in levels[2].iter().enumerate() {
            for b in pairing.of(i as u32, level_1) {
                builder.add_link(levels[1][b as usize], c, None, None);
            }
        }
        attach_row(&mut builder, &levels[0], servers_per_switch, Role::Server, -1.0);
        attach_row(&mut builder, &levels[2], clients_per_switch, Role::Client, 1.0);
        Ok(builder.build().expect("level 0 is linked to all of level 1, and level 2 to some of it"))
    }
}
