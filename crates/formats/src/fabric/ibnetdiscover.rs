//! InfiniBand fabrics as `ibnetdiscover` prints them and as `ibsim` reads them: a record for each node, a line for each
//! cabled port.
//!
//! ```text
//! switchguid=0x200001(200001)
//! Switch  8 "S-0000000000200001"      # "leaf 1" base port 0 lid 3 lmc 0
//! [1]     "H-0000000000100003"[1](100004)         # "node 7" lid 4 4xEDR
//! ```
//!
//! The number after the kind is how many ports the node has. A host is a cabled port of a channel adapter or router;
//! one with several gives as many hosts.

mod records;

use std::collections::BTreeMap;

use hopscope_topology::{Anomaly, AnomalyKind, GraphFormat, HostId, LinkId, Network, Port, Role, cable};
use hopscope_units::{Rate, amount};

use crate::error::{Fault, FormatError, Place};
use crate::fabric::FabricFormat;
use crate::fabric::aggregation::{self, AggregationNode, is_aggregation_node};
use crate::fabric::cabled::{Address, CabledNetwork, FIRST_HOST_GUID, FIRST_SWITCH_GUID};
use crate::fabric::draft::{AttachedHosts, Draft, LinkDraft, NodeDraft};
use crate::fabric::identity::{GuidOf, Identities};
use crate::fabric::naming::{self, Called};
use crate::fabric::own_link::{self, OwnEnd, OwnLink};
use crate::fabric::{rails, unaddressed};
pub(super) use records::Width;
use records::{Cable, Kind, Record};
pub(crate) use records::{MOST_PORTS, word_of_rate};

/// The format: see the file's head.
pub(super) const FORMAT: FabricFormat = FabricFormat {
    format: GraphFormat::Infiniband,
    name: "infiniband",
    known_as: &["ibnetdiscover", "ibsim"],
    endings: &["net", "ibnetdiscover"],
    about: "`ibnetdiscover` output and ibsim net files: switches, channel adapters and routers, cables with their ports, names, GUIDs, LIDs, rates",
    left_aside: "vendors, chassis; aggregation nodes (SHARP) and cables of a node to itself are left out, and told; ibsim's `include` and `do` are refused",
    example: "Switch 8 \"S1\"",
    looks_like,
    is_infiniband: true,
    has_hosts: true,
    read: |text, _| read(text),
};

/// Reads a fabric.
///
/// # Errors
/// The first line that is not of this form, or whatever keeps the fabric from being a network, with its place.
pub fn read(text: &str) -> Result<CabledNetwork, FormatError> {
    let read_all = || Assembly::new(text, records::read(text)?)?.finish();
    read_all().map_err(|fault: Fault| fault.in_text(text))
}

/// Whether a text begins as such a file does.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    records::looks_like(text)
}

/// A port of a node, by the node's place in the file.
type Socket = (usize, u8);

/// The records while they become a network.
struct Assembly<'a> {
    text: &'a str,
    records: Vec<Record<'a>>,
    by_id: BTreeMap<&'a str, usize>,
    /// The line of each cabled port.
    cables: BTreeMap<Socket, Cable<'a>>,
}

impl<'a> Assembly<'a> {
    fn new(text: &'a str, mut records: Vec<Record<'a>>) -> Result<Self, Fault> {
        let mut by_id = BTreeMap::new();
        let mut cables = BTreeMap::new();
        for (place, record) in records.iter_mut().enumerate() {
            let (byte, id) = record.id;
            if by_id.insert(id, place).is_some() {
                let problem = format!("\"{id}\" is described a second time");
                return Err(
                    Fault::at(byte, problem, "one record for each node").hint("are these two files in one?")
                );
            }
            for cable in std::mem::take(&mut record.cables) {
                let (byte, port) = (cable.byte, cable.port);
                if port > record.ports {
                    let problem = format!("port {port} of \"{id}\", which has {}", ports_of(record));
                    return Err(Fault::at(byte, problem, "a port from 1 to that number"));
                }
                if let Some(first) = cables.insert((place, port), cable) {
                    let line = Place::of_byte(text, first.byte).line;
                    let problem = format!("port {port} of \"{id}\" is used twice: on line {line} already");
                    return Err(Fault::at(byte, problem, "one cable in each port"));
                }
            }
        }
        Ok(Self { text, records, by_id, cables })
    }

    /// The other end of a cable. Each cable stands at both of its ends.
    fn far(&self, near: Socket, cable: &Cable<'a>) -> Result<Socket, Fault> {
        let (byte, id) = cable.far;
        let Some(&place) = self.by_id.get(id) else {
            let fault = Fault::at(byte, format!("no node is called \"{id}\""), "a node of this file");
            return Err(fault.hint("is the file cut short?"));
        };
        let far = (place, cable.far_port);
        let name = |(place, port): Socket| format!("port {port} of \"{}\"", self.records[place].id.1);
        match self.cables.get(&far) {
            None if cable.far_port > self.records[place].ports => {
                let problem = format!("{}, which has {}", name(far), ports_of(&self.records[place]));
                Err(Fault::at(byte, problem, "a port from 1 to that number"))
            }
            None => {
                let problem = format!("this cable is not found at its other end, {}", name(far));
                Err(Fault::at(byte, problem, "a line for it there").hint("is the file cut short?"))
            }
            Some(back) if self.by_id.get(back.far.1) != Some(&near.0) || back.far_port != near.1 => {
                let line = Place::of_byte(self.text, back.byte).line;
                let problem = format!("line {line} says that {} leads elsewhere", name(far));
                Err(Fault::at(byte, problem, "the same cable at both ends"))
            }
            Some(_) => Ok(far),
        }
    }

    fn finish(self) -> Result<CabledNetwork, Fault> {
        self.check_identities()?;
        let Built { mut draft, nodes, addresses: [switches, hosts], called, adapters, ports, devices } =
            self.nodes()?;
        let (differing, own_links) = self.add_links(&mut draft, &nodes)?;
        let aggregation = self.aggregation_nodes();
        let network = draft.into_network(AttachedHosts::NONE)?;
        let network = naming::shortened(network, &called[0], &called[1]);
        let mut anomalies: Vec<Anomaly> = differing.iter().map(|ends| ends.anomaly(&network)).collect();
        anomalies.extend(partly_cabled(&network, &adapters));
        anomalies.extend(rails::anomalies(&network, &called[1]));
        anomalies.extend(own_link::told(&network, &own_links));
        anomalies.extend(aggregation::told(&aggregation));
        anomalies.extend(unaddressed::told(&network, &switches, &hosts));
        Ok(CabledNetwork { network, switches, hosts, ports, devices, aggregation, own_links, anomalies })
    }

    /// Refuses identifiers that two nodes have.
    fn check_identities(&self) -> Result<(), Fault> {
        let mut identities = Identities::new(self.text);
        for (place, record) in self.records.iter().enumerate() {
            let (byte, _) = record.id;
            let name = record.plain();
            if let Some(guid) = record.guid {
                identities.guid((place, 0), name, byte, (GuidOf::Node, guid))?;
            }
            if let Some(lid) = record.lid.filter(|_| record.kind == Kind::Switch) {
                identities.lids((place, 0), name, byte, (lid, 0))?;
            }
            for cable in self.cables_of(place) {
                let port = (place, cable.port);
                if let Some(guid) = cable.guid {
                    identities.guid(port, name, cable.byte, (GuidOf::Port, guid))?;
                }
                if let Some(lid) = cable.lid {
                    identities.lids(port, name, cable.byte, (lid, cable.lmc))?;
                }
            }
        }
        Ok(())
    }

    /// The nodes of the network; aggregation nodes are none.
    fn nodes(&self) -> Result<Built<'a>, Fault> {
        let guids = self.guids();
        let names = self.names(&guids);
        let mut built = Built::default();
        for (place, record) in self.records.iter().enumerate() {
            if record.is_aggregation_node() {
                continue;
            }
            let (guid, name) = (guids[place], &names[place]);
            if record.kind == Kind::Switch {
                built.add_switch(place, record, guid, name.clone());
                continue;
            }
            let cables: Vec<&Cable<'_>> = self.cables_of(place).collect();
            if cables.is_empty() {
                let expected = "a line such as [1] \"switch\"[2] for each cabled port";
                return Err(Fault::at(record.id.0, format!("host \"{name}\" has no cable"), expected));
            }
            let cables: Vec<&Cable<'_>> =
                cables.into_iter().filter(|cable| !self.is_own(place, cable)).collect();
            if !cables.is_empty() {
                built.add_hosts(place, record, guid, name, &cables);
            }
        }
        Ok(built)
    }

    /// Whether a cable leads back to its own node.
    fn is_own(&self, place: usize, cable: &Cable<'_>) -> bool {
        self.by_id.get(cable.far.1) == Some(&place)
    }

    /// The lines of a node's cabled ports.
    fn cables_of(&self, place: usize) -> impl Iterator<Item = &Cable<'a>> {
        self.cables.range((place, 0)..=(place, u8::MAX)).map(|(_, cable)| cable)
    }

    /// The aggregation nodes, each at the switch that it is a part of.
    fn aggregation_nodes(&self) -> Vec<AggregationNode> {
        let guids = self.guids();
        let places = (0..self.records.len()).filter(|place| self.records[*place].is_aggregation_node());
        places
            .flat_map(|place| {
                let record = &self.records[place];
                self.cables_of(place).map(move |cable| (place, record, cable))
            })
            .map(|(place, record, cable)| AggregationNode {
                guids: cable.guid.into_iter().chain([guids[place]]).collect(),
                lid: cable.lid,
                description: record.plain().to_owned(),
                at: (guids[self.by_id[cable.far.1]], Port::from(cable.far_port)),
            })
            .collect()
    }

    /// Adds all cables, but for those that join a node to itself; those whose ends say different things of them run
    /// as the slower end says.
    fn add_links(
        &self,
        draft: &mut Draft,
        nodes: &BTreeMap<Socket, usize>,
    ) -> Result<(Vec<DifferingEnds>, Vec<OwnLink>), Fault> {
        let (mut differing, mut own_links) = (Vec::new(), Vec::new());
        for (&near, cable) in &self.cables {
            let far = self.far(near, cable)?;
            let is_left_out = |(place, _): Socket| self.records[place].is_aggregation_node();
            if far < near || is_left_out(near) || is_left_out(far) {
                continue;
            }
            if near.0 == far.0 {
                own_links.push(OwnLink::new([near, far].map(|end| self.own_end(end, draft, nodes))));
                continue;
            }
            let end = |socket: Socket| {
                let is_switch = self.records[socket.0].kind == Kind::Switch;
                let node = nodes[&if is_switch { (socket.0, 0) } else { socket }];
                (node, is_switch.then_some(Port::from(socket.1)))
            };
            let back = &self.cables[&far];
            let widths = [cable, back].map(|cable| cable.width);
            let width = widths.into_iter().flatten().min_by_key(|width| width.mbit_s);
            if let [Some(one), Some(other)] = widths
                && one != other
            {
                let lines = [cable, back].map(|cable| Place::of_byte(self.text, cable.byte).line);
                let link = LinkId::new(draft.links.len());
                differing.push(DifferingEnds { link, widths: [one, other], lines });
            }
            let (near, far) = (end(near), end(far));
            draft.links.push(LinkDraft {
                ends: [near.0, far.0],
                ports: [near.1, far.1],
                rate: width.map(|width| Rate::from_mbit_s(width.mbit_s)),
                delay: None,
                lanes: width.map(|width| width.lanes),
                byte: cable.byte,
            });
        }
        Ok((differing, own_links))
    }

    /// A port whose cable leads back to its own node.
    fn own_end(&self, (place, port): Socket, draft: &Draft, nodes: &BTreeMap<Socket, usize>) -> OwnEnd {
        let (record, number) = (&self.records[place], Port::from(port));
        match record.kind {
            Kind::Switch => OwnEnd::Switch { switch: draft.switch_id(nodes[&(place, 0)]), port: number },
            Kind::Host => {
                let (guid, name) = (self.guids()[place], record.plain().to_owned());
                let address = self.cables[&(place, port)].address(guid);
                OwnEnd::Host { name, guid, port: number, address }
            }
        }
    }

    /// The description of each node, with its GUID where another has the same.
    fn names(&self, guids: &[u64]) -> Vec<String> {
        let mut count = BTreeMap::new();
        for record in &self.records {
            *count.entry(record.plain()).or_insert(0) += 1;
        }
        let name = |(record, guid): (&Record<'a>, &u64)| match record.plain() {
            name if count[name] > 1 => format!("{name} {guid:#x}"),
            name => name.to_owned(),
        };
        self.records.iter().zip(guids).map(name).collect()
    }

    /// The node GUID of each node: its own, or the one that ibsim would give it.
    fn guids(&self) -> Vec<u64> {
        let (mut switch, mut host) = (FIRST_SWITCH_GUID, FIRST_HOST_GUID);
        let guid = |record: &Record<'a>| {
            let next = if record.kind == Kind::Switch { &mut switch } else { &mut host };
            let given = record.guid.unwrap_or(*next);
            if record.guid.is_none() {
                *next += if record.kind == Kind::Switch { 1 } else { u64::from(record.ports) + 1 };
            }
            given
        };
        self.records.iter().map(guid).collect()
    }
}

/// The nodes of the records as a network has them, switches and hosts by id.
#[derive(Default)]
struct Built<'a> {
    draft: Draft,
    /// The node of each switch, and of each cabled port of a host.
    nodes: BTreeMap<Socket, usize>,
    called: [Vec<Called<'a>>; 2],
    addresses: [Vec<Address>; 2],
    adapters: Vec<Adapter>,
    ports: Vec<Option<Port>>,
    devices: Vec<Option<u32>>,
}

impl<'a> Built<'a> {
    fn add_switch(&mut self, place: usize, record: &Record<'a>, guid: u64, name: String) {
        self.nodes.insert((place, 0), self.draft.nodes.len());
        self.addresses[0].push(Address { guid, lid: record.lid, lmc: 0 });
        self.ports.push(Some(Port::from(record.ports)));
        self.devices.push(record.device);
        self.called[0].push(record.called(guid, None));
        let (byte, _) = record.id;
        self.draft.nodes.push(NodeDraft { name, byte, host: None, uid: Some(guid), position: None });
    }

    /// A host for each of these cabled ports.
    fn add_hosts(
        &mut self,
        place: usize,
        record: &Record<'a>,
        node_guid: u64,
        name: &str,
        cables: &[&Cable<'_>],
    ) {
        let cabled = cables.len() as u8;
        let first = HostId::new(self.addresses[1].len());
        self.adapters.push(Adapter { first, ports: record.ports, cabled });
        for cable in cables {
            self.called[1].push(record.called(node_guid, (cabled > 1).then_some(cable.port)));
            self.nodes.insert((place, cable.port), self.draft.nodes.len());
            self.addresses[1].push(cable.address(node_guid));
            let name = if cabled == 1 { name.to_owned() } else { format!("{name}:{}", cable.port) };
            let (byte, _) = record.id;
            self.draft.nodes.push(NodeDraft { name, byte, host: Some(Role::Any), uid: None, position: None });
        }
    }
}

impl Cable<'_> {
    /// The address of a host's port: where the file gives the port no GUID, the one that ibsim would.
    fn address(&self, node_guid: u64) -> Address {
        let guid = self.guid.unwrap_or(node_guid.wrapping_add(u64::from(self.port)));
        Address { guid, lid: self.lid, lmc: self.lmc }
    }
}

impl<'a> Record<'a> {
    /// What people call the node; without that, its identifier.
    fn plain(&self) -> &'a str {
        self.description.filter(|name| !name.is_empty()).unwrap_or(self.id.1)
    }

    /// Whether it is a part of a switch that only looks like a channel adapter.
    fn is_aggregation_node(&self) -> bool {
        self.kind == Kind::Host && is_aggregation_node(self.device, self.description.unwrap_or_default())
    }

    /// What the file calls the node, or one of its ports.
    fn called(&self, guid: u64, port: Option<u8>) -> Called<'a> {
        let (_, id) = self.id;
        // Without a comment, the identifier is all that there is: a name where the file was written by hand.
        Called { description: self.description.unwrap_or(id), guid, port, id: Some(id) }
    }
}

/// A cable whose ends say different things of it.
pub(super) struct DifferingEnds {
    pub link: LinkId,
    pub widths: [Width; 2],
    pub lines: [u32; 2],
}

impl DifferingEnds {
    pub fn anomaly(&self, network: &Network) -> Anomaly {
        let [near, far] =
            self.widths.map(|width| format!("{}x, {}", width.lanes, Rate::from_mbit_s(width.mbit_s)));
        let [one, other] = self.lines;
        let name = cable(network, self.link);
        let words = format!(
            "the ends of the cable {name} disagree: {near} on line {one}, {far} on line {other}; \
             the slower is taken"
        );
        Anomaly::new(AnomalyKind::EndsDisagree, words).of_cables(vec![self.link])
    }
}

/// How many ports a node has, in words.
fn ports_of(record: &Record<'_>) -> String {
    amount(record.ports, "port", "ports")
}

/// A channel adapter: its first host, how many ports it has, and how many have cables.
pub(super) struct Adapter {
    pub first: HostId,
    pub ports: u8,
    pub cabled: u8,
}

/// Adapters with fewer cabled ports than others with as many ports.
pub(super) fn partly_cabled(network: &Network, adapters: &[Adapter]) -> Option<Anomaly> {
    let mut most: BTreeMap<u8, u8> = BTreeMap::new();
    for adapter in adapters {
        let cabled = most.entry(adapter.ports).or_default();
        *cabled = (*cabled).max(adapter.cabled);
    }
    let partly: Vec<&Adapter> = adapters.iter().filter(|each| each.cabled < most[&each.ports]).collect();
    let first = partly.first()?;
    let name = &network.host(first.first).name;
    let of =
        format!("{} of its {} ports up, where others have {}", first.cabled, first.ports, most[&first.ports]);
    let words = match partly.len() {
        1 => format!("the host {name} has {of}"),
        count => {
            format!("{count} hosts have fewer ports up than others of their kind, such as {name} with {of}")
        }
    };
    Some(Anomaly::new(AnomalyKind::PartlyCabled, words))
}
