//! Credit loops by virtual lane: tables that close a cycle of links may be free of it on each lane, as those of LASH
//! and DFSSSP are.

use serde::Serialize;

use crate::deadlock::OfLanes;
use crate::graph::Network;
use crate::tables::DestinationTables;
use crate::tables::virtual_lanes::VirtualLanes;

use super::{Hop, TableCheck};

/// What packets do on virtual lanes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneCheck {
    /// The service levels that packets carry.
    pub levels: Vec<u8>,
    /// The lanes that they use, on the links of their receivers as well.
    pub lanes: Vec<u8>,
    /// Pairs whose packets a switch discards, because their service level means no lane for data there.
    pub discarded_pairs: u64,
    /// Pairs whose service level is not stated: level 0 is assumed.
    pub unstated_pairs: u64,
    /// Pairs of ports without a map of lanes: every level is taken to be on the lane of its number.
    pub unstated_ports: u64,
    /// The links of a shortest cycle if all packets used one lane.
    pub loop_on_one_lane: Option<usize>,
}

impl TableCheck {
    /// The same check with packets on these lanes: a credit loop is one of lanes.
    #[must_use]
    pub fn on_lanes(self, network: &Network, paths: &[DestinationTables], lanes: &VirtualLanes) -> Self {
        let found = OfLanes::new(network, paths, lanes);
        let cycle = found.dependencies.shortest_cycle();
        let hop =
            |channel: crate::deadlock::Channel| Hop { lane: Some(channel.lane), ..Hop::of(network, channel) };
        let check = LaneCheck {
            levels: found.levels.into_iter().collect(),
            lanes: found.lanes.into_iter().collect(),
            discarded_pairs: found.discarded,
            unstated_pairs: lanes.unstated_paths(network, paths.len()),
            unstated_ports: lanes.unstated_ports(network),
            loop_on_one_lane: self.credit_loop.as_ref().map(Vec::len),
        };
        let credit_loop = cycle.map(|cycle| cycle.into_iter().map(hop).collect());
        Self { credit_loop, lanes: Some(check), ..self }
    }
}
