//! Routes that come from tables by destination.

use std::sync::Arc;

use crate::graph::{HostId, Network, Port, SwitchId};
use crate::tables::DestinationTables;

use super::{RouteError, Routes, RoutingRule};

impl Routes {
    /// Routes that follow tables by destination: a packet's phase is always 0.
    ///
    /// [`Routes::next_ports`] and [`Routes::distance`] go on to tell of shortest paths; what a packet for a host does
    /// is in [`Routes::next_channels_to`].
    ///
    /// # Errors
    /// More than 65534 switches.
    pub fn of_tables(network: &Network, tables: DestinationTables) -> Result<Self, RouteError> {
        let shortest = Self::compute(network, &RoutingRule::Shortest)?;
        Ok(Self { tables: Some(Arc::new(tables)), ..shortest })
    }

    /// The tables by destination that these routes follow, if they do.
    #[must_use]
    pub fn tables(&self) -> Option<&DestinationTables> {
        self.tables.as_deref()
    }

    /// The virtual channels by which a packet in this phase may leave a switch for a host at another switch, numbered
    /// as by [`Routes::next_channels`]; tables by destination know one a port.
    #[inline]
    #[must_use]
    pub fn next_channels_to(&self, switch: SwitchId, phase: u8, to: (SwitchId, HostId)) -> &[Port] {
        match &self.tables {
            None => self.next_channels(switch, phase, to.0),
            Some(tables) => tables.next_ports(switch, to.1),
        }
    }
}
