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

use hopscope_topology::{GraphFormat, Port, Role};
use hopscope_units::Rate;

use crate::error::{Fault, FormatError, Place};
use crate::fabric::FabricFormat;
use crate::fabric::cabled::{Address, CabledNetwork, FIRST_HOST_GUID, FIRST_SWITCH_GUID};
use crate::fabric::draft::{Draft, LinkDraft, NodeDraft};
use records::{Cable, Kind, Record};
pub(crate) use records::{MOST_PORTS, word_of_rate};

/// The format: see the file's head.
pub(super) const FORMAT: FabricFormat = FabricFormat {
    format: GraphFormat::Infiniband,
    name: "infiniband",
    known_as: &["ibnetdiscover", "ibsim"],
    endings: &["net", "ibnetdiscover"],
    about: "`ibnetdiscover` output and ibsim net files: switches, channel adapters and routers, cables with their ports, names, GUIDs, LIDs, rates",
    left_aside: "vendors, devices, chassis; ibsim's `include` and `do` are refused",
    example: "Switch 8 \"S1\"",
    looks_like,
    is_infiniband: true,
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
                    let problem = format!("port {port} of \"{id}\", which has {} ports", record.ports);
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
                let problem = format!("{}, which has {} ports", name(far), self.records[place].ports);
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
        let mut draft = Draft::default();
        let mut nodes = BTreeMap::new();
        let guids = self.guids();
        let names = self.names(&guids);
        let (mut switches, mut hosts, mut ports_of) = (Vec::new(), Vec::new(), Vec::new());
        for (place, record) in self.records.iter().enumerate() {
            let (byte, _) = record.id;
            if record.kind == Kind::Switch {
                nodes.insert((place, 0), draft.nodes.len());
                switches.push(Address { guid: guids[place], lid: record.lid });
                ports_of.push(Some(Port::from(record.ports)));
                let uid = Some(guids[place]);
                draft.nodes.push(NodeDraft {
                    name: names[place].clone(),
                    byte,
                    host: None,
                    uid,
                    position: None,
                });
                continue;
            }
            let ports: Vec<&Cable<'_>> =
                self.cables.range((place, 0)..=(place, u8::MAX)).map(|(_, c)| c).collect();
            if ports.is_empty() {
                let problem = format!("host \"{}\" has no cable", names[place]);
                return Err(Fault::at(
                    byte,
                    problem,
                    "a line such as [1] \"switch\"[2] for each cabled port",
                ));
            }
            for cable in &ports {
                nodes.insert((place, cable.port), draft.nodes.len());
                let guid = cable.guid.unwrap_or(guids[place] + u64::from(cable.port));
                hosts.push(Address { guid, lid: cable.lid });
                let port = if ports.len() == 1 { String::new() } else { format!(":{}", cable.port) };
                let name = format!("{}{port}", names[place]);
                draft.nodes.push(NodeDraft { name, byte, host: Some(Role::Any), uid: None, position: None });
            }
        }
        self.add_links(&mut draft, &nodes)?;
        Ok(CabledNetwork { network: draft.into_network(0)?, switches, hosts, ports: ports_of })
    }

    fn add_links(&self, draft: &mut Draft, nodes: &BTreeMap<Socket, usize>) -> Result<(), Fault> {
        for (&near, cable) in &self.cables {
            let far = self.far(near, cable)?;
            if far < near {
                continue;
            }
            let end = |socket: Socket| {
                let is_switch = self.records[socket.0].kind == Kind::Switch;
                let node = nodes[&if is_switch { (socket.0, 0) } else { socket }];
                (node, is_switch.then_some(Port::from(socket.1)))
            };
            let (near, far) = (end(near), end(far));
            draft.links.push(LinkDraft {
                ends: [near.0, far.0],
                ports: [near.1, far.1],
                rate: cable.rate_mbit_s.map(Rate::from_mbit_s),
                delay: None,
                byte: cable.byte,
            });
        }
        Ok(())
    }

    /// The description of each node, with its GUID where another has the same.
    fn names(&self, guids: &[u64]) -> Vec<String> {
        let mut count = BTreeMap::new();
        let plain =
            |record: &Record<'a>| record.description.filter(|name| !name.is_empty()).unwrap_or(record.id.1);
        for record in &self.records {
            *count.entry(plain(record)).or_insert(0) += 1;
        }
        let name = |(record, guid): (&Record<'a>, &u64)| match plain(record) {
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
