//! `opensm-subnet.lst`: a line for each direction of each cable, both ends in braces with GUIDs, name, LID and port.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{Anomaly, AnomalyKind, GraphFormat, LinkId, Network, Port, Role, cable};
use hopscope_units::Rate;

use crate::error::{Fault, FormatError, Place};
use crate::fabric::FabricFormat;
use crate::fabric::aggregation::{self, AggregationNode, is_aggregation_node};
use crate::fabric::cabled::{Address, CabledNetwork};
use crate::fabric::draft::{AttachedHosts, Draft, LinkDraft, NodeDraft};
use crate::fabric::identity::{GuidOf, Identities, Owner};
use crate::fabric::naming::{self, Called};
use crate::fabric::own_link::{self, OwnEnd, OwnLink};
use crate::fabric::rails;
use crate::lines::{Cursor, content_lines};

/// The format: see the file's head.
pub(super) const FORMAT: FabricFormat = FabricFormat {
    format: GraphFormat::SubnetLst,
    name: "subnet-lst",
    known_as: &["opensm-subnet.lst"],
    endings: &["lst"],
    about: "`opensm-subnet.lst`: the same",
    left_aside: "system GUIDs, revisions, states; aggregation nodes (SHARP) and cables of a node to itself are left out, and told",
    example: "{ SW ...",
    looks_like,
    is_infiniband: true,
    has_hosts: true,
    read: |text, _| read(text),
};

/// Reads the cables of a subnet, with the GUIDs and LIDs of all nodes.
///
/// # Errors
/// The first line that is not of this form, or whatever keeps the subnet from being a network, with its place.
pub fn read(text: &str) -> Result<CabledNetwork, FormatError> {
    subnet(text).map_err(|fault| fault.in_text(text))
}

/// Whether a text begins as such a file does.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    let text = text.trim_start();
    text.strip_prefix('{')
        .is_some_and(|rest| ["CA", "SW", "RT"].iter().any(|k| rest.trim_start().starts_with(k)))
}

/// An end of a cable.
#[derive(Clone, PartialEq, Eq)]
struct End<'a> {
    byte: usize,
    is_switch: bool,
    node: u64,
    guid: u64,
    device: Option<u32>,
    name: &'a str,
    /// 0 stands for none.
    lid: u16,
    port: u8,
}

impl End<'_> {
    /// What is a node of the network: a switch, or one port of a host.
    fn key(&self) -> (u64, u8) {
        (self.node, if self.is_switch { 0 } else { self.port })
    }

    fn address(&self) -> Address {
        let guid = if self.is_switch { self.node } else { self.guid };
        Address { guid, lid: Some(self.lid).filter(|lid| *lid > 0), lmc: 0 }
    }

    /// Whether it is a part of a switch that only looks like a channel adapter.
    fn is_aggregation_node(&self) -> bool {
        !self.is_switch && is_aggregation_node(self.device, self.name)
    }
}

/// What a cable leads to, and its number.
#[derive(Clone, Copy)]
struct Socket {
    far: (u64, u8),
    link: LinkId,
}

/// The nodes and cables so far.
#[derive(Default)]
struct Subnet<'a> {
    called: [Vec<Called<'a>>; 2],
    draft: Draft,
    nodes: BTreeMap<(u64, u8), usize>,
    cables: BTreeMap<(u64, u8), Socket>,
    /// Cables whose second line says another rate than the first, each with that line and the faster rate.
    differing: Vec<(LinkId, u32, Rate)>,
    switches: Vec<Address>,
    hosts: Vec<Address>,
    aggregation: BTreeMap<(u64, u8), AggregationNode>,
    /// Each stands at both of its ends.
    own_links: BTreeSet<OwnLink>,
}

fn subnet(text: &str) -> Result<CabledNetwork, Fault> {
    let mut subnet = Subnet::default();
    let mut owners = Owners { identities: Identities::new(text), numbers: BTreeMap::new() };
    for mut cursor in content_lines(text) {
        let near = end(&mut cursor)?;
        let far = end(&mut cursor)?;
        let width = width(cursor.rest);
        owners.check(&near)?;
        owners.check(&far)?;
        if let Some(node) =
            [(&near, &far), (&far, &near)].into_iter().find(|(of, _)| of.is_aggregation_node())
        {
            subnet.leave_out(node);
            continue;
        }
        subnet.add(&near, &far, width, text)?;
    }
    if subnet.draft.nodes.is_empty() {
        return Err(Fault::at(
            text.len(),
            "the file ends without a cable",
            "lines that begin with { and hold two nodes",
        ));
    }
    subnet.tell_names_apart();
    subnet.tell_ports_apart();
    let Subnet {
        draft,
        switches,
        hosts,
        called: [called_switches, called_hosts],
        differing,
        aggregation,
        own_links,
        ..
    } = subnet;
    let aggregation: Vec<AggregationNode> = aggregation.into_values().collect();
    let ports = vec![None; switches.len()];
    let network = draft.into_network(AttachedHosts::NONE)?;
    let network = naming::shortened(network, &called_switches, &called_hosts);
    let mut anomalies: Vec<Anomaly> =
        differing.iter().map(|differing| disagreement(&network, *differing)).collect();
    let own_links: Vec<OwnLink> = own_links.into_iter().collect();
    anomalies.extend(rails::anomalies(&network, &called_hosts));
    anomalies.extend(own_link::told(&network, &own_links));
    anomalies.extend(aggregation::told(&aggregation));
    let devices = vec![None; switches.len()];
    Ok(CabledNetwork { network, switches, hosts, ports, devices, aggregation, own_links, anomalies })
}

/// Who has which identifier, with a number for each node.
struct Owners<'a> {
    identities: Identities<'a>,
    numbers: BTreeMap<u64, usize>,
}

impl Owners<'_> {
    /// Refuses identifiers of an end that another node has.
    fn check(&mut self, end: &End<'_>) -> Result<(), Fault> {
        let next = self.numbers.len();
        let (node, port) = end.key();
        let owner: Owner = (*self.numbers.entry(node).or_insert(next), port);
        self.identities.guid(owner, end.name, end.byte, (GuidOf::Port, end.guid))?;
        if end.lid > 0 { self.identities.lids(owner, end.name, end.byte, (end.lid, 0)) } else { Ok(()) }
    }
}

/// The report on a cable whose two lines differ.
fn disagreement(network: &Network, (link, line, rate): (LinkId, u32, Rate)) -> Anomaly {
    let taken = network.link(link).rate.map_or_else(String::new, |rate| rate.to_string());
    let name = cable(network, link);
    let words = format!(
        "the ends of the cable {name} disagree (line {line}): {rate} and {taken}; the slower is taken"
    );
    Anomaly::new(AnomalyKind::EndsDisagree, words).of_cables(vec![link])
}

impl<'a> Subnet<'a> {
    fn add(
        &mut self,
        near: &End<'a>,
        far: &End<'a>,
        width: Option<(u8, Rate)>,
        text: &str,
    ) -> Result<(), Fault> {
        let socket = |end: &End<'_>| (end.node, end.port);
        let back = self.cables.get(&socket(far)).copied();
        let back = back.filter(|back| back.far == socket(near) && socket(near) != socket(far));
        let link = back.map_or(LinkId::new(self.draft.links.len()), |back| back.link);
        match self.cables.insert(socket(near), Socket { far: socket(far), link }) {
            Some(before) if before.far != socket(far) => {
                let problem = format!("port {} of \"{}\" is used twice", near.port, near.name);
                return Err(Fault::at(near.byte, problem, "one cable in each port"));
            }
            _ => {}
        }
        if near.node == far.node {
            let ends = [self.own_end(near), self.own_end(far)];
            self.own_links.insert(OwnLink::new(ends));
            return Ok(());
        }
        if back.is_some() {
            self.compare(link, near, width, text);
            return Ok(());
        }
        let nodes = [self.node(near), self.node(far)];
        let port = |end: &End<'_>| end.is_switch.then_some(Port::from(end.port));
        self.draft.links.push(LinkDraft {
            ends: nodes,
            ports: [port(near), port(far)],
            rate: width.map(|(_, rate)| rate),
            delay: None,
            lanes: width.map(|(lanes, _)| lanes),
            byte: near.byte,
        });
        Ok(())
    }

    /// The second line of a cable: the slower of the two rates is taken.
    fn compare(&mut self, link: LinkId, near: &End<'_>, width: Option<(u8, Rate)>, text: &str) {
        let first = &mut self.draft.links[link.index()];
        let (Some((lanes, rate)), Some(before)) = (width, first.rate) else { return };
        if rate != before {
            let line = Place::of_byte(text, near.byte).line;
            self.differing.push((link, line, before.max(rate)));
            if rate < before {
                (first.rate, first.lanes) = (Some(rate), Some(lanes));
            }
        }
    }

    /// Notes an aggregation node and the switch that it is a part of.
    fn leave_out(&mut self, (node, switch): (&End<'a>, &End<'a>)) {
        let found = AggregationNode {
            guids: vec![node.guid, node.node],
            lid: Some(node.lid).filter(|lid| *lid > 0),
            description: node.name.to_owned(),
            at: (switch.node, Port::from(switch.port)),
        };
        self.aggregation.insert(node.key(), found);
    }

    /// A port whose cable leads back to its own node.
    fn own_end(&mut self, end: &End<'a>) -> OwnEnd {
        let port = Port::from(end.port);
        if end.is_switch {
            let node = self.node(end);
            return OwnEnd::Switch { switch: self.draft.switch_id(node), port };
        }
        OwnEnd::Host { name: end.name.to_owned(), guid: end.node, port, address: end.address() }
    }

    fn node(&mut self, end: &End<'a>) -> usize {
        if let Some(known) = self.nodes.get(&end.key()) {
            return *known;
        }
        let index = self.draft.nodes.len();
        let name = if end.name.is_empty() { format!("{:#x}", end.node) } else { end.name.to_owned() };
        let address = end.address();
        let (host, uid) = if end.is_switch { (None, Some(end.node)) } else { (Some(Role::Any), None) };
        if end.is_switch { &mut self.switches } else { &mut self.hosts }.push(address);
        let called = Called { description: end.name, guid: end.node, port: Some(end.port), id: None };
        self.called[usize::from(!end.is_switch)].push(called);
        self.draft.nodes.push(NodeDraft { name, byte: end.byte, host, uid, position: None });
        self.nodes.insert(end.key(), index);
        index
    }
}

impl Subnet<'_> {
    /// Only hosts with several ports in use are called by these as well.
    fn tell_ports_apart(&mut self) {
        let mut ports: BTreeMap<u64, usize> = BTreeMap::new();
        for (guid, _) in self.nodes.keys() {
            *ports.entry(*guid).or_default() += 1;
        }
        for called in self.called.iter_mut().flatten() {
            called.port = called.port.filter(|_| ports[&called.guid] > 1);
        }
    }

    /// Adds the GUID to names that several nodes have, and the port to those of hosts with several.
    fn tell_names_apart(&mut self) {
        let mut ports: BTreeMap<u64, usize> = BTreeMap::new();
        let mut same: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for ((guid, _), &index) in &self.nodes {
            *ports.entry(*guid).or_default() += 1;
            same.entry(self.draft.nodes[index].name.clone()).or_default().insert(*guid);
        }
        for ((guid, port), &index) in &self.nodes {
            let name = &mut self.draft.nodes[index].name;
            if same[name].len() > 1 {
                *name = format!("{name} {guid:#x}");
            }
            if ports[guid] > 1 {
                *name = format!("{name}:{port}");
            }
        }
    }
}

/// One end: `{ CA Ports:02 SystemGUID:… NodeGUID:… PortGUID:… VenID:… DevID:… Rev:… {name} LID:0002 PN:01 }`.
fn end<'a>(cursor: &mut Cursor<'a>) -> Result<End<'a>, Fault> {
    cursor.expect("{", "the { that begins a node")?;
    cursor.blank();
    let byte = cursor.byte;
    let (_, kind) = cursor.word();
    let is_switch = match kind.split('-').next().unwrap_or_default() {
        "SW" => true,
        "CA" | "RT" => false,
        _ => return Err(Fault::at(byte, format!("\"{kind}\""), "the kind of a node: CA, SW or RT")),
    };
    let (mut node, mut guid, mut device) = (None, None, None);
    loop {
        cursor.blank();
        if cursor.rest.starts_with('{') {
            break;
        }
        let start = *cursor;
        let (at, word) = cursor.word();
        let Some((field, value)) = word.split_once(':') else {
            return Err(start.missing("a field such as NodeGUID:0002c903000e0b72, then the name in braces"));
        };
        let mut number = Cursor { byte: at + field.len() + 1, rest: value };
        match field {
            "NodeGUID" => node = Some(number.hexadecimal(u64::MAX, "a GUID")?),
            "PortGUID" => guid = Some(number.hexadecimal(u64::MAX, "a GUID")?),
            // Only a known device is of use.
            "DevID" => device = number.hexadecimal(u64::from(u32::MAX), "a device").ok().map(|id| id as u32),
            _ => {}
        }
    }
    cursor.skip(1);
    let (_, name) = cursor.until('}', "the } after the node's name")?;
    cursor.expect("LID:", "\"LID:\"")?;
    let lid = cursor.hexadecimal(0xbfff, "a LID in hexadecimal, at most bfff")? as u16;
    cursor.expect("PN:", "\"PN:\"")?;
    let port = cursor.hexadecimal(254, "the number of a port in hexadecimal")? as u8;
    cursor.expect("}", "the } that ends the node")?;
    match (node, guid) {
        (Some(node), Some(guid)) => Ok(End { byte, is_switch, node, guid, device, name, lid, port }),
        _ => Err(Fault::at(byte, "a node without GUIDs", "NodeGUID and PortGUID")),
    }
}

/// The lanes and the data rate of `PHY=4x LOG=ACT SPD=2.5`, where the speed is one whose line code is known: 8 bits in
/// 10 up to 10 Gbit/s a lane, 64 in 66 above.
fn width(attributes: &str) -> Option<(u8, Rate)> {
    let value = |name: &str| attributes.split_whitespace().find_map(|word| word.strip_prefix(name));
    let lanes: u8 = value("PHY=")?.strip_suffix('x')?.parse().ok()?;
    let lane = match value("SPD=")? {
        "2.5" => 2_000,
        "5" => 4_000,
        "10" => 8_000,
        "14" => 13_636,
        "25" => 25_000,
        "50" => 50_000,
        "100" => 100_000,
        _ => return None,
    };
    Some((lanes, Rate::from_mbit_s(u64::from(lanes) * lane)))
}
