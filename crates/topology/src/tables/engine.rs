//! Computes tables by destination alone.
//!
//! A switch that knows only the destination sends what came down a link and what came from its own hosts the same way.
//! Each rule here is therefore a function of (switch, destination): so many links are left, and any port that leads one
//! link nearer will do. Following it never loops, and where the rule forbids a turn, no packet makes it.

mod candidates;
mod choice;
mod levels;
mod same_next;
pub(super) mod ways_to;

use std::ops::ControlFlow;

use thiserror::Error;

use crate::graph::{HostId, Network, Port, SwitchId};
use crate::routes::{Orientation, levels_below};
use crate::tables::DestinationTables;
use candidates::{Candidates, Links};
use choice::Choice;
use ways_to::WaysTo;

/// How tables by destination are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableEngine {
    /// Up*/down* for tables that do not see the input port: a switch that can reach the destination by going down alone
    /// does so, on the shortest such way; only others go up. So nothing that has come down is ever sent up again, which
    /// the shortest legal route of each switch (AN1 section 2.1) does not ensure. Some routes are longer for it.
    UpDown {
        /// The switches of level 0; the switch of the smallest uid where none is given.
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
    /// every link runs along an axis. Otherwise the ports tell: links of the first dimension are in the lowest ports.
    DimensionOrder,
}

/// Why an engine has no tables for a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableEngineError {
    /// A link that joins no two neighbouring tiers.
    #[error("\"{a}\" and \"{b}\" are linked, and both are {tier} links away from the nearest hosts")]
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
        let ways = WayFinder::new(network, engine)?;
        let mut picking = Picking::new(network, engine, &ways);
        ways.each(network, |turn| {
            picking.of_turn(&turn, |host, picks| {
                turn.write(picks, network.host(host).port, tables.column_mut(host));
                ControlFlow::Continue(())
            })
        })?;
        Ok(tables)
    }
}

/// What the ways of switches follow from: links and their directions.
pub(super) struct WayFinder {
    orientation: Option<Orientation>,
    links: Links,
}

impl WayFinder {
    /// Of a network under an engine.
    ///
    /// # Errors
    /// A network that the engine is not made for.
    pub fn new(network: &Network, engine: &TableEngine) -> Result<Self, TableEngineError> {
        let orientation = orientation(network, engine)?;
        let links = Links::new(network, orientation.as_ref());
        Ok(Self { orientation, links })
    }

    /// Whether the ways are shortest ones.
    pub fn are_shortest(&self) -> bool {
        self.orientation.is_none()
    }

    /// Hands over the ways to each switch that has hosts, by its id, until nobody wants more.
    ///
    /// # Errors
    /// A switch with hosts and no way to the destination.
    pub fn each(
        &self,
        network: &Network,
        mut take: impl FnMut(WaysTo) -> ControlFlow<()>,
    ) -> Result<(), TableEngineError> {
        let mut candidates = Candidates::new(network, &self.links, self.orientation.as_ref());
        let crowded = network.hosts_per_switch();
        let all = crowded.iter().filter(|hosts| **hosts > 0).count().saturating_sub(1);
        for to in network.switch_ids().filter(|id| crowded[id.index()] > 0) {
            let turn = candidates.towards(to);
            let has_hosts = |id: &&SwitchId| crowded[id.index()] > 0;
            if turn.order.iter().filter(has_hosts).count() < all {
                let lost = |id: &SwitchId| *id != to && has_hosts(&id) && !turn.order.contains(id);
                let from = network.switch_ids().find(lost).expect("a switch with hosts is missing");
                let name = |id: SwitchId| network.switch(id).name.clone();
                return Err(TableEngineError::NoRoute { from: name(from), to: name(to) });
            }
            if take(turn).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Picks ports for the hosts of one switch after another, in the order in which [`WayFinder::each`] hands ways over.
pub(super) struct Picking<'a> {
    network: &'a Network,
    choice: Choice,
    crowded: Vec<u32>,
    hosts: Vec<Vec<HostId>>,
    /// Hosts that were picked for.
    before: u64,
    picks: Vec<u16>,
}

impl<'a> Picking<'a> {
    pub fn new(network: &'a Network, engine: &TableEngine, ways: &WayFinder) -> Self {
        let mut choice = Choice::new(network, engine, &ways.links);
        if let (TableEngine::DModK, Some(tiers)) = (engine, &ways.orientation) {
            choice.divide_by_tier(network, tiers);
        }
        let (crowded, hosts) = (network.hosts_per_switch(), hosts_by_switch(network));
        Self { network, choice, crowded, hosts, before: 0, picks: Vec::new() }
    }

    /// Picks for each host of a switch, in the order of their ports, until nobody wants more.
    pub fn of_turn(
        &mut self,
        turn: &WaysTo,
        mut take: impl FnMut(HostId, &[u16]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        debug_assert!(turn.len() < self.network.switches().len());
        self.choice.turn_to(turn, &self.crowded);
        self.picks.resize(turn.len(), 0);
        for &host in &self.hosts[turn.to.index()] {
            self.choice.pick_all(turn, self.before, &mut self.picks);
            self.choice.add_pairs(turn, &self.picks);
            self.before += 1;
            take(host, &self.picks)?;
        }
        self.choice.turn_away(turn);
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
    let ways = WayFinder::new(network, engine)?;
    let mut candidates = Candidates::new(network, &ways.links, ways.orientation.as_ref());
    let towards = |to| {
        let turn = candidates.towards(to);
        let mut ports = vec![None; network.switches().len()];
        for (position, switch) in turn.order.iter().enumerate() {
            ports[switch.index()] = turn.ways.get(turn.ways_of(position).start).map(|way| way.port);
        }
        ports
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

/// The tiers of a tree as an orientation: up is away from the hosts.
fn tiers(network: &Network) -> Result<Orientation, TableEngineError> {
    let hosts = network.hosts_per_switch();
    let leaves: Vec<SwitchId> = network.switch_ids().filter(|id| hosts[id.index()] > 0).collect();
    if leaves.is_empty() {
        return Ok(Orientation::new(network, SwitchId::new(0)));
    }
    let tiers = levels_below(network, &leaves);
    for link in network.links() {
        let Some([a, b]) = link.switches() else { continue };
        if tiers[a.index()] == tiers[b.index()] {
            let name = |id: SwitchId| network.switch(id).name.clone();
            return Err(TableEngineError::NoTree { a: name(a), b: name(b), tier: tiers[a.index()] });
        }
    }
    let top = tiers.iter().copied().max().unwrap_or(0);
    let root = SwitchId::new(tiers.iter().position(|tier| *tier == top).unwrap_or(0));
    Ok(Orientation::from_levels(network, Some(root), tiers.into_iter().map(|tier| top - tier).collect()))
}
