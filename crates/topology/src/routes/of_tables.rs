//! Routes that come from tables by destination.

use crate::graph::{HostId, Network, Port, SwitchId};
use crate::tables::DestinationTables;

use super::{RouteError, Routes, RoutingRule};

impl Routes {
    /// Routes that follow tables by destination: a packet's phase is always 0.
    ///
    /// [`Routes::next_ports`] and [`Routes::distance`] still refer to shortest paths; the path of a packet for a host
    /// is in [`Routes::next_channels_to`].
    ///
    /// # Errors
    /// More than 65534 switches.
    pub fn of_tables(network: &Network, tables: DestinationTables) -> Result<Self, RouteError> {
        Self::of_several_tables(network, vec![tables])
    }

    /// The same where a host has several paths, each with tables of its own: one for each LID of a host.
    ///
    /// # Errors
    /// More than 65534 switches.
    pub fn of_several_tables(network: &Network, tables: Vec<DestinationTables>) -> Result<Self, RouteError> {
        let shortest = Self::compute(network, &RoutingRule::Shortest)?;
        Ok(Self { tables: Some(tables.into()), ..shortest })
    }

    /// The tables by destination that these routes follow, if they do; of several paths those of the first.
    #[must_use]
    pub fn tables(&self) -> Option<&DestinationTables> {
        self.tables_of_paths().first()
    }

    /// The tables of every path; none where routes are no tables.
    #[must_use]
    pub fn tables_of_paths(&self) -> &[DestinationTables] {
        self.tables.as_deref().unwrap_or_default()
    }

    /// How many paths senders choose from: 1, but for tables of hosts with several LIDs.
    #[inline]
    #[must_use]
    pub fn paths(&self) -> usize {
        self.tables.as_ref().map_or(1, |tables| tables.len())
    }

    /// The virtual channels by which a packet in this phase may leave a switch for a host at another switch, numbered
    /// as by [`Routes::next_channels`]; tables by destination know one a port, and may have several paths.
    #[inline]
    #[must_use]
    pub fn next_channels_to(
        &self,
        switch: SwitchId,
        phase: u8,
        to: (SwitchId, HostId),
        path: usize,
    ) -> &[Port] {
        match &self.tables {
            None => self.next_channels(switch, phase, to.0),
            Some(tables) => tables[path].next_ports(switch, to.1),
        }
    }
}
