//! Next hops on shortest legal routes, indexed by (input port, destination) as in AN1.

mod distances;
mod memo;
mod next_hop_rule;
mod next_hop_table;
mod of_tables;
mod spanning_tree;
mod turning;
mod up_down;
pub(crate) mod walk;

use std::sync::Arc;

use thiserror::Error;

use crate::graph::{LinkId, Network, Node, Port, SwitchId};
use crate::tables::DestinationTables;
use distances::{Distances, UNREACHABLE};
pub(crate) use memo::RouteMemo;
use next_hop_rule::NextHopRule;
use next_hop_table::NextHopTable;
pub(crate) use next_hop_table::PortSet;
pub use spanning_tree::SpanningTree;
pub(crate) use turning::{Highest, Turning};
pub(crate) use up_down::{Orientation, levels_below};

/// Which routes are legal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RoutingRule {
    /// All shortest paths. On a network with cycles this can deadlock where buffers are finite.
    #[default]
    Shortest,
    /// Up*/down* (AN1 section 2.1): a route never goes up once it has gone down; the shortest of those.
    UpDown {
        /// The names of the roots, all of level 0; where none is given, the switch of the smallest uid is the root.
        /// Several roots have no such route to each other. Where a few hosts are at them, packets for these hosts may
        /// turn up again below the roots, at one switch and those above it, where that makes no cycle of channels.
        roots: Vec<String>,
    },
    /// One dimension after the other, on virtual channels with a dateline in every ring (Dally and Seitz, IEEE Trans.
    /// Computers 1987): deadlock-free. For meshes, tori and hypercubes.
    DimensionOrder,
    /// All shortest paths, with a class of buffers for each number of hops that a packet has still to go (structured
    /// buffer pools: Merlin and Schweitzer 1980). A packet only waits for a lower class than it
    /// holds: deadlock-free.
    StructuredPools,
}

/// Why there are no routes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RouteError {
    /// The root is no node of the network.
    #[error("the root \"{root}\" is not in the network")]
    UnknownRoot {
        /// The name given.
        root: String,
        /// A name like it.
        like: Option<String>,
    },
    /// The root is a host.
    #[error("the root \"{root}\" is a host; a root is a switch")]
    RootIsHost {
        /// The name given.
        root: String,
        /// The switch that this host is attached to.
        switch: String,
    },
    /// Two switches with hosts and no legal route between them, which happens with several roots.
    #[error("no up*/down* route from \"{from}\" to \"{to}\" exists with these roots")]
    NoRoute {
        /// A switch that has hosts.
        from: String,
        /// The switch of other hosts.
        to: String,
    },
    /// Distances and destinations are kept in 16 bits.
    #[error("{switches} switches are too many: routes are computed for at most 65534")]
    TooManySwitches {
        /// How many there are.
        switches: usize,
    },
    /// Dimension order on a network without dimensions.
    #[error("dimension order needs a network with dimensions, and this one has none")]
    NoDimensions,
    /// Virtual channels are numbered in 16 bits.
    #[error("a switch has {ports} ports with {lanes} virtual channels each; together they may be 65535")]
    TooManyChannels {
        /// The most ports of a switch.
        ports: usize,
        /// The virtual channels of each.
        lanes: u16,
    },
}

/// The phase of a packet that may still go up, and of every packet where routes have no phases.
const FREE: u8 = 0;
/// The phase of a packet that has gone down and may not go up again.
const DESCENDING: u8 = 1;

/// The next hops of every switch towards every switch that has hosts.
///
/// The port by which a packet came in determines its phase, so a table indexed by (input port, destination) is all that
/// a switch needs to keep every route legal; routes by destination alone could not be both exact and loop-free.
#[derive(Clone, Debug)]
pub struct Routes {
    /// What is beyond each port of each switch, and the phase of packets that arrive by it.
    ports: Arc<[PortRoute]>,
    /// Where each switch's ports begin in `ports`.
    port_base: Arc<[u32]>,
    table: Arc<NextHopTable>,
    orientation: Option<Arc<Orientation>>,
    lanes: u16,
    /// Tables by destination, which then hold instead: those of each path to a host.
    tables: Option<Arc<[DestinationTables]>>,
}

/// How far routes must lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// From every switch with hosts to every other.
    Everywhere,
    /// As far as the links that are left lead.
    WhereTheyLead,
}

/// A port as routes see it.
#[derive(Clone, Copy, Debug)]
struct PortRoute {
    /// The phase of packets that arrive here.
    arrives: u8,
    /// The phase of packets that leave here, once they have arrived.
    leaves: u8,
    /// The switch at the other end.
    next: Option<SwitchId>,
}

impl Routes {
    /// The tables of a network under a rule. They are computed once a rule: the network keeps them and shares them with
    /// its clones.
    ///
    /// # Errors
    /// A root that is not a switch of this network; more than 65534 switches.
    pub fn compute(network: &Network, rule: &RoutingRule) -> Result<Self, RouteError> {
        network.routes.get_or_compute(rule, || Self::compute_unshared(network, rule))
    }

    /// The same, but the network does not keep them: for an inspection of a rule that is not used.
    ///
    /// # Errors
    /// As [`compute`](Self::compute).
    pub fn compute_unshared(network: &Network, rule: &RoutingRule) -> Result<Self, RouteError> {
        Self::compute_where(network, rule, Reach::Everywhere)
    }

    /// The tables of a network that failures may have torn apart, under a rule; the network does not keep them. Where
    /// a switch cannot be reached there are no next hops towards it, and every part has a root of its own.
    ///
    /// # Errors
    /// A root that is not a switch of this network; more than 65534 switches.
    pub fn of_what_is_left(network: &Network, rule: &RoutingRule) -> Result<Self, RouteError> {
        Self::compute_where(network, rule, Reach::WhereTheyLead)
    }

    fn compute_where(network: &Network, rule: &RoutingRule, reach: Reach) -> Result<Self, RouteError> {
        let switches = network.switches().len();
        if switches >= usize::from(u16::MAX) {
            return Err(RouteError::TooManySwitches { switches });
        }
        let orientation = match rule {
            RoutingRule::Shortest | RoutingRule::DimensionOrder | RoutingRule::StructuredPools => None,
            RoutingRule::UpDown { roots } => {
                Some(Orientation::from_roots(network, &find_roots(network, roots)?))
            }
        };
        let hosts = network.hosts_per_switch();
        let destinations: Vec<SwitchId> = network.switch_ids().filter(|id| hosts[id.index()] > 0).collect();
        let distances = match &orientation {
            None => Distances::shortest(network, &destinations),
            Some(orientation) => Distances::up_down(network, orientation, &destinations),
        };
        let has_several_roots = orientation.as_ref().is_some_and(|orientation| orientation.root().is_none());
        if has_several_roots && reach == Reach::Everywhere {
            check_all_reached(network, &destinations, &distances)?;
        }
        let next_hops = NextHopRule::of(network, rule, orientation.as_ref())?;
        let lanes = next_hops.lanes(&destinations, &distances);
        let ports = network.switches().iter().map(|switch| switch.ports.len()).max().unwrap_or(0);
        if ports * usize::from(lanes) >= usize::from(Port::MAX) {
            return Err(RouteError::TooManyChannels { ports, lanes });
        }
        let table = NextHopTable::new(network, next_hops, lanes, &destinations, &distances);
        let mut port_base = Vec::with_capacity(switches);
        let mut ports = Vec::new();
        for switch in network.switch_ids() {
            port_base.push(ports.len() as u32);
            let first = ports.len();
            let unlinked = PortRoute { arrives: FREE, leaves: FREE, next: None };
            ports.resize(first + network.switch(switch).ports.len(), unlinked);
            for (port, link, far, _) in network.neighbours(switch) {
                // What comes in by a link that leads up from here has come down it.
                let (arrives, leaves) = match &orientation {
                    None => (FREE, FREE),
                    Some(o) if o.leads_up(link, switch) => (DESCENDING, FREE),
                    Some(_) => (FREE, DESCENDING),
                };
                ports[first + usize::from(port)] = PortRoute { arrives, leaves, next: Some(far) };
            }
        }
        Ok(Self {
            ports: ports.into(),
            port_base: port_base.into(),
            table: Arc::new(table),
            orientation: orientation.map(Arc::new),
            lanes,
            tables: None,
        })
    }

    /// The phase of a packet that arrives at a switch by this port: 1 where it has come down a link and may not go up
    /// again, else 0. Host ports have phase 0, and so has every port under [`RoutingRule::Shortest`].
    #[inline]
    #[must_use]
    pub fn phase(&self, switch: SwitchId, in_port: Port) -> u8 {
        self.port(switch, in_port).arrives
    }

    /// The ports of all next hops on shortest legal routes to a switch, in the order of their numbers.
    ///
    /// Empty at the destination itself (a host's own port is in [`crate::Host::port`]), for a destination without
    /// hosts, and where a packet in this phase cannot get there, which happens to no packet that followed the tables.
    #[inline]
    #[must_use]
    pub fn next_ports(&self, switch: SwitchId, phase: u8, to: SwitchId) -> &[Port] {
        self.table.next_ports(switch, phase, to)
    }

    /// How many virtual channels each link has under these routes; 1 where they need none.
    #[must_use]
    pub fn lanes(&self) -> u16 {
        self.lanes
    }

    /// As [`Self::next_ports`], by virtual channels: the numbers are `port * lanes + lane`.
    #[inline]
    #[must_use]
    pub fn next_channels(&self, switch: SwitchId, phase: u8, to: SwitchId) -> &[Port] {
        self.table.next_channels(switch, phase, to)
    }

    /// The virtual channels of a set, numbered as by [`Self::next_channels`].
    pub(crate) fn channels_of(&self, set: PortSet) -> &[Port] {
        self.table.channels_of(set)
    }

    /// The sets of next hops of all (switch, phase) for one destination with hosts, in their order, into `column`.
    pub(crate) fn column(&self, to: SwitchId, column: &mut Vec<PortSet>) {
        self.table.column(to, column);
    }

    /// The ports of a set.
    pub(crate) fn ports_of(&self, set: PortSet) -> &[Port] {
        self.table.ports_of(set)
    }

    /// The links from a switch to another for a packet in this phase; nothing where it cannot get there.
    ///
    /// It is found by walking the tables, hop by hop.
    #[must_use]
    pub fn distance(&self, switch: SwitchId, phase: u8, to: SwitchId) -> Option<u16> {
        let (mut at, mut phase, mut hops) = (switch, phase, 0);
        while at != to {
            let port = *self.next_ports(at, phase, to).first()?;
            let (next, next_phase) = self.step(at, port);
            (at, phase, hops) = (next, next_phase, hops + 1);
        }
        Some(hops)
    }

    /// Where the link in a port leads to: the next switch and the phase of a packet that arrives there by it.
    /// Panics where no switch is at the other end.
    #[must_use]
    pub fn step(&self, switch: SwitchId, out_port: Port) -> (SwitchId, u8) {
        let port = self.port(switch, out_port);
        (port.next.unwrap_or_else(|| panic!("port {out_port} of {switch:?} leads to no switch")), port.leaves)
    }

    #[inline]
    fn port(&self, switch: SwitchId, port: Port) -> PortRoute {
        self.ports[self.port_base[switch.index()] as usize + usize::from(port)]
    }

    /// The root of up*/down* routes, where they have one and not several.
    #[must_use]
    pub fn root(&self) -> Option<SwitchId> {
        self.orientation.as_ref().and_then(|o| o.root())
    }

    /// The links between a switch and the root, under up*/down*.
    #[must_use]
    pub fn level(&self, switch: SwitchId) -> Option<u16> {
        self.orientation.as_ref().map(|o| o.level(switch))
    }

    /// Whether a link between switches leads up when it is left by its end `from_end` (0 or 1). Nothing where links
    /// have no direction: under [`RoutingRule::Shortest`], and for a host's link.
    #[must_use]
    pub fn is_up(&self, link: LinkId, from_end: usize) -> Option<bool> {
        let upper = self.orientation.as_ref()?.upper_end(link)?;
        Some(upper != from_end)
    }

    /// How many phases there are: 2 under up*/down*, else 1.
    #[must_use]
    pub fn phase_count(&self) -> u8 {
        if self.orientation.is_some() { DESCENDING + 1 } else { 1 }
    }
}

/// The switches that the roots' names mean, the one of the smallest uid where none is given.
fn find_roots(network: &Network, names: &[String]) -> Result<Vec<SwitchId>, RouteError> {
    if names.is_empty() {
        let smallest = network.switch_ids().min_by_key(|id| network.switch(*id).uid);
        return Ok(vec![smallest.expect("a network has a switch")]);
    }
    let mut roots = Vec::new();
    for name in names {
        let root = find_root(network, name)?;
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    Ok(roots)
}

/// With several roots, every switch with hosts must have a legal route to every other one.
fn check_all_reached(
    network: &Network,
    destinations: &[SwitchId],
    distances: &Distances,
) -> Result<(), RouteError> {
    let name = |id: SwitchId| network.switch(id).name.clone();
    for &from in destinations {
        let lost = distances.row(from, FREE).iter().position(|links| *links == UNREACHABLE);
        if let Some(to) = lost {
            return Err(RouteError::NoRoute { from: name(from), to: name(destinations[to]) });
        }
    }
    Ok(())
}

/// The switch that a root's name means.
fn find_root(network: &Network, name: &str) -> Result<SwitchId, RouteError> {
    match network.node(name) {
        Some(Node::Switch(switch)) => Ok(switch),
        Some(Node::Host(host)) => Err(RouteError::RootIsHost {
            root: name.to_owned(),
            switch: network.switch(network.host(host).switch).name.clone(),
        }),
        None => Err(RouteError::UnknownRoot {
            root: name.to_owned(),
            like: network.name_like(name).map(str::to_owned),
        }),
    }
}
