//! A network with the addresses by which its managers know it.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{Anomaly, HostId, Network, Node, Port, SwitchId};

use crate::fabric::aggregation::AggregationNode;
use crate::fabric::own_link::{OwnEnd, OwnLink};

/// What InfiniBand calls a switch or the port of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// The globally unique identifier: a switch's node GUID, a host's port GUID.
    pub guid: u64,
    /// The local identifier that packets carry, where the file says.
    pub lid: Option<u16>,
    /// The local identifiers from that one on are 2 to the power of this, the LID mask control (InfiniBand Architecture
    /// Specification, volume 1, section 7.11.1). 0 where the file does not say.
    pub lmc: u8,
}

impl Address {
    /// All of its local identifiers, the lowest first; none where the file has none.
    pub(crate) fn lids(&self) -> impl Iterator<Item = u16> + use<> {
        let further = (1_u16 << self.lmc) - 1;
        self.lid.into_iter().flat_map(move |first| first..=first.saturating_add(further))
    }

    /// Whether the node may have this identifier besides those in the file: where it says nothing of the LID mask
    /// control, any that one would give, whose lowest identifier is a multiple of their number.
    pub(crate) fn may_have(&self, lid: u16) -> bool {
        let mask = |first: u16| if self.lmc > 0 { self.lmc } else { first.trailing_zeros().min(7) as u8 };
        self.lid.is_none_or(|first| {
            Self { lmc: mask(first).min(MOST_LMC), ..*self }.lids().any(|each| each == lid)
        })
    }
}

/// The local identifier of every node; of a host with several the lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLids {
    /// Those of the switches, by id.
    pub switches: Vec<u16>,
    /// Those of the hosts, by id.
    pub hosts: Vec<u16>,
    /// Those of the aggregation nodes that are no part of the network, in their order.
    pub aggregation: Vec<u16>,
}

/// The greatest LID mask control: it has three bits.
pub(crate) const MOST_LMC: u8 = 7;

/// The GUID of the first switch and host where a file has none: those that ibsim gives.
pub(crate) const FIRST_SWITCH_GUID: u64 = 0x20_0000;
pub(crate) const FIRST_HOST_GUID: u64 = 0x10_0000;

/// Unicast local identifiers go from 0x0001 to 0xbfff (InfiniBand Architecture Specification, volume 1, section 4.1.3).
pub const MOST_LIDS: u16 = 0xbfff;

/// A network whose switches and hosts have addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct CabledNetwork {
    /// The network. Its ports have the numbers that the file gives them.
    pub network: Network,
    /// The addresses of the switches, by id.
    pub switches: Vec<Address>,
    /// The addresses of the hosts, by id.
    pub hosts: Vec<Address>,
    /// How many ports each switch has, by id, where the file says.
    pub ports: Vec<Option<Port>>,
    /// The number of the kind of device of each switch, by id, where the file says.
    pub devices: Vec<Option<u32>>,
    /// What the file has besides: no hosts, and no part of the network.
    pub aggregation: Vec<AggregationNode>,
    /// Links that join a node to itself: no part of the network.
    pub own_links: Vec<OwnLink>,
    /// Anomalies of the file itself: the others follow from the network.
    pub anomalies: Vec<Anomaly>,
}

impl CabledNetwork {
    /// A network from a source that knows no addresses: they are numbered as ibsim does for hosts of one port.
    #[must_use]
    pub fn numbered(network: Network) -> Self {
        let address = |guid| Address { guid, lid: None, lmc: 0 };
        let switches = (FIRST_SWITCH_GUID..).map(address).take(network.switches().len()).collect();
        let hosts = (0..network.hosts().len() as u64).map(|i| address(FIRST_HOST_GUID + 2 * i + 1)).collect();
        let ports = vec![None; network.switches().len()];
        let devices = vec![None; network.switches().len()];
        let (aggregation, own_links, anomalies) = (Vec::new(), Vec::new(), Vec::new());
        Self { network, switches, hosts, ports, devices, aggregation, own_links, anomalies }
    }

    /// What the file says, of a network with the same nodes and perhaps more switches: these have addresses that no
    /// other node has.
    #[must_use]
    pub fn with_network(mut self, network: Network) -> Self {
        let more = network.switches().len() - self.switches.len();
        let taken = self.switches.iter().chain(&self.hosts).map(|address| address.guid).max();
        let free = taken.map_or(FIRST_SWITCH_GUID, |most| most.wrapping_add(1));
        self.switches.extend((0..more as u64).map(|i| Address {
            guid: free.wrapping_add(i),
            lid: None,
            lmc: 0,
        }));
        self.ports.resize(network.switches().len(), None);
        self.devices.resize(network.switches().len(), None);
        Self { network, ..self }
    }

    /// The local identifier of every node: that of the file, else the smallest that no other node has; nothing for more
    /// nodes than there are identifiers.
    #[must_use]
    pub fn lids(&self) -> Option<NodeLids> {
        let of_nodes = self.switches.iter().chain(&self.hosts).flat_map(Address::lids);
        let taken: BTreeSet<u16> = of_nodes.chain(self.left_out_lids()).collect();
        let mut free = (1..=MOST_LIDS).filter(|lid| !taken.contains(lid));
        let mut all = |lids: &mut dyn Iterator<Item = Option<u16>>| -> Option<Vec<u16>> {
            lids.map(|lid| lid.or_else(|| free.next())).collect()
        };
        Some(NodeLids {
            switches: all(&mut self.switches.iter().map(|address| address.lid))?,
            hosts: all(&mut self.hosts.iter().map(|address| address.lid))?,
            aggregation: all(&mut self.aggregation.iter().map(|node| node.lid))?,
        })
    }

    /// What InfiniBand adds to the numbers of the switches' ports: 1 where any cable is in a port 0, which is the
    /// switch itself there; else nothing. Files of InfiniBand that are written of the fabric, or read for it, count
    /// ports so.
    #[must_use]
    pub fn port_offset(&self) -> Port {
        let from_zero =
            self.network.switches().iter().any(|switch| matches!(switch.ports[..], [Some(_), ..]));
        Port::from(from_zero)
    }

    /// The switches by GUID.
    pub(crate) fn switches_by_guid(&self) -> BTreeMap<u64, SwitchId> {
        self.switches.iter().enumerate().map(|(i, address)| (address.guid, SwitchId::new(i))).collect()
    }

    /// The ports whose cables lead back to their own nodes.
    pub(crate) fn own_ends(&self) -> impl Iterator<Item = &OwnEnd> {
        self.own_links.iter().flat_map(|link| &link.ends)
    }

    /// Whether an aggregation node, or a port of a host, that was left out has this GUID.
    pub(crate) fn is_left_out_guid(&self, guid: u64) -> bool {
        let is_own = |end: &OwnEnd| end.address().is_some_and(|address| address.guid == guid);
        self.aggregation.iter().any(|node| node.guids.contains(&guid)) || self.own_ends().any(is_own)
    }

    /// The LIDs of aggregation nodes, and of ports of hosts, that were left out.
    pub(crate) fn left_out_lids(&self) -> impl Iterator<Item = u16> {
        let of_ports = self.own_ends().filter_map(OwnEnd::address).flat_map(Address::lids);
        self.aggregation.iter().filter_map(|node| node.lid).chain(of_ports)
    }

    /// The hosts by port GUID, and by all of their local identifiers.
    pub(crate) fn hosts_by_address(&self) -> (BTreeMap<u64, HostId>, BTreeMap<u16, HostId>) {
        let hosts = || self.hosts.iter().enumerate().map(|(i, address)| (address, HostId::new(i)));
        let by_lid = hosts().flat_map(|(address, id)| address.lids().map(move |lid| (lid, id))).collect();
        (hosts().map(|(address, id)| (address.guid, id)).collect(), by_lid)
    }

    /// The address of a switch or host.
    pub(crate) fn address(&self, node: Node) -> &Address {
        match node {
            Node::Switch(id) => &self.switches[id.index()],
            Node::Host(id) => &self.hosts[id.index()],
        }
    }

    /// The switch or host that has each local identifier of the file.
    pub(crate) fn nodes_by_lid(&self) -> BTreeMap<u16, Node> {
        let switches = self.network.switch_ids().map(Node::Switch);
        let nodes = switches.chain(self.network.host_ids().map(Node::Host));
        nodes.flat_map(|node| self.address(node).lids().map(move |lid| (lid, node))).collect()
    }
}
