//! Fat trees of three tiers.

use hopscope_measure::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layout::{Checks, attach_row, finish};
use crate::graph::builder::NetworkBuilder;
use crate::graph::{Network, Node, Role, SwitchId};

/// A fat tree of switches with `radix` ports each (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008).
///
/// Three tiers: `radix` pods of radix/2 edge switches (`p0e0`) and radix/2 aggregation switches (`p0a0`), all linked
/// to one another, and (radix/2)^2 core switches (`core0`), each linked to every pod; radix^3/4 hosts. Two tiers
/// (leaf and spine): `radix` leaves (`leaf0`) each linked to all of radix/2 spines (`spine0`). The core or spine has
/// the smallest uids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FatTree {
    /// Ports of a switch, an even number. Default 4.
    pub radix: u32,
    /// Tiers of switches, 2 or 3. Default 3.
    pub tiers: u32,
    /// Hosts at each edge switch or leaf. More than radix/2 oversubscribes the tree. Default: radix/2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts_per_edge: Option<u32>,
    /// The number of servers; all other hosts are clients. With 0 every host may send to every other host. Default 0.
    pub servers: u32,
    /// The placement of the servers: 0 (the default) spreads them evenly; any other number is the seed of a random
    /// placement.
    pub placement_seed: u64,
}

impl Default for FatTree {
    fn default() -> Self {
        Self { radix: 4, tiers: 3, hosts_per_edge: None, servers: 0, placement_seed: 0 }
    }
}

/// The ports of the largest switch.
const MOST_PORTS: u32 = 256;

/// How far apart tiers are drawn.
const TIER_SPACING: f64 = 2.5;

impl FatTree {
    pub(crate) fn build(&self) -> Result<Network, Vec<Problem>> {
        let Self { radix, tiers, hosts_per_edge, servers, placement_seed } = *self;
        let mut checks = Checks::default();
        checks.range("radix", radix, 2, MOST_PORTS);
        checks.require(radix.is_multiple_of(2), "radix", format!("{radix} is odd"), "an even number");
        checks.range("tiers", tiers, 2, 3);
        let half = u64::from(radix / 2);
        let (switches, edges) = match tiers {
            2 => (3 * half, 2 * half),
            _ => (half.saturating_mul(5 * half), half.saturating_mul(2 * half)),
        };
        // Consequences of a refused radix are not reported.
        let hosts_per_edge = hosts_per_edge.unwrap_or(radix.min(MOST_PORTS) / 2);
        checks.size(switches, &[("hosts_per_edge", hosts_per_edge, edges)], servers);
        checks.passed()?;
        let mut builder = NetworkBuilder::new();
        let edges =
            if tiers == 2 { two_tiers(&mut builder, radix) } else { three_tiers(&mut builder, radix) };
        attach_row(&mut builder, &edges, hosts_per_edge, Role::Any, 1.0);
        Ok(finish(builder, servers, placement_seed))
    }
}

/// Adds a tier of switches, spread over the same width as all others.
fn tier(
    builder: &mut NetworkBuilder,
    names: impl ExactSizeIterator<Item = String>,
    width: u32,
    y: f64,
) -> Vec<SwitchId> {
    let spacing = f64::from(width) / names.len() as f64;
    let place = |(i, name): (usize, String)| {
        let switch = builder.add_switch(name);
        builder.place(Node::Switch(switch), (i as f64 + 0.5) * spacing, y);
        switch
    };
    names.enumerate().map(place).collect()
}

/// Leaves and spines; returns the leaves.
fn two_tiers(builder: &mut NetworkBuilder, radix: u32) -> Vec<SwitchId> {
    let spines = tier(builder, (0..radix / 2).map(|i| format!("spine{i}")), radix, 0.0);
    let leaves = tier(builder, (0..radix).map(|i| format!("leaf{i}")), radix, TIER_SPACING);
    for &leaf in &leaves {
        for &spine in &spines {
            builder.add_link(spine, leaf, None, None);
        }
    }
    leaves
}

/// Core, aggregation and edge; returns the edge switches.
fn three_tiers(builder: &mut NetworkBuilder, radix: u32) -> Vec<SwitchId> {
    let half = radix / 2;
    let width = radix * half;
    let in_pods = |kind: char| (0..width).map(move |i| format!("p{}{kind}{}", i / half, i % half));
    let core = tier(builder, (0..half * half).map(|i| format!("core{i}")), width, 0.0);
    let aggregation = tier(builder, in_pods('a'), width, TIER_SPACING);
    let edge = tier(builder, in_pods('e'), width, 2.0 * TIER_SPACING);
    let half = half as usize;
    for (i, &switch) in aggregation.iter().enumerate() {
        for &above in &core[i % half * half..][..half] {
            builder.add_link(above, switch, None, None);
        }
    }
    for (i, &switch) in edge.iter().enumerate() {
        for &above in &aggregation[i / half * half..][..half] {
            builder.add_link(above, switch, None, None);
        }
    }
    edge
}
