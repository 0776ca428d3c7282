//! Computes tables by destination alone.
//!
//! A switch that knows only the destination sends what came down a link and what came from its own hosts the same way.
//! Each rule here is therefore a function of (switch, destination): so many links are left, and any port that leads one
//! link nearer will do. Following it never loops, and where the rule forbids a turn, no packet makes it.

mod candidates;
mod choice;
mod levels;
mod same_next;

use std::ops::ControlFlow;

use thiserror::Error;

use crate::graph::{HostId, Network, Port, SwitchId};
use crate::routes::{Orientation, levels_below};
use crate::tables::DestinationTables;
use crate::tables::destination_tables::NO_PORT;
use candidates::{Candidates, Links};
use choice::Choice;

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
        compute_columns(network, engine, |host, column| {
            tables.column_mut(host).copy_from_slice(column);
            ControlFlow::Continue(())
        })?;
        Ok(tables)
    }
}

/// The tables of a network by an engine, handed over destination by destination, until nobody wants more.
pub(super) fn compute_columns(
    network: &Network,
    engine: &TableEngine,
    mut take: impl FnMut(HostId, &[Port]) -> ControlFlow<()>,
) -> Result<(), TableEngineError> {
    let orientation = orientation(network, engine)?;
    let links = Links::new(network, orientation.as_ref());
    let mut choice = Choice::new(network, engine, &links);
    if let (TableEngine::DModK, Some(tiers)) = (engine, &orientation) {
        choice.divide_by_tier(network, tiers);
    }
    let mut candidates = Candidates::new(network, &links, orientation.as_ref());
    let mut column = vec![NO_PORT; network.switches().len()];
    let crowded = network.hosts_per_switch();
    for (number, (switch, hosts)) in hosts_by_switch(network).into_iter().scan(0, numbered) {
        candidates.towards(switch);
        let lost = network
            .switch_ids()
            .find(|id| *id != switch && crowded[id.index()] > 0 && candidates.of(*id).is_empty());
        if let Some(from) = lost {
            let name = |id: SwitchId| network.switch(id).name.clone();
            return Err(TableEngineError::NoRoute { from: name(from), to: name(switch) });
        }
        let nearest_first = candidates.nearest_first();
        choice.turn_to(switch, &candidates, &nearest_first);
        for (host, number) in hosts.into_iter().zip(number..) {
            column.fill(NO_PORT);
            choice.pick_all(&candidates, &nearest_first, number, &mut column);
            choice.add_pairs(&nearest_first, &column, &crowded);
            column[switch.index()] = network.host(host).port;
            if take(host, &column).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
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
    let orientation = orientation(network, engine)?;
    let links = Links::new(network, orientation.as_ref());
    let mut candidates = Candidates::new(network, &links, orientation.as_ref());
    let towards = |to| {
        candidates.towards(to);
        network.switch_ids().map(|from| candidates.of(from).first().map(|way| way.port)).collect()
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

type Crowd = (SwitchId, Vec<HostId>);

/// The number of hosts before those of a switch, and these.
fn numbered(before: &mut u64, crowd: Crowd) -> Option<(u64, Crowd)> {
    let first = *before;
    *before += crowd.1.len() as u64;
    Some((first, crowd))
}

/// The hosts of each switch that has any, in the order of their ports.
fn hosts_by_switch(network: &Network) -> Vec<Crowd> {
    let mut hosts = vec![Vec::new(); network.switches().len()];
    for id in network.host_ids() {
        hosts[network.host(id).switch.index()].push(id);
    }
    for hosts in &mut hosts {
        hosts.sort_by_key(|id| network.host(*id).port);
    }
    network.switch_ids().zip(hosts).filter(|(_, hosts)| !hosts.is_empty()).collect()
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
