//! Puts a network together and refuses what is not one.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_kernel::step;
use hopscope_units::{Rate, Span};
use thiserror::Error;

use crate::graph::drawing::place_hosts;
use crate::graph::{Endpoint, Host, HostId, Link, LinkId, Network, Node, Port, Role, Switch, SwitchId};
use crate::routes::RouteMemo;

/// Why a description is not a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// There is no switch at all.
    #[error("the network has no switch")]
    NoSwitch,
    /// Two nodes have one name.
    #[error("two nodes are named \"{name}\"")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Two switches have one unique identifier.
    #[error("switches \"{first}\" and \"{second}\" have the same uid {uid}")]
    DuplicateUid {
        /// The identifier.
        uid: u64,
        /// The switch that had it first.
        first: String,
        /// The switch that has it too.
        second: String,
    },
    /// Two links are plugged into one port.
    #[error("port {port} of switch \"{switch}\" is used twice")]
    PortUsedTwice {
        /// The switch.
        switch: String,
        /// Its port.
        port: Port,
    },
    /// A switch has more ports than can be numbered.
    #[error("switch \"{switch}\" has more than 65535 ports")]
    TooManyPorts {
        /// The switch.
        switch: String,
    },
    /// A host has no link.
    #[error("host \"{host}\" is attached to no switch")]
    HostWithoutSwitch {
        /// The host.
        host: String,
    },
    /// A host has two links.
    #[error("host \"{host}\" is attached twice, to \"{first}\" and \"{second}\"")]
    HostAttachedTwice {
        /// The host.
        host: String,
        /// The switch it was attached to first.
        first: String,
        /// The switch it was attached to after that.
        second: String,
    },
    /// A link leads from a switch to itself.
    #[error("switch \"{switch}\" is linked to itself")]
    SelfLink {
        /// The switch.
        switch: String,
    },
    /// The network falls into parts.
    #[error("the network is not connected: no path leads from \"{from}\" to \"{to}\"")]
    Disconnected {
        /// The first switch.
        from: String,
        /// One that cannot be reached from it.
        to: String,
    },
}

/// The progress text while a network is built.
const BUILDING: &str = "building the network";

/// A host as far as it is known before the network is complete.
struct LooseHost {
    name: String,
    role: Role,
    position: Option<(f64, f64)>,
    attachment: Option<(SwitchId, Port, LinkId)>,
}

/// Takes switches, hosts and links in any order; [`NetworkBuilder::build`] checks them all.
///
/// ```
/// use hopscope_topology::{NetworkBuilder, Role};
/// let mut builder = NetworkBuilder::new();
/// let (a, b) = (builder.add_switch("a"), builder.add_switch("b"));
/// builder.add_link(a, b, None, None);
/// builder.add_host("client", a, Role::Client);
/// builder.add_host("server", b, Role::Server);
/// assert_eq!(builder.build().unwrap().links().len(), 3);
/// ```
#[derive(Default)]
pub struct NetworkBuilder {
    switches: Vec<Switch>,
    hosts: Vec<LooseHost>,
    links: Vec<Link>,
    /// The first fault found while building; `build` returns it.
    fault: Option<NetworkError>,
}

impl NetworkBuilder {
    /// An empty network.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A new switch. Its uid is its index unless [`Self::set_uid`] says otherwise.
    pub fn add_switch(&mut self, name: impl Into<String>) -> SwitchId {
        step(BUILDING);
        let id = SwitchId::new(self.switches.len());
        let uid = self.switches.len() as u64;
        self.switches.push(Switch { name: name.into(), uid, position: None, ports: Vec::new() });
        id
    }

    /// Gives a switch another unique identifier.
    pub fn set_uid(&mut self, switch: SwitchId, uid: u64) {
        self.switches[switch.index()].uid = uid;
    }

    /// Says where to draw a switch or host.
    pub fn place(&mut self, node: Node, x: f64, y: f64) {
        match node {
            Node::Switch(id) => self.switches[id.index()].position = Some((x, y)),
            Node::Host(id) => self.hosts[id.index()].position = Some((x, y)),
        }
    }

    /// Where a switch is to be drawn.
    #[must_use]
    pub fn position(&self, switch: SwitchId) -> Option<(f64, f64)> {
        self.switches[switch.index()].position
    }

    /// A new host at the next free port of a switch.
    pub fn add_host(&mut self, name: impl Into<String>, switch: SwitchId, role: Role) -> HostId {
        let host = self.add_loose_host(name, role);
        self.attach(host, switch, None, None, None);
        host
    }

    /// A new host that [`Self::attach`] is to attach.
    pub fn add_loose_host(&mut self, name: impl Into<String>, role: Role) -> HostId {
        step(BUILDING);
        let id = HostId::new(self.hosts.len());
        self.hosts.push(LooseHost { name: name.into(), role, position: None, attachment: None });
        id
    }

    /// Attaches a host to a switch, at this port or the next free one.
    pub fn attach(
        &mut self,
        host: HostId,
        switch: SwitchId,
        port: Option<Port>,
        rate: Option<Rate>,
        delay: Option<Span>,
    ) -> LinkId {
        step(BUILDING);
        let link = LinkId::new(self.links.len());
        let port = self.plug(switch, port, link);
        self.links.push(Link {
            ends: [Endpoint::switch(switch, port), Endpoint::host(host)],
            rate,
            delay,
            lanes: None,
        });
        let LooseHost { name, attachment, .. } = &mut self.hosts[host.index()];
        if let Some((first, ..)) = attachment {
            let fault = NetworkError::HostAttachedTwice {
                host: name.clone(),
                first: self.switches[first.index()].name.clone(),
                second: self.switches[switch.index()].name.clone(),
            };
            self.fault.get_or_insert(fault);
        } else {
            *attachment = Some((switch, port, link));
        }
        link
    }

    /// A new link between two switches, each at its next free port.
    pub fn add_link(&mut self, a: SwitchId, b: SwitchId, rate: Option<Rate>, delay: Option<Span>) -> LinkId {
        self.add_link_at([(a, None), (b, None)], rate, delay)
    }

    /// A new link between two switches at these ports, or the next free one where none is given.
    pub fn add_link_at(
        &mut self,
        ends: [(SwitchId, Option<Port>); 2],
        rate: Option<Rate>,
        delay: Option<Span>,
    ) -> LinkId {
        let link = LinkId::new(self.links.len());
        if ends[0].0 == ends[1].0 {
            let switch = self.switches[ends[0].0.index()].name.clone();
            self.fault.get_or_insert(NetworkError::SelfLink { switch });
        }
        let ends = ends.map(|(switch, port)| Endpoint::switch(switch, self.plug(switch, port, link)));
        self.links.push(Link { ends, rate, delay, lanes: None });
        link
    }

    /// Says on how many lanes a link runs.
    pub fn set_lanes(&mut self, link: LinkId, lanes: u8) {
        self.links[link.index()].lanes = Some(lanes);
    }

    /// The switches added so far.
    #[must_use]
    pub fn switch_count(&self) -> usize {
        self.switches.len()
    }

    /// The hosts added so far.
    #[must_use]
    pub fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// The network, or the first thing that is wrong with it. Hosts without a place are drawn around their switches.
    ///
    /// # Errors
    /// No switch, a name or uid or port used twice, a host with no switch or two, a link from a switch to itself,
    /// more than 65535 ports at a switch, switches that cannot be reached.
    pub fn build(self) -> Result<Network, NetworkError> {
        let Self { switches, hosts, links, fault } = self;
        if let Some(fault) = fault {
            return Err(fault);
        }
        if switches.is_empty() {
            return Err(NetworkError::NoSwitch);
        }
        let mut first_with_uid = BTreeMap::new();
        for switch in &switches {
            if let Some(first) = first_with_uid.insert(switch.uid, &switch.name) {
                let (first, second) = (first.clone(), switch.name.clone());
                return Err(NetworkError::DuplicateUid { uid: switch.uid, first, second });
            }
        }
        let mut attached = Vec::with_capacity(hosts.len());
        for LooseHost { name, role, position, attachment } in hosts {
            let Some((switch, port, link)) = attachment else {
                return Err(NetworkError::HostWithoutSwitch { host: name });
            };
            attached.push(Host { name, role, switch, port, link, position });
        }
        let mut network = Network {
            switches,
            hosts: attached,
            links,
            by_name: BTreeMap::new(),
            other_names: BTreeMap::new(),
            own_names: BTreeMap::new(),
            routes: RouteMemo::default(),
            cube: None,
        };
        network.by_name = names(&network)?;
        check_connected(&network)?;
        place_hosts(&mut network);
        Ok(network)
    }

    /// Plugs a link into a port of a switch, the next free one where none is given.
    fn plug(&mut self, switch: SwitchId, port: Option<Port>, link: LinkId) -> Port {
        let Switch { name, ports, .. } = &mut self.switches[switch.index()];
        let index = port.map_or(ports.len(), usize::from);
        if index >= usize::from(Port::MAX) {
            self.fault.get_or_insert(NetworkError::TooManyPorts { switch: name.clone() });
            return Port::MAX;
        }
        if index >= ports.len() {
            ports.resize(index + 1, None);
        }
        let port = index as Port;
        if ports[index].replace(link).is_some() {
            self.fault.get_or_insert(NetworkError::PortUsedTwice { switch: name.clone(), port });
        }
        port
    }
}

/// All nodes by name.
fn names(network: &Network) -> Result<BTreeMap<String, Node>, NetworkError> {
    let switches = network.switch_ids().map(Node::Switch);
    let mut by_name = BTreeMap::new();
    for node in switches.chain(network.host_ids().map(Node::Host)) {
        let name = network.name(node).to_owned();
        if by_name.insert(name.clone(), node).is_some() {
            return Err(NetworkError::DuplicateName { name });
        }
    }
    Ok(by_name)
}

/// Every switch must be reachable from the first.
fn check_connected(network: &Network) -> Result<(), NetworkError> {
    let mut reached = BTreeSet::from([SwitchId::new(0)]);
    let mut frontier = vec![SwitchId::new(0)];
    while let Some(switch) = frontier.pop() {
        frontier
            .extend(network.neighbours(switch).map(|(_, _, far, _)| far).filter(|far| reached.insert(*far)));
    }
    match network.switch_ids().find(|id| !reached.contains(id)) {
        None => Ok(()),
        Some(lost) => Err(NetworkError::Disconnected {
            from: network.switches[0].name.clone(),
            to: network.switch(lost).name.clone(),
        }),
    }
}
