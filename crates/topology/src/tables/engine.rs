//! Computes tables by destination alone.
//!
//! A switch that knows only the destination sends what came down a link and what came from its own hosts the same way.
//! Each rule here is therefore a function of (switch, destination): the number of links that remain, and any port that
//! leads one link nearer is allowed. Following it never loops, and where the rule forbids a turn, no packet makes it.

mod by_number;
mod candidates;
mod choice;
mod levels;
mod same_next;

use std::ops::ControlFlow;

use hopscope_units::amount;
use thiserror::Error;

use crate::family::Family;
use crate::graph::{HostId, Link, Network, Port, SwitchId};
use crate::routes::{Orientation, levels_below};
use crate::tables::DestinationTables;
use crate::tables::destination_tables::NO_PORT;
use candidates::{Candidates, Links, Ways};
use choice::Choice;

/// How tables by destination are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableEngine {
    /// Up*/down* for tables that do not see the input port: a switch that can reach the destination by going down alone
    /// does so, on the shortest such way; only others go up. So nothing that has come down is ever sent up again, which
    /// the shortest legal route of each switch (AN1 section 2.1) does not ensure. Some routes are longer for it.
    UpDown {
        /// The switches of level 0; the switch of the smallest uid where none is given. Where several leave a few hosts
        /// apart, such as their own, packets for these may turn up again, as under [`crate::RoutingRule::UpDown`].
        roots: Vec<SwitchId>,
    },
    /// Any shortest path. On a network with cycles this can deadlock.
    Shortest,
    /// For fat trees: going up, the destination's number alone picks among the parents, so that all packets for a host
    /// come down the same way and those for different hosts part (Zahavi et al., J. Parallel Distrib. Comput. 2010).
    DModK,
    /// For meshes and hypercubes: a packet corrects one dimension after another (Dally and Seitz 1987).
    ///
    /// Links belong to the dimension in which their switches' positions differ, where all switches have a position and
    /// every link runs along an axis. Otherwise the ports decide: links of the first dimension are in the lowest ports.
    DimensionOrder,
}

/// Why an engine has no tables for a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableEngineError {
    /// A link that joins no two neighbouring tiers.
    #[error("\"{a}\" and \"{b}\" are linked, and both are {} away from the nearest hosts", amount(usize::from(*tier), "link", "links"))]
    NoTree {
        /// One end.
        a: String,
        /// The other end.
        b: String,
        /// Their tier.
        tier: u16,
    },
    /// Two switches without a legal route, which happens with several roots.
    #[error("no up*/down* route from \"{from}\" to \"{to}\" exists with these roots")]
    NoRoute {
        /// The switch that has hosts.
        from: String,
        /// The switch of other hosts.
        to: String,
    },
}

impl DestinationTables {
    /// The tables of a network by an engine, one destination after another. Where several ports will do, but for
    /// [`TableEngine::DModK`], the one is taken from which the busiest link of the rest of the way has the fewest pairs
    /// of hosts so far; of several the one with the fewest itself, and then the lowest.
    ///
    /// # Errors
    /// A network that the engine is not made for.
    pub fn compute(network: &Network, engine: &TableEngine) -> Result<Self, TableEngineError> {
        let mut tables = Self::new(network);
        let finder = WayFinder::new(network, engine)?;
        let mut picking = Picking::new(&finder, engine);
        for ways in finder.to_crowds() {
            let _ = picking.towards(&ways?, |host, column| {
                tables.column_mut(host).copy_from_slice(column);
                ControlFlow::Continue(())
            });
        }
        Ok(tables)
    }
}

/// What the ways of switches follow from: links and their directions.
pub(super) struct WayFinder<'a> {
    network: &'a Network,
    orientation: Option<Orientation>,
    links: Links,
}

impl<'a> WayFinder<'a> {
    /// Of a network under an engine.
    ///
    /// # Errors
    /// A network that the engine is not made for.
    pub fn new(network: &'a Network, engine: &TableEngine) -> Result<Self, TableEngineError> {
        let orientation = orientation(network, engine)?;
        let links = Links::new(network, orientation.as_ref());
        Ok(Self { network, orientation, links })
    }

    /// The ways to each switch that has hosts, by its id. After an error nothing more is asked for.
    pub fn to_crowds(&self) -> impl Iterator<Item = Result<Ways, TableEngineError>> {
        let network = self.network;
        let mut candidates = Candidates::new(network, &self.links, self.orientation.as_ref());
        let crowded = network.hosts_per_switch();
        let crowds: Vec<SwitchId> = network.switch_ids().filter(|id| crowded[id.index()] > 0).collect();
        crowds.clone().into_iter().map(move |to| {
            let ways = candidates.towards(to);
            match crowds.iter().find(|from| **from != to && ways.of(**from).is_empty()) {
                None => Ok(ways),
                Some(&from) => {
                    let name = |id: SwitchId| network.switch(id).name.clone();
                    Err(TableEngineError::NoRoute { from: name(from), to: name(to) })
                }
            }
        })
    }
}

/// Picks ports for the hosts of one switch after another, in the order of [`WayFinder::to_crowds`].
pub(super) struct Picking<'a> {
    network: &'a Network,
    choice: Choice<'a>,
    crowded: Vec<u32>,
    hosts: Vec<Vec<HostId>>,
    /// The hosts that ports were picked for.
    before: u64,
    column: Vec<Port>,
}

impl<'a> Picking<'a> {
    pub fn new(finder: &'a WayFinder<'a>, engine: &TableEngine) -> Self {
        let network = finder.network;
        let mut choice = Choice::new(network, engine, &finder.links);
        if let (TableEngine::DModK, Some(tiers)) = (engine, &finder.orientation) {
            choice.divide_by_tier(network, tiers);
        }
        let (crowded, hosts) = (network.hosts_per_switch(), hosts_by_switch(network));
        Self { network, choice, crowded, hosts, before: 0, column: vec![NO_PORT; network.switches().len()] }
    }

    /// Picks for each host of a switch, in the order of their ports, until the receiver stops.
    pub fn towards(
        &mut self,
        ways: &Ways,
        mut take: impl FnMut(HostId, &[Port]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.choice.turn_to(ways);
        for &host in &self.hosts[ways.to.index()] {
            self.column.fill(NO_PORT);
            self.choice.pick_all(ways, self.before, &mut self.column);
            self.choice.add_pairs(&ways.nearest_first, &self.column, &self.crowded);
            self.column[ways.to.index()] = self.network.host(host).port;
            self.before += 1;
            take(host, &self.column)?;
        }
        ControlFlow::Continue(())
    }
}

/// The port of every switch towards every other switch under an engine's rule, by destination, then switch; nothing
/// where there is no way, and from a switch to itself. Only management takes these ways: of several ports the lowest is
/// taken.
///
/// # Errors
/// A network that the engine is not made for.
pub fn ports_to_switches(
    network: &Network,
    engine: &TableEngine,
) -> Result<Vec<Vec<Option<Port>>>, TableEngineError> {
    let finder = WayFinder::new(network, engine)?;
    let mut candidates = Candidates::new(network, &finder.links, finder.orientation.as_ref());
    let towards = |to| {
        let ways = candidates.towards(to);
        network.switch_ids().map(|from| ways.of(from).first().map(|way| way.port)).collect()
    };
    Ok(network.switch_ids().map(towards).collect())
}

/// The direction of links under an engine, where they have one.
fn orientation(network: &Network, engine: &TableEngine) -> Result<Option<Orientation>, TableEngineError> {
    Ok(match engine {
        TableEngine::UpDown { roots } if roots.is_empty() => {
            Some(Orientation::new(network, smallest_uid(network)))
        }
        TableEngine::UpDown { roots } => Some(Orientation::from_roots(network, roots)),
        TableEngine::DModK => Some(tiers(network)?),
        TableEngine::Shortest | TableEngine::DimensionOrder => None,
    })
}

/// The hosts of each switch, in the order of their ports.
fn hosts_by_switch(network: &Network) -> Vec<Vec<HostId>> {
    let mut hosts = vec![Vec::new(); network.switches().len()];
    for id in network.host_ids() {
        hosts[network.host(id).switch.index()].push(id);
    }
    for hosts in &mut hosts {
        hosts.sort_by_key(|id| network.host(*id).port);
    }
    hosts
}

fn smallest_uid(network: &Network) -> SwitchId {
    network.switch_ids().min_by_key(|id| network.switch(*id).uid).expect("a network has a switch")
}

/// The tiers of a tree as an orientation: up is away from the hosts. The levels of the fat tree that the network is are
/// its tiers; where it is none, or has cables within a level, they follow from the hosts.
fn tiers(network: &Network) -> Result<Orientation, TableEngineError> {
    let hosts = network.hosts_per_switch();
    let leaves: Vec<SwitchId> = network.switch_ids().filter(|id| hosts[id.index()] > 0).collect();
    if leaves.is_empty() {
        return Ok(Orientation::new(network, SwitchId::new(0)));
    }
    if let Family::FatTree(levels) = Family::of(network) {
        let levels: Vec<i32> = network.switch_ids().map(|id| levels.level(id)).collect();
        if within_a_tier(network, &levels).is_none() {
            return Ok(upwards(network, &levels));
        }
    }
    let by_distance: Vec<i32> = levels_below(network, &leaves, |_| true).into_iter().map(i32::from).collect();
    match within_a_tier(network, &by_distance) {
        None => Ok(upwards(network, &by_distance)),
        Some([a, b]) => {
            let name = |id: SwitchId| network.switch(id).name.clone();
            Err(TableEngineError::NoTree { a: name(a), b: name(b), tier: by_distance[a.index()] as u16 })
        }
    }
}

/// The ends of the first link that joins two switches of one tier.
fn within_a_tier(network: &Network, tiers: &[i32]) -> Option<[SwitchId; 2]> {
    network.links().iter().filter_map(Link::switches).find(|[a, b]| tiers[a.index()] == tiers[b.index()])
}

/// Tiers, numbered upwards, as an orientation.
fn upwards(network: &Network, tiers: &[i32]) -> Orientation {
    let top = tiers.iter().copied().max().unwrap_or(0);
    let root = tiers.iter().position(|tier| *tier == top).map(SwitchId::new);
    let levels = tiers.iter().map(|tier| tier.abs_diff(top) as u16).collect();
    Orientation::from_levels(network, root, levels).with_turning(network)
}
