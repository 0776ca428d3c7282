//! A network as a reader found it, with the byte at which everything begins, so that what is wrong can be pointed at.

use std::collections::BTreeSet;

use hopscope_topology::{HostRate, Network, NetworkBuilder, NetworkError, Node, Port, Role, SwitchId};
use hopscope_units::{Rate, Span};

use crate::error::Fault;

/// What helps with a host that has several links.
const SEVERAL_LINKS: &str =
    "a host with several links is one host a link, as in h:1 and h:2: `hopscope import` makes that of a list";

/// A switch or host of a file.
pub(crate) struct NodeDraft {
    pub name: String,
    pub byte: usize,
    /// The role of a host; nothing for a switch.
    pub host: Option<Role>,
    pub uid: Option<u64>,
    pub position: Option<(f64, f64)>,
}

/// A link of a file, between two of its nodes by their index.
pub(crate) struct LinkDraft {
    pub ends: [usize; 2],
    pub ports: [Option<Port>; 2],
    pub rate: Option<Rate>,
    pub delay: Option<Span>,
    pub lanes: Option<u8>,
    pub byte: usize,
}

/// Hosts for a file that has none.
#[derive(Clone, Copy)]
pub(crate) struct AttachedHosts {
    pub per_switch: u32,
    pub rate: HostRate,
}

impl AttachedHosts {
    /// `per_switch` at each switch, with links of unstated rate.
    pub const fn of_default_rate(per_switch: u32) -> Self {
        Self { per_switch, rate: HostRate::Default }
    }

    /// For files that have their hosts.
    pub const NONE: Self = Self::of_default_rate(0);
}

/// All that a file says. Names are unique.
#[derive(Default)]
pub(crate) struct Draft {
    pub nodes: Vec<NodeDraft>,
    pub links: Vec<LinkDraft>,
}

impl Draft {
    /// The switch that a node becomes.
    pub fn switch_id(&self, node: usize) -> SwitchId {
        SwitchId::new(self.nodes[..node].iter().filter(|before| before.host.is_none()).count())
    }

    /// The network, with hosts attached to each switch where the file has no host at all.
    pub fn into_network(self, attached: AttachedHosts) -> Result<Network, Fault> {
        self.check_links()?;
        let ports = self.ports()?;
        let mut builder = NetworkBuilder::new();
        let ids: Vec<Node> = self.nodes.iter().map(|node| add_node(&mut builder, node)).collect();
        for (link, ports) in self.links.iter().zip(ports) {
            let [a, b] = link.ends.map(|end| ids[end]);
            let id = match (a, b) {
                (Node::Switch(a), Node::Switch(b)) => {
                    builder.add_link_at([(a, ports[0]), (b, ports[1])], link.rate, link.delay)
                }
                (Node::Switch(switch), Node::Host(host)) => {
                    builder.attach(host, switch, ports[0], link.rate, link.delay)
                }
                (Node::Host(host), Node::Switch(switch)) => {
                    builder.attach(host, switch, ports[1], link.rate, link.delay)
                }
                (Node::Host(_), Node::Host(_)) => unreachable!("checked before"),
            };
            if let Some(lanes) = link.lanes {
                builder.set_lanes(id, lanes);
            }
        }
        if builder.host_count() == 0 {
            self.attach_hosts(&mut builder, attached);
        }
        builder.build().map_err(|error| self.point_at(&error))
    }

    /// Links must join two different nodes, one of them a switch, and hosts have one link each.
    fn check_links(&self) -> Result<(), Fault> {
        let mut switch_of: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for link in &self.links {
            let [a, b] = link.ends;
            let name = |end: usize| &self.nodes[end].name;
            if a == b {
                let problem = format!("\"{}\" is linked to itself", name(a));
                return Err(Fault::at(link.byte, problem, "a link between two different nodes"));
            }
            let (host, other) = match (self.nodes[a].host, self.nodes[b].host) {
                (None, None) => continue,
                (Some(_), None) => (a, b),
                (None, Some(_)) => (b, a),
                (Some(_), Some(_)) => {
                    let problem =
                        format!("hosts \"{}\" and \"{}\" are linked to each other", name(a), name(b));
                    return Err(Fault::at(link.byte, problem, "a host linked to a switch"));
                }
            };
            if let Some(first) = switch_of[host].replace(other) {
                let problem = format!("host \"{}\" is linked to \"{}\" already", name(host), name(first));
                return Err(Fault::at(link.byte, problem, "one link for each host").hint(SEVERAL_LINKS));
            }
        }
        let loose = |(index, node): &(usize, &NodeDraft)| node.host.is_some() && switch_of[*index].is_none();
        match self.nodes.iter().enumerate().find(loose) {
            None => Ok(()),
            Some((_, node)) => {
                let problem = format!("host \"{}\" has no link", node.name);
                Err(Fault::at(node.byte, problem, "a link to a switch"))
            }
        }
    }

    /// The ports of each link's ends: as the file says, else the smallest that it leaves free.
    fn ports(&self) -> Result<Vec<[Option<Port>; 2]>, Fault> {
        let mut taken: Vec<BTreeSet<Port>> = vec![BTreeSet::new(); self.nodes.len()];
        for link in &self.links {
            for (&end, port) in link.ends.iter().zip(link.ports) {
                if let Some(port) = port
                    && !taken[end].insert(port)
                {
                    let problem = format!("port {port} of \"{}\" is used twice", self.nodes[end].name);
                    return Err(Fault::at(link.byte, problem, "one link in each port"));
                }
            }
        }
        let mut next: Vec<Port> = vec![0; self.nodes.len()];
        let mut free_port = |end: usize| {
            while taken[end].contains(&next[end]) && next[end] < Port::MAX {
                next[end] += 1;
            }
            let port = next[end];
            next[end] = port.saturating_add(1);
            port
        };
        let of_link = |link: &LinkDraft| {
            let mut ports = link.ports;
            for (port, &end) in ports.iter_mut().zip(&link.ends) {
                *port = port.or_else(|| Some(free_port(end)));
            }
            ports
        };
        Ok(self.links.iter().map(of_link).collect())
    }

    /// Attaches hosts to every switch, under names that no node of the file has.
    fn attach_hosts(&self, builder: &mut NetworkBuilder, attached: AttachedHosts) {
        let names: BTreeSet<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
        let mut free_names = (0..).map(|i| format!("h{i}")).filter(|name| !names.contains(name.as_str()));
        let mut fastest: Vec<Option<Rate>> = vec![None; self.nodes.len()];
        if attached.rate == HostRate::FastestLink {
            for (end, link) in self.links.iter().flat_map(|link| link.ends.map(|end| (end, link))) {
                fastest[end] = fastest[end].max(link.rate);
            }
        }
        // Without hosts in the file all nodes are switches.
        for (switch, rate) in (0..builder.switch_count()).map(SwitchId::new).zip(fastest) {
            for _ in 0..attached.per_switch {
                let name = free_names.next().expect("numbers do not end");
                let host = builder.add_loose_host(name, Role::Any);
                builder.attach(host, switch, None, rate, None);
            }
        }
    }

    /// The same fault at the node that it names.
    fn point_at(&self, error: &NetworkError) -> Fault {
        let (name, expected) = match error {
            NetworkError::NoSwitch => return Fault::at(0, error.to_string(), "a switch"),
            NetworkError::DuplicateName { name } => (name, "a name of its own for each node"),
            NetworkError::DuplicateUid { second, .. } => (second, "a uid of its own for each switch"),
            NetworkError::PortUsedTwice { switch, .. } => (switch, "one link in each port"),
            NetworkError::TooManyPorts { switch } => (switch, "at most 65535 links"),
            NetworkError::HostWithoutSwitch { host } => (host, "a link to a switch"),
            NetworkError::HostAttachedTwice { host, .. } => (host, "one link for each host"),
            NetworkError::SelfLink { switch } => (switch, "a link between two different nodes"),
            NetworkError::Disconnected { to, .. } => (to, "a path between any two switches"),
        };
        let node = self.nodes.iter().find(|node| node.name == *name);
        Fault::at(node.map_or(0, |node| node.byte), error.to_string(), expected)
    }
}

fn add_node(builder: &mut NetworkBuilder, node: &NodeDraft) -> Node {
    let id = match node.host {
        Some(role) => Node::Host(builder.add_loose_host(&node.name, role)),
        None => {
            let switch = builder.add_switch(&node.name);
            if let Some(uid) = node.uid {
                builder.set_uid(switch, uid);
            }
            Node::Switch(switch)
        }
    };
    if let Some((x, y)) = node.position {
        builder.place(id, x, y);
    }
    id
}
