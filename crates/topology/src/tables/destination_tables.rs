//! Tables by destination alone, as InfiniBand switches hold them: one output port for each host, whatever the input
//! port.

use std::collections::BTreeMap;

use crate::graph::{HostId, Network, Port, SwitchId};

/// No entry: the switch drops packets for this host.
pub(super) const NO_PORT: Port = Port::MAX;

/// The output port of every switch towards every host.
///
/// The entries of all switches for one host lie together, since everything that is asked of tables follows one
/// destination at a time: 5,000 switches take 10 kB a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationTables {
    switches: usize,
    ports: Vec<Port>,
    /// The entries whose port has no cable; they are missing among the others.
    uncabled: BTreeMap<(HostId, SwitchId), Port>,
    /// The LID that packets for a host carry, where it is known.
    lids: BTreeMap<HostId, u16>,
}

impl DestinationTables {
    /// Tables of this network without any entry.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let switches = network.switches().len();
        let ports = vec![NO_PORT; switches * network.hosts().len()];
        Self { switches, ports, uncabled: BTreeMap::new(), lids: BTreeMap::new() }
    }

    /// Writes an entry; 65535 is the number of no port.
    pub fn set(&mut self, switch: SwitchId, to: HostId, port: Port) {
        self.ports[to.index() * self.switches + switch.index()] = port;
    }

    /// Notes an entry whose port has no cable: the switch drops packets for this host, as it does without one.
    pub fn set_uncabled(&mut self, switch: SwitchId, to: HostId, port: Port) {
        self.uncabled.insert((to, switch), port);
    }

    /// The port without a cable that the entry of a switch for a host names; nothing for any other entry.
    #[must_use]
    pub fn uncabled(&self, switch: SwitchId, to: HostId) -> Option<Port> {
        self.uncabled.get(&(to, switch)).copied()
    }

    /// Notes the LID (InfiniBand's local identifier) of a host for which these tables are.
    pub fn set_lid(&mut self, to: HostId, lid: u16) {
        self.lids.insert(to, lid);
    }

    /// The LID of a host for which these tables are, where they come from a file that has LIDs.
    #[must_use]
    pub fn lid(&self, to: HostId) -> Option<u16> {
        self.lids.get(&to).copied()
    }

    /// The entry of a switch for a host; nothing where there is none.
    #[must_use]
    pub fn port(&self, switch: SwitchId, to: HostId) -> Option<Port> {
        let port = self.ports[to.index() * self.switches + switch.index()];
        (port != NO_PORT).then_some(port)
    }

    /// The entry as a set of next hops of one or none.
    #[inline]
    #[must_use]
    pub fn next_ports(&self, switch: SwitchId, to: HostId) -> &[Port] {
        let port = &self.ports[to.index() * self.switches + switch.index()];
        if *port == NO_PORT { &[] } else { std::slice::from_ref(port) }
    }

    /// The entries of all switches for a host, by switch; 65535 where there is none.
    pub(crate) fn column(&self, to: HostId) -> &[Port] {
        &self.ports[to.index() * self.switches..][..self.switches]
    }

    /// The same, to be written.
    pub(crate) fn column_mut(&mut self, to: HostId) -> &mut [Port] {
        &mut self.ports[to.index() * self.switches..][..self.switches]
    }
}
