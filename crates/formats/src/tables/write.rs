//! Writes tables in the form that OpenSM's routing engine `file` loads.

use std::fmt::Write;

use hopscope_topology::{DestinationTables, HostId, Port, SwitchId};

use crate::fabric::CabledNetwork;
use crate::lines::is_unseen;

/// What a LID stands for, and how its line ends.
struct Target {
    lid: u16,
    is: Node,
    /// What follows the port.
    rest: String,
}

#[derive(Clone, Copy)]
enum Node {
    Switch(SwitchId),
    Host(HostId),
    /// An aggregation node at this port of its switch, as the file numbers it.
    Aggregation(SwitchId, Port),
}

/// The switches whose entries are gathered at a time: those of one host lie together in the tables, those of one switch
/// in its section, and to jump from the one to the other for every entry costs more than to write it.
const BLOCK: usize = 32;

/// What a line calls the node of a host, and an aggregation node.
const ADAPTER: &str = "Channel Adapter";

/// No entry.
const NO_PORT: Port = Port::MAX;

/// Tables as text, a section for each switch: a large fabric's are more than fit into memory.
///
/// A section has a line for each LID of each switch, host and aggregation node, in the order of the LIDs. Those of one
/// host have the same ports. OpenSM knows the node of a line by its port GUID, so that it may number LIDs otherwise
/// than the fabric does.
pub struct Lfts {
    fabric: CabledNetwork,
    tables: DestinationTables,
    to_switches: Vec<Vec<Option<Port>>>,
    targets: Vec<Target>,
    switch_lids: Vec<u16>,
    offset: Port,
    /// The ports of some switches from `first` on, for each target; those of a switch together.
    first: usize,
    block: Vec<Port>,
}

impl Lfts {
    /// Tables of a fabric; nothing where it has more nodes than there are local identifiers. `to_switches` holds the
    /// ports towards the switches themselves, which carry management: by destination, then switch.
    #[must_use]
    pub fn new(
        fabric: CabledNetwork,
        tables: DestinationTables,
        to_switches: Vec<Vec<Option<Port>>>,
    ) -> Option<Self> {
        let network = &fabric.network;
        let lids = fabric.lids()?;
        let target = |lid, is, kind, guid, name: &str| {
            let name = name.replace(is_unseen, "?");
            Target { lid, is, rest: format!(" # {kind} portguid {guid:#018x}: '{name}'\n") }
        };
        let switches = network.switch_ids().map(|id| {
            let (lid, guid) = (lids.switches[id.index()], fabric.switches[id.index()].guid);
            target(lid, Node::Switch(id), "Switch", guid, &network.switch(id).name)
        });
        let hosts = network.host_ids().flat_map(|id| {
            let (first, address) = (lids.hosts[id.index()], &fabric.hosts[id.index()]);
            let of_host = [first].into_iter().chain(address.lids().skip(1));
            let name = &network.host(id).name;
            of_host.map(move |lid| target(lid, Node::Host(id), ADAPTER, address.guid, name))
        });
        let by_guid = fabric.switches_by_guid();
        let aggregation = fabric.aggregation.iter().zip(&lids.aggregation).filter_map(|(node, lid)| {
            let ((switch, port), guid) = (node.at, *node.guids.first()?);
            let is = Node::Aggregation(*by_guid.get(&switch)?, port);
            Some(target(*lid, is, ADAPTER, guid, &node.description))
        });
        let mut targets: Vec<Target> = switches.chain(hosts).chain(aggregation).collect();
        let switch_lids = lids.switches;
        targets.sort_by_key(|target| target.lid);
        let offset = fabric.port_offset();
        Some(Self { tables, to_switches, targets, switch_lids, offset, first: 0, block: Vec::new(), fabric })
    }

    /// How many switches there are.
    #[must_use]
    pub fn switch_count(&self) -> usize {
        self.switch_lids.len()
    }

    /// The section of the switch of this index; to ask for them one after another costs least.
    pub fn section(&mut self, index: usize) -> String {
        let id = SwitchId::new(index);
        let place = self.place_of(id);
        let ports = &self.block[place..place + self.targets.len()];
        let most = self.targets.last().map_or(0, |target| target.lid);
        let name = self.fabric.network.switch(id).name.replace(is_unseen, "?");
        let (guid, lid) = (self.fabric.switches[id.index()].guid, self.switch_lids[id.index()]);
        let length: usize = self.targets.iter().map(|target| LINE_START + target.rest.len()).sum();
        let mut text = String::with_capacity(length + 2 * name.len() + 200);
        let heading =
            writeln!(text, "Unicast lids [0-{most}] of switch Lid {lid} guid {guid:#018x} ('{name}'):");
        heading.expect("a text takes any line");
        let mut count = 0;
        for (target, port) in self.targets.iter().zip(ports) {
            if *port != NO_PORT {
                start_line(&mut text, target.lid, *port);
                text.push_str(&target.rest);
                count += 1;
            }
        }
        writeln!(text, "{count} lids dumped").expect("a text takes any line");
        text
    }

    /// All sections as one text.
    #[must_use]
    pub fn text(mut self) -> String {
        (0..self.switch_count()).map(|index| self.section(index)).collect()
    }

    /// Where a switch's ports begin in the block, which is gathered anew where it does not hold them.
    fn place_of(&mut self, id: SwitchId) -> usize {
        let held = self.block.len() / self.targets.len();
        if !(self.first..self.first + held).contains(&id.index()) {
            self.gather(id.index());
        }
        (id.index() - self.first) * self.targets.len()
    }

    fn gather(&mut self, first: usize) {
        self.first = first;
        let held = BLOCK.min(self.switch_count() - first);
        let mut block = vec![NO_PORT; held * self.targets.len()];
        for (number, target) in self.targets.iter().enumerate() {
            for nth in 0..held {
                let id = SwitchId::new(first + nth);
                let towards =
                    |to: SwitchId| self.to_switches[to.index()][id.index()].map(|port| port + self.offset);
                let port = match target.is {
                    Node::Switch(to) if to == id => Some(0),
                    Node::Switch(to) => towards(to),
                    Node::Host(to) => self.tables.port(id, to).map(|port| port + self.offset),
                    Node::Aggregation(at, port) if at == id => Some(port),
                    Node::Aggregation(at, _) => towards(at),
                };
                block[nth * self.targets.len() + number] = port.unwrap_or(NO_PORT);
            }
        }
        self.block = block;
    }
}

/// The bytes before the rest of a line: "0x0012 003".
const LINE_START: usize = 10;

fn start_line(text: &mut String, lid: u16, port: Port) {
    let digit =
        |value: u16, base: u32| char::from_digit(u32::from(value) % base, base).expect("below the base");
    text.push_str("0x");
    for shift in [12, 8, 4, 0] {
        text.push(digit(lid >> shift, 16));
    }
    text.push(' ');
    for divisor in [100, 10, 1] {
        text.push(digit(port / divisor, 10));
    }
}
