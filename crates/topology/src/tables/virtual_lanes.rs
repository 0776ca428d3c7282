//! The virtual lanes of InfiniBand: the service level that packets of a pair carry, and the lane that it means on each
//! link (InfiniBand Architecture Specification, volume 1, sections 7.6.5 and 7.6.6).

use std::collections::BTreeSet;

use crate::deadlock::OfLanes;
use crate::graph::{HostId, Network, Port, SwitchId};
use crate::tables::DestinationTables;

/// Service levels, and virtual lanes for data with the one for management.
pub const SERVICE_LEVELS: usize = 16;

/// Packets of a service level that means this lane, which is for management, are discarded.
pub const NO_LANE: u8 = 15;

/// The lane of each service level.
pub type LaneMap = [u8; SERVICE_LEVELS];

/// Every level on the lane of its number: what holds where no table says otherwise.
pub const IDENTITY: LaneMap = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, NO_LANE];

/// The service level of each path: of a sender, a receiver and the number of the receiver's LID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceLevels {
    hosts: usize,
    /// By sender, then `path * hosts + receiver`; nothing for senders of which nothing was said.
    of_senders: Vec<Vec<u8>>,
    paths: usize,
    /// Paths of which nothing was said; they have level 0.
    unstated: u64,
}

/// No level has been given.
const UNSTATED: u8 = u8::MAX;

impl ServiceLevels {
    /// Level 0 for this number of paths between each two hosts.
    #[must_use]
    pub fn new(network: &Network, paths: usize) -> Self {
        let hosts = network.hosts().len();
        let unstated = (hosts * hosts.saturating_sub(1) * paths) as u64;
        Self { hosts, of_senders: vec![Vec::new(); hosts], paths, unstated }
    }

    /// Gives a path its level; one that it had before goes.
    pub fn set(&mut self, path: usize, from: HostId, to: HostId, level: u8) {
        let levels = &mut self.of_senders[from.index()];
        if levels.is_empty() {
            levels.resize(self.paths * self.hosts, UNSTATED);
        }
        let before = std::mem::replace(&mut levels[path * self.hosts + to.index()], level);
        self.unstated -= u64::from(before == UNSTATED && from != to);
    }

    /// The level of a path.
    #[must_use]
    pub fn of(&self, path: usize, from: HostId, to: HostId) -> u8 {
        match self.of_senders[from.index()].get(path * self.hosts + to.index()) {
            None | Some(&UNSTATED) => 0,
            Some(&level) => level,
        }
    }
}

/// The lanes that switches put packets on, by the port at which they come and the one by which they leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneTables {
    /// By switch, then `in_port * ports + out_port`; None where no table states it.
    switches: Vec<Vec<Option<LaneMap>>>,
}

impl LaneTables {
    /// No table for any switch.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let of = |switch: &crate::graph::Switch| vec![None; switch.ports.len() * switch.ports.len()];
        Self { switches: network.switches().iter().map(of).collect() }
    }

    fn place(&self, switch: SwitchId, in_port: Port, out_port: Port) -> usize {
        let maps = self.switches[switch.index()].len();
        usize::from(in_port) * maps.isqrt() + usize::from(out_port)
    }

    /// Gives the map between two ports of a switch.
    pub fn set(&mut self, switch: SwitchId, in_port: Port, out_port: Port, map: LaneMap) {
        let place = self.place(switch, in_port, out_port);
        self.switches[switch.index()][place] = Some(map);
    }

    /// Between how many pairs of different ports with links no map was given.
    fn unstated(&self, network: &Network) -> u64 {
        let of = |switch: SwitchId| {
            let linked = || (0..).zip(&network.switch(switch).ports).filter(|(_, link)| link.is_some());
            let pairs = linked().flat_map(|(from, _)| linked().map(move |(to, _)| (from, to)));
            let missing = pairs.filter(|(from, to)| {
                from != to && self.switches[switch.index()][self.place(switch, *from, *to)].is_none()
            });
            missing.count() as u64
        };
        network.switch_ids().map(of).sum()
    }
}

/// What packets use of their lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedLanes {
    /// The service levels that they carry.
    pub levels: BTreeSet<u8>,
    /// The lanes that they are on.
    pub lanes: BTreeSet<u8>,
    /// Pairs whose packets a switch discards, because their level means no lane for data there.
    pub discarded: u64,
}

/// On which lane a packet is, from link to link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualLanes {
    levels: Option<ServiceLevels>,
    tables: Option<LaneTables>,
}

impl VirtualLanes {
    /// The lanes of these service levels, or of level 0 for all, under these tables, or those of [`IDENTITY`].
    #[must_use]
    pub fn new(levels: Option<ServiceLevels>, tables: Option<LaneTables>) -> Self {
        Self { levels, tables }
    }

    /// The service level of a path.
    #[must_use]
    pub fn level(&self, path: usize, from: HostId, to: HostId) -> u8 {
        self.levels.as_ref().map_or(0, |levels| levels.of(path, from, to))
    }

    /// The lane on which packets of a level leave a switch; [`NO_LANE`] where they are discarded.
    #[must_use]
    pub fn lane(&self, switch: SwitchId, in_port: Port, out_port: Port, level: u8) -> u8 {
        let map = self
            .tables
            .as_ref()
            .and_then(|tables| tables.switches[switch.index()][tables.place(switch, in_port, out_port)]);
        map.unwrap_or(IDENTITY)[usize::from(level)]
    }

    /// The service levels and lanes that packets of all pairs use under these tables, and the pairs whose packets a
    /// switch discards.
    #[must_use]
    pub fn used(&self, network: &Network, paths: &[DestinationTables]) -> UsedLanes {
        let OfLanes { levels, lanes, discarded, .. } = OfLanes::new(network, paths, self);
        UsedLanes { levels, lanes, discarded }
    }

    /// Paths between hosts whose service level is not stated.
    #[must_use]
    pub fn unstated_paths(&self, network: &Network, paths: usize) -> u64 {
        let hosts = network.hosts().len() as u64;
        let all = hosts * hosts.saturating_sub(1) * paths as u64;
        self.levels.as_ref().map_or(all, |levels| levels.unstated)
    }

    /// Pairs of ports without a stated map, if there are tables.
    #[must_use]
    pub fn unstated_ports(&self, network: &Network) -> u64 {
        self.tables.as_ref().map_or(0, |tables| tables.unstated(network))
    }
}
