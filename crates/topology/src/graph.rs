//! Switches, hosts and links: the network as everything else sees it.

pub(crate) mod builder;
pub(crate) mod cube;
pub(crate) mod drawing;
mod placement;

use std::collections::BTreeMap;

use hopscope_units::{Rate, Span, typed_ids};
use serde::{Deserialize, Serialize};

use crate::routes::RouteMemo;
pub use builder::{NetworkBuilder, NetworkError};
pub use cube::Cube;

typed_ids! {
    /// A switch of a network.
    pub struct SwitchId = "switch";
    /// A host of a network.
    pub struct HostId = "host";
    /// A link of a network, between two switches or between a host and its switch.
    pub struct LinkId = "link";
}

/// The index of a port within its switch. A host has one port, 0.
pub type Port = u16;

/// What stands at one end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A switch.
    Switch(SwitchId),
    /// A host.
    Host(HostId),
}

/// One end of a link: a node and the port that the link is plugged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint {
    /// The switch or host.
    pub node: Node,
    /// The port of that node.
    pub port: Port,
}

impl Endpoint {
    /// This port of this switch.
    #[must_use]
    pub const fn switch(switch: SwitchId, port: Port) -> Self {
        Self { node: Node::Switch(switch), port }
    }

    /// The port of this host.
    #[must_use]
    pub const fn host(host: HostId) -> Self {
        Self { node: Node::Host(host), port: 0 }
    }
}

/// A full-duplex link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The two ends. A host's link has its switch first.
    pub ends: [Endpoint; 2],
    /// The rate in each direction, where the network's description says; else the scenario's default holds.
    pub rate: Option<Rate>,
    /// The propagation delay, where the network's description says; else the scenario's default holds.
    pub delay: Option<Span>,
    /// How many lanes it runs on, such as 4 of a 4xEDR, where the network's description says.
    pub lanes: Option<u8>,
}

impl Link {
    /// The end that is not `end`. Panics where `end` is no end of this link: a program error.
    #[inline]
    #[must_use]
    pub fn far(&self, end: Endpoint) -> Endpoint {
        if self.ends[0] == end {
            self.ends[1]
        } else {
            assert!(self.ends[1] == end, "{end:?} is no end of this link");
            self.ends[0]
        }
    }

    /// The two switches that this link joins; nothing for a host's link.
    #[must_use]
    pub fn switches(&self) -> Option<[SwitchId; 2]> {
        match [self.ends[0].node, self.ends[1].node] {
            [Node::Switch(a), Node::Switch(b)] => Some([a, b]),
            _ => None,
        }
    }
}

/// A switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// The name, unique among switches and hosts.
    pub name: String,
    /// The unique identifier by which AN1 picks the root and breaks ties (section 2.1).
    pub uid: u64,
    /// Where to draw it: x to the right, y down, in units of the distance between neighbours.
    pub position: Option<(f64, f64)>,
    /// What is plugged into each port.
    pub ports: Vec<Option<LinkId>>,
}

/// The role of a host in client/server traffic.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Sends to servers only.
    Client,
    /// Sends to clients only.
    Server,
    /// Sends to every host.
    #[default]
    Any,
}

/// A host, attached to one switch by one link.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// The name, unique among switches and hosts.
    pub name: String,
    /// Client, server or any.
    pub role: Role,
    /// The switch that it is attached to.
    pub switch: SwitchId,
    /// The port of that switch.
    pub port: Port,
    /// The link between the two.
    pub link: LinkId,
    /// Where to draw it, in the units of [`Switch::position`].
    pub position: Option<(f64, f64)>,
}

/// A connected network of switches with the hosts attached to them.
///
/// Made by [`crate::NetworkBuilder`], which refuses what is not one.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    pub(crate) switches: Vec<Switch>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) links: Vec<Link>,
    pub(crate) by_name: BTreeMap<String, Node>,
    /// Further names by which nodes are known: those of a file whose own are too long or not unique.
    pub(crate) other_names: BTreeMap<String, Node>,
    /// What nodes were called before they got short names.
    pub(crate) own_names: BTreeMap<Node, String>,
    /// Routes computed so far.
    pub(crate) routes: RouteMemo,
    /// Its dimensions, where it is a mesh, torus or hypercube made by its family.
    pub(crate) cube: Option<Cube>,
}

impl Network {
    /// All switches, by id.
    #[inline]
    #[must_use]
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// All hosts, by id.
    #[inline]
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// All links, by id.
    #[inline]
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The switch with this id.
    #[inline]
    #[must_use]
    pub fn switch(&self, id: SwitchId) -> &Switch {
        &self.switches[id.index()]
    }

    /// The host with this id.
    #[inline]
    #[must_use]
    pub fn host(&self, id: HostId) -> &Host {
        &self.hosts[id.index()]
    }

    /// The link with this id.
    #[inline]
    #[must_use]
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// The same network with one more link between two switches, each at its first free port or a new one.
    ///
    /// # Panics
    /// Where the two are one, or a switch has no port number left.
    #[must_use]
    pub fn with_link(&self, ends: [SwitchId; 2], rate: Option<Rate>, delay: Option<Span>) -> Self {
        assert!(ends[0] != ends[1], "a link joins two switches");
        // Another network: it has no routes yet, and no dimensions.
        let mut network = Self { routes: RouteMemo::default(), cube: None, ..self.clone() };
        let link = LinkId::new(network.links.len());
        let ends = ends.map(|switch| {
            let ports = &mut network.switches[switch.index()].ports;
            let free = ports.iter().position(Option::is_none).unwrap_or(ports.len());
            ports.resize(ports.len().max(free + 1), None);
            ports[free] = Some(link);
            Endpoint::switch(switch, Port::try_from(free).expect("a port number is left"))
        });
        network.links.push(Link { ends, rate, delay, lanes: None });
        network
    }

    /// The same network with one more switch, and a cable from it to each of these free ports of others.
    ///
    /// # Panics
    /// Where the name is taken, or a port is in use: a program error.
    #[must_use]
    pub(crate) fn with_switch(
        &self,
        name: String,
        below: &[Endpoint],
        (rate, delay): (Option<Rate>, Option<Span>),
    ) -> Self {
        let mut network = Self { routes: RouteMemo::default(), cube: None, ..self.clone() };
        let id = SwitchId::new(network.switches.len());
        let taken = network.by_name.insert(name.clone(), Node::Switch(id));
        assert!(taken.is_none(), "two nodes have one name");
        let uid =
            network.switches.iter().map(|switch| switch.uid).max().map_or(0, |most| most.wrapping_add(1));
        let mut ports = Vec::new();
        for (end, own) in below.iter().zip(0..) {
            let link = LinkId::new(network.links.len());
            if let Node::Switch(switch) = end.node {
                let port = &mut network.switches[switch.index()].ports[usize::from(end.port)];
                assert!(port.replace(link).is_none(), "the port is in use");
            }
            network.links.push(Link { ends: [*end, Endpoint::switch(id, own)], rate, delay, lanes: None });
            ports.push(Some(link));
        }
        network.switches.push(Switch { name, uid, position: None, ports });
        network
    }

    /// The same network with some of its links plugged in elsewhere, each with its new ends: a host's link with its
    /// switch first.
    ///
    /// # Panics
    /// Where a new end is in use by another link, or is no port of the network: a program error.
    #[must_use]
    pub(crate) fn replugged(&self, moved: &BTreeMap<LinkId, [Endpoint; 2]>) -> Self {
        let mut network = self.keeping_links(|link| !moved.contains_key(&link));
        for (&link, ends) in moved {
            for end in ends {
                let Node::Switch(switch) = end.node else { continue };
                let ports = &mut network.switches[switch.index()].ports;
                let port = usize::from(end.port);
                ports.resize(ports.len().max(port + 1), None);
                assert!(ports[port].is_none(), "the port is in use");
                ports[port] = Some(link);
            }
            network.links[link.index()].ends = *ends;
            if let [Endpoint { node: Node::Switch(switch), port }, Endpoint { node: Node::Host(host), .. }] =
                *ends
            {
                let host = &mut network.hosts[host.index()];
                (host.switch, host.port) = (switch, port);
            }
        }
        network
    }

    /// The ids of all switches.
    pub fn switch_ids(&self) -> impl ExactSizeIterator<Item = SwitchId> + use<> {
        (0..self.switches.len()).map(SwitchId::new)
    }

    /// The ids of all hosts.
    pub fn host_ids(&self) -> impl ExactSizeIterator<Item = HostId> + use<> {
        (0..self.hosts.len()).map(HostId::new)
    }

    /// The ids of all links.
    pub fn link_ids(&self) -> impl ExactSizeIterator<Item = LinkId> + use<> {
        (0..self.links.len()).map(LinkId::new)
    }

    /// The switch or host of this name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<Node> {
        self.by_name.get(name).or_else(|| self.other_names.get(name)).copied()
    }

    /// What a node was called before it got a short name, where it did: the file's own name.
    #[must_use]
    pub fn own_name(&self, node: Node) -> Option<&str> {
        self.own_names.get(&node).map(String::as_str)
    }

    /// The same network under other names; what nodes were called before stands for them still, and so do these further
    /// names, where nothing else is called so.
    ///
    /// # Panics
    /// Where two nodes get one name.
    #[must_use]
    pub fn renamed(
        mut self,
        name: impl Fn(Node) -> String,
        further: impl IntoIterator<Item = (String, Node)>,
    ) -> Self {
        let before = std::mem::take(&mut self.by_name);
        for id in self.switch_ids() {
            self.switches[id.index()].name = name(Node::Switch(id));
        }
        for id in self.host_ids() {
            self.hosts[id.index()].name = name(Node::Host(id));
        }
        let nodes = self.switch_ids().map(Node::Switch).chain(self.host_ids().map(Node::Host));
        self.by_name = nodes.map(|node| (self.name(node).to_owned(), node)).collect();
        assert_eq!(self.by_name.len(), self.switches.len() + self.hosts.len(), "two nodes have one name");
        let changed = before.iter().filter(|(name, node)| self.name(**node) != name.as_str());
        self.own_names = changed.map(|(name, node)| (*node, name.clone())).collect();
        for (name, node) in before.into_iter().chain(further) {
            if !self.by_name.contains_key(&name) {
                self.other_names.entry(name).or_insert(node);
            }
        }
        self
    }

    /// The name of a switch or host.
    #[must_use]
    pub fn name(&self, node: Node) -> &str {
        match node {
            Node::Switch(id) => &self.switch(id).name,
            Node::Host(id) => &self.host(id).name,
        }
    }

    /// What the cable in this port of this switch leads to; nothing where the port is free.
    #[must_use]
    pub fn far_end(&self, switch: SwitchId, port: Port) -> Option<Endpoint> {
        let link = (*self.switch(switch).ports.get(usize::from(port))?)?;
        Some(self.link(link).far(Endpoint::switch(switch, port)))
    }

    /// The neighbours of a switch among the switches, one for each link: own port, link, far switch, far port.
    pub fn neighbours(
        &self,
        switch: SwitchId,
    ) -> impl Iterator<Item = (Port, LinkId, SwitchId, Port)> + use<'_> {
        let ports = self.switch(switch).ports.iter().enumerate();
        ports.filter_map(move |(port, link)| {
            let (port, link) = (port as Port, (*link)?);
            match self.link(link).far(Endpoint::switch(switch, port)) {
                Endpoint { node: Node::Switch(far), port: far_port } => Some((port, link, far, far_port)),
                Endpoint { node: Node::Host(_), .. } => None,
            }
        })
    }

    /// How many hosts each switch has, by switch id.
    #[must_use]
    pub fn hosts_per_switch(&self) -> Vec<u32> {
        let mut counts = vec![0; self.switches.len()];
        for host in &self.hosts {
            counts[host.switch.index()] += 1;
        }
        counts
    }

    /// The dimensions of a mesh, torus, hypercube, line or ring; nothing for any other network.
    #[must_use]
    pub fn cube(&self) -> Option<&Cube> {
        self.cube.as_ref()
    }

    /// The same network with other rates and lanes of those links that this gives some for. Its routes stay.
    #[must_use]
    pub fn with_speeds(&self, speed: impl Fn(LinkId) -> Option<(Rate, Option<u8>)>) -> Self {
        let mut network = self.clone();
        for (number, link) in network.links.iter_mut().enumerate() {
            if let Some((rate, lanes)) = speed(LinkId::new(number)) {
                (link.rate, link.lanes) = (Some(rate), lanes);
            }
        }
        network
    }

    /// The same network with only some of its links, each of its nodes and ports named and numbered as before. It may
    /// fall into parts, and it has no dimensions any more where a link has gone.
    #[must_use]
    pub fn keeping_links(&self, stays: impl Fn(LinkId) -> bool) -> Self {
        let mut left = Self { routes: RouteMemo::default(), ..self.clone() };
        for switch in &mut left.switches {
            for port in &mut switch.ports {
                *port = port.filter(|&link| stays(link));
            }
        }
        if !self.link_ids().all(stays) {
            left.cube = None;
        }
        left
    }

    /// The name nearest to a wrong one, for a hint, where any is near.
    #[must_use]
    pub fn name_like(&self, wrong: &str) -> Option<&str> {
        nearest(self.by_name.keys().map(String::as_str), wrong)
    }

    /// The host by this name, else what is wrong with the name and a hint.
    ///
    /// # Errors
    /// It is the name of a switch, or of nothing.
    pub fn host_named(&self, name: &str) -> Result<HostId, (String, Option<String>)> {
        match self.node(name) {
            Some(Node::Host(host)) => Ok(host),
            Some(Node::Switch(_)) => Err((format!("\"{name}\" is a switch"), None)),
            None => Err(self.several_hosts(name).map_or_else(
                || unknown("host", self.hosts().iter().map(|host| host.name.as_str()), name),
                |several| (several, None),
            )),
        }
    }

    /// What is wrong with a name that several hosts have in the network's file, which are called otherwise here.
    fn several_hosts(&self, name: &str) -> Option<String> {
        let is_called = |own: &str| own == name || own.split_whitespace().next() == Some(name);
        let hosts = self.host_ids().map(Node::Host);
        let found: Vec<String> = hosts
            .filter(|host| self.own_name(*host).is_some_and(is_called))
            .map(|host| format!("\"{}\"", self.name(host)))
            .collect();
        let names = || crate::listed(&found);
        (found.len() > 1)
            .then(|| format!("{} hosts are called \"{name}\": give one as {}", found.len(), names()))
    }

    /// The switch by this name, else what is wrong with the name and a hint.
    ///
    /// # Errors
    /// It is the name of a host, or of nothing.
    pub fn switch_named(&self, name: &str) -> Result<SwitchId, (String, Option<String>)> {
        match self.node(name) {
            Some(Node::Switch(switch)) => Ok(switch),
            Some(Node::Host(_)) => Err((format!("\"{name}\" is a host"), None)),
            None => Err(unknown("switch", self.switches().iter().map(|switch| switch.name.as_str()), name)),
        }
    }
}

/// What is wrong with a name that none of these nodes has, and a hint.
fn unknown<'a>(node: &str, names: impl Iterator<Item = &'a str>, name: &str) -> (String, Option<String>) {
    let hint = nearest(names, name).map(|like| format!("did you mean \"{like}\"?"));
    (format!("no {node} is called \"{name}\""), hint)
}

/// The name nearest to a wrong one, where it is so near that it may have been meant.
#[must_use]
pub fn nearest<'a>(names: impl Iterator<Item = &'a str>, wrong: &str) -> Option<&'a str> {
    let near = names.map(|name| (strsim::damerau_levenshtein(name, wrong), name)).min();
    near.filter(|(edits, name)| *edits <= 1 + wrong.len() / 4 && *edits < name.len()).map(|(_, name)| name)
}
