//! InfiniBand fabrics as `iblinkinfo` prints them: a row for each port with the state of its link, also where it is
//! down, and what it could be.
//!
//! ```text
//! Switch: 0x0000000000200003 leaf 1:
//!     5    1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>   7    2[  ] "spine 1" ( )
//!     5    3[  ] ==(                     Down/ Polling)==>         [  ] "" ( )
//! ```
//!
//! With `-l` each row has both GUIDs instead of a heading, so that only the number of its rows distinguishes a switch
//! from a host. With `--switches-only` hosts have no rows: a node without rows that switches lead to is a host.

mod oddities;
mod rows;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{GraphFormat, HostId, Node, Port, Role, SwitchId};
use hopscope_units::Rate;

use crate::error::{Fault, FormatError, Place};
use crate::fabric::FabricFormat;
use crate::fabric::aggregation::{self, AggregationNode, is_aggregation_node};
use crate::fabric::cabled::{Address, CabledNetwork, FIRST_HOST_GUID};
use crate::fabric::draft::{AttachedHosts, Draft, LinkDraft, NodeDraft};
use crate::fabric::ibnetdiscover::{Adapter, Width, partly_cabled};
use crate::fabric::identity::{GuidOf, Identities};
use crate::fabric::naming::{self, Called};
use crate::fabric::own_link::{self, OwnEnd, OwnLink};
use crate::fabric::{rails, unaddressed};
use rows::{End, Heading, Kind, Row, Socket, State};

/// The format: see the file's head.
pub(super) const FORMAT: FabricFormat = FabricFormat {
    format: GraphFormat::Iblinkinfo,
    name: "iblinkinfo",
    known_as: &["iblinkinfo"],
    endings: &["iblinkinfo"],
    about: "`iblinkinfo` output, also with `-l`, `-p` or `--switches-only`: the same, and which ports are down or run below what they could",
    left_aside: "settings of ports that `-p` adds; links that are not active, aggregation nodes (SHARP) and cables of a node to itself are left out, and told",
    example: "Switch: 0x2c902004",
    looks_like: rows::looks_like,
    is_infiniband: true,
    has_hosts: true,
    read: |text, _| read(text),
};

/// Reads a fabric. Links that are not active are no part of it.
///
/// # Errors
/// The first line that is not of this form, or whatever keeps the fabric from being a network, with its place.
pub fn read(text: &str) -> Result<CabledNetwork, FormatError> {
    let read_all = || {
        let (headings, rows) = rows::read(text)?;
        Listing::new(text, headings, rows)?.finish()
    };
    read_all().map_err(|fault: Fault| fault.in_text(text))
}

/// A node: its heading, or what its rows have in common.
struct NodeRows<'a> {
    kind: Kind,
    name: &'a str,
    guid: Option<u64>,
    byte: usize,
    /// Whether a heading states its kind.
    is_headed: bool,
    /// Its rows, by number.
    rows: Vec<usize>,
}

impl<'a> NodeRows<'a> {
    /// Whether it is a part of a switch that only looks like a channel adapter.
    fn is_aggregation_node(&self) -> bool {
        self.kind == Kind::Host && is_aggregation_node(None, self.name)
    }

    /// A node that stands for itself, until more of its rows are found.
    fn of_end(end: &End<'a>, byte: usize) -> Self {
        Self { kind: Kind::Host, name: end.name, guid: end.guid, byte, is_headed: false, rows: Vec::new() }
    }
}

/// The rows while they become a network.
struct Listing<'a> {
    text: &'a str,
    rows: Vec<Row<'a>>,
    nodes: Vec<NodeRows<'a>>,
    /// The node and the row of each port.
    at: BTreeMap<Socket, (usize, usize)>,
}

impl<'a> Listing<'a> {
    fn new(text: &'a str, headings: Vec<Heading<'a>>, rows: Vec<Row<'a>>) -> Result<Self, Fault> {
        let mut nodes: Vec<NodeRows<'a>> = headings
            .into_iter()
            .map(|Heading { kind, guid, name, byte }| NodeRows {
                kind,
                name,
                guid,
                byte,
                is_headed: true,
                rows: Vec::new(),
            })
            .collect();
        let mut by_guid = BTreeMap::new();
        for (number, row) in rows.iter().enumerate() {
            let node = row.heading.unwrap_or_else(|| {
                *by_guid.entry(row.near.socket.node).or_insert_with(|| {
                    nodes.push(NodeRows::of_end(&row.near, row.byte));
                    nodes.len() - 1
                })
            });
            nodes[node].rows.push(number);
        }
        for node in by_guid.into_values() {
            if nodes[node].rows.len() > 1 {
                nodes[node].kind = Kind::Switch;
            }
        }
        let mut listing = Self { text, rows, nodes, at: BTreeMap::new() };
        listing.place_ports()?;
        listing.add_unlisted()?;
        listing.join_ports_of_hosts();
        listing.check_identities()?;
        Ok(listing)
    }

    /// Notes where each port with a live link stands.
    fn place_ports(&mut self) -> Result<(), Fault> {
        for (node, number) in
            self.nodes.iter().enumerate().flat_map(|(node, of)| of.rows.iter().map(move |row| (node, *row)))
        {
            let row = &self.rows[number];
            if let State::Dead(_) = row.state {
                continue;
            }
            if let Some((_, first)) = self.at.insert(row.near.socket, (node, number)) {
                let line = Place::of_byte(self.text, self.rows[first].byte).line;
                let problem =
                    format!("port {} is listed twice: on line {line} already", row.near.socket.port);
                return Err(
                    Fault::at(row.byte, problem, "one row for each port").hint("are these two files in one?")
                );
            }
        }
        Ok(())
    }

    /// Adds what rows lead to and what has none itself: hosts, where only switches are listed.
    fn add_unlisted(&mut self) -> Result<(), Fault> {
        let of_nodes: BTreeSet<u64> = self.at.keys().map(|socket| socket.node).collect();
        let lists_hosts = self.nodes.iter().any(|node| node.kind == Kind::Host);
        let mut unlisted: BTreeMap<u64, usize> = BTreeMap::new();
        for number in 0..self.rows.len() {
            let State::Up { far, .. } = self.rows[number].state else { continue };
            if of_nodes.contains(&far.socket.node) {
                continue;
            }
            let byte = self.rows[number].byte;
            if lists_hosts || unlisted.insert(far.socket.node, number).is_some() {
                let problem = format!("\"{}\" has no rows of its own", far.name);
                return Err(Fault::at(byte, problem, "rows of every switch, and of all hosts or none")
                    .hint("is the file cut short?"));
            }
            self.at.insert(far.socket, (self.nodes.len(), number));
            self.nodes.push(NodeRows::of_end(&far, byte));
        }
        Ok(())
    }

    /// Without headings the ports of a host stand alone. Those under one name are one host's where no two of them have
    /// the same number: unnamed hosts also share a name, and the same numbers.
    fn join_ports_of_hosts(&mut self) {
        let mut by_name: BTreeMap<&str, Vec<Socket>> = BTreeMap::new();
        for (socket, (node, _)) in &self.at {
            let node = &self.nodes[*node];
            if node.kind == Kind::Host && !node.is_headed && !node.name.is_empty() {
                by_name.entry(node.name).or_default().push(*socket);
            }
        }
        for mut sockets in by_name.into_values().filter(|sockets| sockets.len() > 1) {
            sockets.sort_by_key(|socket| socket.port);
            if sockets.windows(2).any(|pair| pair[0].port == pair[1].port) {
                continue;
            }
            let host = self.at[&sockets[0]].0;
            for socket in &sockets[1..] {
                let at = self.at.get_mut(socket).expect("a socket of the listing");
                let rows = std::mem::take(&mut self.nodes[at.0].rows);
                at.0 = host;
                self.nodes[host].rows.extend(rows);
            }
        }
    }

    /// Refuses identifiers that two nodes have, by the rows of live links.
    fn check_identities(&self) -> Result<(), Fault> {
        let mut identities = Identities::new(self.text);
        for (socket, &(node, number)) in &self.at {
            let (of, byte, end) = (&self.nodes[node], self.rows[number].byte, self.end(*socket));
            let owner = (node, if of.kind == Kind::Switch { 0 } else { socket.port });
            if let Some(guid) = end.guid {
                identities.guid(owner, of.name, byte, (GuidOf::Port, guid))?;
            }
            if end.lid > 0 {
                identities.lids(owner, of.name, byte, (end.lid, 0))?;
            }
        }
        Ok(())
    }

    /// The live links, in the order of their first ends.
    fn links(&self) -> Result<Vec<Live>, Fault> {
        let mut links = Vec::new();
        for (&near, &(_, number)) in &self.at {
            let row = &self.rows[number];
            let State::Up { far, .. } = row.state else { continue };
            if row.near.socket != near {
                // An unlisted host stands in the row of its switch.
                continue;
            }
            let end = || format!("port {} of \"{}\"", far.socket.port, far.name);
            let Some(&(_, back_number)) = self.at.get(&far.socket) else {
                let problem = format!("this link is not active at its other end, {}", end());
                return Err(Fault::at(row.byte, problem, "an active row for it there")
                    .hint("is the file cut short, or did the link change while it was printed?"));
            };
            let back = &self.rows[back_number];
            let is_listed = back.near.socket == far.socket;
            if is_listed && !matches!(back.state, State::Up { far, .. } if far.socket == near) {
                let line = Place::of_byte(self.text, back.byte).line;
                let problem = format!("line {line} says that {} leads elsewhere", end());
                return Err(Fault::at(row.byte, problem, "the same link at both ends"));
            }
            if !is_listed || near <= far.socket {
                links.push(Live { ends: [near, far.socket], rows: [number, back_number] });
            }
        }
        Ok(links)
    }

    fn is_aggregation_node(&self, end: Socket) -> bool {
        self.nodes[self.at[&end].0].is_aggregation_node()
    }

    /// Whether a link joins a node to itself.
    fn is_own(&self, link: &Live) -> bool {
        let [one, other] = link.ends.map(|end| self.at[&end].0);
        one == other
    }

    /// The link of a node to itself; nothing for a switch that has no other. `nodes` are those of the network.
    fn own_link(&self, link: &Live, nodes: &[Option<Node>]) -> Option<OwnLink> {
        let number = self.at[&link.ends[0]].0;
        let of = &self.nodes[number];
        if of.kind == Kind::Host {
            let end = |socket: Socket| OwnEnd::Host {
                name: of.name.to_owned(),
                guid: of.guid.unwrap_or(self.address(socket).guid),
                port: Port::from(socket.port),
                address: self.address(socket),
            };
            return Some(OwnLink::new(link.ends.map(end)));
        }
        match nodes[number]? {
            Node::Switch(switch) => {
                let end = |socket: Socket| OwnEnd::Switch { switch, port: Port::from(socket.port) };
                Some(OwnLink::new(link.ends.map(end)))
            }
            Node::Host(_) => None,
        }
    }

    /// The aggregation node of such a link.
    fn aggregation_node(&self, link: &Live) -> AggregationNode {
        let [node, switch] = match link.ends {
            [a, b] if self.is_aggregation_node(a) => [a, b],
            [a, b] => [b, a],
        };
        let of = &self.nodes[self.at[&node].0];
        let at = &self.nodes[self.at[&switch].0];
        AggregationNode {
            guids: self.end(node).guid.into_iter().chain(of.guid).collect(),
            lid: self.lid_of(node),
            description: of.name.to_owned(),
            at: (at.guid.unwrap_or(self.address(switch).guid), Port::from(switch.port)),
        }
    }

    fn finish(self) -> Result<CabledNetwork, Fault> {
        let (left_out, links): (Vec<Live>, Vec<Live>) = self
            .links()?
            .into_iter()
            .partition(|link| link.ends.into_iter().any(|end| self.is_aggregation_node(end)));
        let aggregation: Vec<AggregationNode> =
            left_out.iter().map(|link| self.aggregation_node(link)).collect();
        let (own, links): (Vec<Live>, Vec<Live>) = links.into_iter().partition(|link| self.is_own(link));
        if links.is_empty() {
            let end = self.text.len();
            let fault = Fault::at(end, "the file ends without an active link", "links between switches");
            return Err(fault.hint("with --down, iblinkinfo prints dead ports alone: give its whole output"));
        }
        let Built { draft, nodes, called: [called_switches, called_hosts], addresses, adapters, ports } =
            self.built(&links);
        let dead = self.rows.iter().filter(|row| matches!(row.state, State::Dead(_))).count();
        let network = draft.into_network(AttachedHosts::NONE).map_err(|fault| match dead {
            0 => fault,
            _ => fault.hint(format!("{dead} ports are not active: their links are left out")),
        })?;
        let network = naming::shortened(network, &called_switches, &called_hosts);
        let mut anomalies = oddities::of_links(&self, &network, &links);
        anomalies.extend(oddities::of_ports(&self, &network, &nodes));
        anomalies.extend(partly_cabled(&network, &adapters));
        let own_links: Vec<OwnLink> = own.iter().filter_map(|link| self.own_link(link, &nodes)).collect();
        anomalies.extend(rails::anomalies(&network, &called_hosts));
        anomalies.extend(own_link::told(&network, &own_links));
        anomalies.extend(aggregation::told(&aggregation));
        let [switches, hosts] = addresses;
        let devices = vec![None; switches.len()];
        anomalies.extend(unaddressed::told(&network, &switches, &hosts));
        Ok(CabledNetwork { network, switches, hosts, ports, devices, aggregation, own_links, anomalies })
    }

    /// What the nodes with live links are in a network.
    fn built(&self, links: &[Live]) -> Built<'_> {
        let mut built = Built::default();
        let mut indices = BTreeMap::new();
        let names = self.names();
        let mut sockets: Vec<Vec<Socket>> = vec![Vec::new(); self.nodes.len()];
        links.iter().flat_map(|link| link.ends).for_each(|end| sockets[self.at[&end].0].push(end));
        for (number, (of, live)) in self.nodes.iter().zip(&mut sockets).enumerate() {
            live.sort_unstable();
            let Some(first) = live.first() else {
                built.nodes.push(None);
                continue;
            };
            if of.kind == Kind::Switch {
                built.nodes.push(Some(Node::Switch(SwitchId::new(built.addresses[0].len()))));
                live.iter().for_each(|socket| _ = indices.insert(*socket, built.draft.nodes.len()));
                built.add_switch(of, self.lid_of(*first), &names[number], self.port_count(of));
                continue;
            }
            built.nodes.push(Some(Node::Host(HostId::new(built.addresses[1].len()))));
            let cabled = live.len() as u8;
            let ports = (of.rows.len() as u8).max(cabled);
            built.adapters.push(Adapter { first: HostId::new(built.addresses[1].len()), ports, cabled });
            let guid = of.guid.unwrap_or(self.address(*first).guid);
            for socket in live.iter() {
                indices.insert(*socket, built.draft.nodes.len());
                let called = Called {
                    description: of.name,
                    guid,
                    port: (cabled > 1).then_some(socket.port),
                    id: None,
                };
                built.add_host(called, self.address(*socket), &names[number], of.byte);
            }
        }
        built.draft.links = links.iter().map(|link| self.link(link, &indices)).collect();
        built
    }

    fn link(&self, link: &Live, indices: &BTreeMap<Socket, usize>) -> LinkDraft {
        let is_switch = |end: Socket| self.nodes[self.at[&end].0].kind == Kind::Switch;
        let width = self.widths(link).into_iter().flatten().min_by_key(|width| width.mbit_s);
        LinkDraft {
            ends: link.ends.map(|end| indices[&end]),
            ports: link.ends.map(|end| is_switch(end).then_some(Port::from(end.port))),
            rate: width.map(|width| Rate::from_mbit_s(width.mbit_s)),
            delay: None,
            lanes: width.map(|width| width.lanes),
            byte: self.rows[link.rows[0]].byte,
        }
    }

    /// What both rows of a link say of its width.
    fn widths(&self, link: &Live) -> [Option<Width>; 2] {
        link.rows.map(|number| match self.rows[number].state {
            State::Up { width, .. } => width,
            State::Dead(_) => None,
        })
    }

    /// The end of a row that is at this port: the far one where a host has no rows of its own.
    fn end(&self, socket: Socket) -> End<'a> {
        let row = &self.rows[self.at[&socket].1];
        match row.state {
            State::Up { far, .. } if far.socket == socket => far,
            _ => row.near,
        }
    }

    fn lid_of(&self, socket: Socket) -> Option<u16> {
        Some(self.end(socket).lid).filter(|lid| *lid > 0)
    }

    fn address(&self, socket: Socket) -> Address {
        // Where no row has the port's GUID, the LID stands in for it.
        let guid = self.end(socket).guid.unwrap_or(FIRST_HOST_GUID.wrapping_add(socket.node));
        Address { guid, lid: self.lid_of(socket), lmc: 0 }
    }

    /// The greatest number of a port that has a row: a switch has one for each of its ports.
    fn port_count(&self, of: &NodeRows<'_>) -> Option<Port> {
        of.rows.iter().map(|row| Port::from(self.rows[*row].near.socket.port)).max()
    }

    /// The name of each node, with its GUID or LID where another has the same.
    fn names(&self) -> Vec<String> {
        let mut count = BTreeMap::new();
        self.nodes.iter().for_each(|node| *count.entry(node.name).or_insert(0) += 1);
        let name = |node: &NodeRows<'_>| {
            let number = node.guid.unwrap_or_else(|| {
                node.rows.first().map_or(node.byte as u64, |row| self.rows[*row].near.socket.node)
            });
            match node.name {
                name if count[name] > 1 || name.is_empty() => format!("{name} {number:#x}").trim().to_owned(),
                name => name.to_owned(),
            }
        };
        self.nodes.iter().map(name).collect()
    }
}

/// A link that carries packets: its ends, and their rows; for an unlisted host that of its switch.
struct Live {
    ends: [Socket; 2],
    rows: [usize; 2],
}

/// A network from the rows, switches and hosts by id.
#[derive(Default)]
struct Built<'a> {
    draft: Draft,
    /// What each node of the file is; nothing for one without a live link. Of a host its first port.
    nodes: Vec<Option<Node>>,
    called: [Vec<Called<'a>>; 2],
    addresses: [Vec<Address>; 2],
    adapters: Vec<Adapter>,
    ports: Vec<Option<Port>>,
}

impl<'a> Built<'a> {
    fn add_switch(&mut self, of: &NodeRows<'a>, lid: Option<u16>, name: &str, ports: Option<Port>) {
        let guid = of.guid.expect("a switch has a GUID in its heading or rows");
        self.addresses[0].push(Address { guid, lid, lmc: 0 });
        self.ports.push(ports);
        self.called[0].push(Called { description: of.name, guid, port: None, id: None });
        let (name, byte) = (name.to_owned(), of.byte);
        self.draft.nodes.push(NodeDraft { name, byte, host: None, uid: Some(guid), position: None });
    }

    fn add_host(&mut self, called: Called<'a>, address: Address, name: &str, byte: usize) {
        self.addresses[1].push(address);
        let name = called.port.map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        self.called[1].push(called);
        let host = Some(Role::Any);
        self.draft.nodes.push(NodeDraft { name, byte, host, uid: None, position: None });
    }
}
