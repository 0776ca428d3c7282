//! Virtual lanes from a subnet manager's tools: the service level of each path (`path_levels.rs`), and the lane that
//! each level means between two ports of a switch (`lane_tables.rs`).

mod lane_tables;
mod path_levels;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{HostId, SwitchId};

use crate::fabric::CabledNetwork;
pub use lane_tables::read as read_lane_tables;
pub use path_levels::read as read_path_levels;

/// The local identifiers of a fabric.
#[derive(Clone, Debug)]
pub struct Lids {
    /// The host that has an identifier, and the number of it among those of the host.
    pub hosts: BTreeMap<u16, (HostId, usize)>,
    /// The switch that has one.
    pub switches: BTreeMap<u16, SwitchId>,
    /// Those of aggregation nodes, which are no part of the network.
    pub left_out: BTreeSet<u16>,
    /// The paths to a host: the most identifiers that any has.
    pub paths: usize,
}

impl Lids {
    /// The identifiers that the fabric's own file gives, and further ones of its hosts from tables.
    #[must_use]
    pub fn new(fabric: &CabledNetwork, told: &BTreeMap<u16, HostId>) -> Self {
        let (_, mut of_hosts) = fabric.hosts_by_address();
        of_hosts.extend(told);
        let mut hosts = BTreeMap::new();
        let mut count: BTreeMap<HostId, usize> = BTreeMap::new();
        for (lid, host) in of_hosts {
            let number = count.entry(host).or_default();
            hosts.insert(lid, (host, *number));
            *number += 1;
        }
        let switches = fabric.switches.iter().enumerate();
        let switches = switches.filter_map(|(i, address)| Some((address.lid?, SwitchId::new(i)))).collect();
        let left_out = fabric.left_out_lids().collect();
        Self { hosts, switches, left_out, paths: count.into_values().max().unwrap_or(1) }
    }
}
