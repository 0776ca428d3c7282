//! Forwarding tables as a subnet manager writes them, and what they are on a fabric.
//!
//! Two forms are read: that of `opensm-lfts.dump`, `dump_lfts` and `dump_fts` (`lfts.rs`), which OpenSM's routing
//! engine `file` loads, too, and `opensm.fdbs` (`fdbs.rs`).

mod fdbs;
mod lfts;
pub mod root_guids;
mod write;

use std::collections::BTreeMap;

use hopscope_topology::{DestinationTables, HostId, Node, Port, SwitchId};
use hopscope_units::amount;

use crate::error::{Fault, FormatError, Place};
use crate::fabric::CabledNetwork;
pub use write::Lfts;

/// The tables of all switches, as found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingTables {
    switches: Vec<SwitchTable>,
    /// What the file says of the node with each LID.
    notes: BTreeMap<u16, Note>,
}

/// The table of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SwitchTable {
    byte: usize,
    guid: u64,
    name: Option<String>,
    entries: Vec<Entry>,
    /// How many LIDs it counts besides those that it lists.
    omitted: u64,
}

/// The port for a LID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    byte: usize,
    lid: u16,
    port: u8,
}

/// The node that has a LID.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Note {
    byte: usize,
    is_switch: bool,
    guid: u64,
    name: String,
}

/// Whether a text begins as tables do.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    lfts::looks_like(text) || fdbs::looks_like(text)
}

/// Reads tables of either form.
///
/// # Errors
/// The first line that is not of its form, with its place; a file that is cut short.
pub fn read(text: &str) -> Result<ForwardingTables, FormatError> {
    let tables = if fdbs::looks_like(text) { fdbs::read(text) } else { lfts::read(text) };
    tables.map_err(|fault| fault.in_text(text))
}

impl ForwardingTables {
    /// The tables on a fabric. `text` is what they were read from.
    ///
    /// Hosts are known by their port GUIDs, else by name, and where the tables hold nothing but LIDs by these.
    ///
    /// # Errors
    /// Tables of another fabric: a switch or host that it does not have, a switch without a table, other LIDs than its
    /// file has, more entries for ports without a cable than for others; each with its place. A missing entry is no
    /// error, nor is a port without a cable: packets are dropped there. Of a host with several LIDs (LMC above 0) the
    /// lowest counts.
    pub fn on(&self, fabric: &CabledNetwork, text: &str) -> Result<DestinationTables, FormatError> {
        let mut tables = self.on_every_lid(fabric, text)?;
        Ok(tables.swap_remove(0))
    }

    /// The tables for the lowest LID of each host, then those for the second one, and so on to the most that a host
    /// has. A host with fewer begins again with its lowest. LIDs that only the fabric's file has count as well: packets
    /// for one without an entry are dropped.
    ///
    /// # Errors
    /// As [`on`](Self::on).
    pub fn on_every_lid(
        &self,
        fabric: &CabledNetwork,
        text: &str,
    ) -> Result<Vec<DestinationTables>, FormatError> {
        self.resolve(fabric, text).map_err(|fault| fault.in_text(text))
    }

    /// The host of each LID, from the fabric's file and these tables.
    ///
    /// # Errors
    /// Hosts that the fabric does not have, or that have other LIDs there, with their place.
    pub fn hosts_by_lid(
        &self,
        fabric: &CabledNetwork,
        text: &str,
    ) -> Result<BTreeMap<u16, HostId>, FormatError> {
        self.hosts(fabric).map_err(|fault| fault.in_text(text))
    }

    /// The switches of the fabric that have another GUID than in these tables, which know them by name alone, while
    /// others are known by GUID: as of switches that were replaced.
    #[must_use]
    pub fn switches_of_other_guids(&self, fabric: &CabledNetwork) -> Vec<String> {
        let by_guid = fabric.switches_by_guid();
        let (known, others): (Vec<_>, Vec<_>) =
            self.switches.iter().partition(|table| by_guid.contains_key(&table.guid));
        let told = |table: &SwitchTable| {
            let switch = self.switch(table, fabric, &by_guid).ok()?;
            let (here, there) = (table.guid, fabric.switches[switch.index()].guid);
            let name = &fabric.network.switch(switch).name;
            Some(format!("{name} has GUID {here:#018x} in the tables, {there:#018x} in the fabric"))
        };
        if known.is_empty() { Vec::new() } else { others.into_iter().filter_map(told).collect() }
    }

    /// The note on tables that count more LIDs than they list, as OpenSM does if a switch has no route to some.
    #[must_use]
    pub fn omissions(&self) -> Option<String> {
        let short: Vec<&SwitchTable> = self.switches.iter().filter(|table| table.omitted > 0).collect();
        let first = short.first()?;
        let entries = first.entries.len();
        let of = match &first.name {
            Some(name) => format!("the table of {name}"),
            None => format!("the table of the switch with GUID {:#018x}", first.guid),
        };
        let like = match short.len() - 1 {
            0 => String::new(),
            more => format!(", and {} likewise", amount(more, "more table", "more tables")),
        };
        let count = first.omitted + entries as u64;
        Some(format!(
            "{of} has {} and ends with \"{count} lids dumped\"{like}: OpenSM leaves out LIDs that it has no path \
             to; else lines are missing",
            amount(entries, "entry", "entries")
        ))
    }

    fn resolve(&self, fabric: &CabledNetwork, text: &str) -> Result<Vec<DestinationTables>, Fault> {
        let hosts = self.hosts(fabric)?;
        let mut lids: BTreeMap<HostId, Vec<u16>> = BTreeMap::new();
        for (&lid, &host) in &hosts {
            lids.entry(host).or_default().push(lid);
        }
        let paths = lids.values().map(Vec::len).max().unwrap_or(1);
        let mut tables = vec![DestinationTables::new(&fabric.network); paths];
        for (&host, lids) in &lids {
            for (tables, &lid) in tables.iter_mut().zip(lids.iter().cycle()) {
                tables.set_lid(host, lid);
            }
        }
        let offset = fabric.port_offset();
        let mut unfit = Unfit::default();
        for (switch, table) in self.by_switch(fabric, text)? {
            for entry in &table.entries {
                let Some(&host) = hosts.get(&entry.lid).filter(|_| entry.port != DROPS) else { continue };
                let port = entry.network_port(offset);
                let is_cabled = port.is_some_and(|port| fabric.network.far_end(switch, port).is_some());
                unfit.note(is_cabled, || entry.fault(&fabric.network.switch(switch).name));
                let (Some(port), lids) = (port, &lids[&host]) else { continue };
                let number = lids.iter().position(|lid| *lid == entry.lid).expect("a LID of this host");
                for tables in tables.iter_mut().skip(number).step_by(lids.len()) {
                    if is_cabled {
                        tables.set(switch, host, port);
                    } else {
                        tables.set_uncabled(switch, host, port);
                    }
                }
            }
        }
        unfit.check().map(|()| tables)
    }

    /// The table of each switch of the fabric, in the order of the file.
    fn by_switch(&self, fabric: &CabledNetwork, text: &str) -> Result<Vec<(SwitchId, &SwitchTable)>, Fault> {
        let by_guid = fabric.switches_by_guid();
        let mut first: Vec<Option<usize>> = vec![None; fabric.network.switches().len()];
        let mut found = Vec::new();
        for table in &self.switches {
            let switch = self.switch(table, fabric, &by_guid)?;
            if let Some(before) = first[switch.index()].replace(table.byte) {
                let line = Place::of_byte(text, before).line;
                let name = &fabric.network.switch(switch).name;
                let problem = format!("a second table of switch \"{name}\"; line {line} begins the first");
                return Err(Fault::at(table.byte, problem, "one table for each switch"));
            }
            found.push((switch, table));
        }
        match first.iter().position(Option::is_none) {
            None => Ok(found),
            Some(missing) => {
                let name = &fabric.network.switches()[missing].name;
                let guid = fabric.switches[missing].guid;
                let problem =
                    format!("the file ends without a table of switch \"{name}\", GUID {guid:#018x}");
                let fault = Fault::at(text.len(), problem, "a table for every switch of the fabric");
                Err(fault.hint("is the file cut short, or of another fabric?"))
            }
        }
    }

    fn switch(
        &self,
        table: &SwitchTable,
        fabric: &CabledNetwork,
        by_guid: &BTreeMap<u64, SwitchId>,
    ) -> Result<SwitchId, Fault> {
        let by_name = || match fabric.network.node(table.name.as_deref()?)? {
            Node::Switch(switch) => Some(switch),
            Node::Host(_) => None,
        };
        by_guid.get(&table.guid).copied().or_else(by_name).ok_or_else(|| {
            let problem = format!("the fabric has no switch with GUID {:#018x}", table.guid);
            let fault = Fault::at(table.byte, problem, "the tables of this fabric");
            fault.hint(OF_ANOTHER_FABRIC)
        })
    }

    /// The host that each LID stands for: as the fabric's file says, which also knows LIDs that no table has, and as
    /// the tables say. Both must agree.
    fn hosts(&self, fabric: &CabledNetwork) -> Result<BTreeMap<u16, HostId>, Fault> {
        let (by_guid, mut hosts) = fabric.hosts_by_address();
        if self.notes.is_empty() && hosts.is_empty() && !fabric.network.hosts().is_empty() {
            let byte = self.switches.first().map_or(0, |table| table.byte);
            let problem = "these tables name nodes by LID alone, and the fabric's file has no LIDs";
            let fault = Fault::at(byte, problem, "a fabric with LIDs");
            return Err(fault.hint("give opensm-subnet.lst or ibnetdiscover's output as the fabric"));
        }
        let (switches, of_file) = (fabric.switches_by_guid(), fabric.nodes_by_lid());
        for (&lid, note) in &self.notes {
            let by_guid = if note.is_switch {
                switches.get(&note.guid).copied().map(Node::Switch)
            } else {
                by_guid.get(&note.guid).copied().map(Node::Host)
            };
            let by_name = || {
                fabric
                    .network
                    .node(&note.name)
                    .filter(|node| matches!(node, Node::Switch(_)) == note.is_switch)
            };
            let node = by_guid.or_else(by_name);
            if node.is_none() && !note.is_switch && !fabric.is_left_out_guid(note.guid) {
                let problem =
                    format!("the fabric has no host \"{}\" with port GUID {:#018x}", note.name, note.guid);
                return Err(
                    Fault::at(note.byte, problem, "the tables of this fabric").hint(OF_ANOTHER_FABRIC)
                );
            }
            note.check_lid(lid, node, of_file.get(&lid).copied(), fabric)?;
            if let Some(Node::Host(host)) = node {
                hosts.insert(lid, host);
            }
        }
        Ok(hosts)
    }

    /// Adds what an entry says of the node with its LID; entries of different switches agree.
    fn note(&mut self, lid: u16, note: &Note, text: &str) -> Result<(), Fault> {
        let known = self.notes.entry(lid).or_insert_with(|| note.clone());
        if known.guid == note.guid {
            return Ok(());
        }
        let line = Place::of_byte(text, known.byte).line;
        let problem = format!(
            "LID {lid:#06x} is of \"{}\" ({:#018x}) here, of \"{}\" ({:#018x}) on line {line}",
            note.name, note.guid, known.name, known.guid
        );
        Err(Fault::at(note.byte, problem, "one node for each LID"))
    }
}

impl Note {
    /// Refuses a LID that the fabric's file gives to another node than this one, or a node that has others there:
    /// everything with a LID would apply to the wrong node.
    fn check_lid(
        &self,
        lid: u16,
        node: Option<Node>,
        of_file: Option<Node>,
        fabric: &CabledNetwork,
    ) -> Result<(), Fault> {
        let in_file = match (of_file, node) {
            (Some(other), _) if of_file != node => format!("it is of \"{}\"", fabric.network.name(other)),
            (None, Some(node)) if !fabric.address(node).may_have(lid) => {
                let lids: Vec<String> = fabric.address(node).lids().map(|lid| lid.to_string()).collect();
                format!("that node has {}", lids.join(", "))
            }
            _ => return Ok(()),
        };
        let problem =
            format!("LID {lid} ({lid:#06x}) is of \"{}\" here; in the fabric's file {in_file}", self.name);
        Err(Fault::at(self.byte, problem, "the same LIDs in both files").hint(
            "the subnet manager has given other LIDs in between: take both files again, at the same time",
        ))
    }
}

impl Entry {
    /// The port as the network counts it; nothing for the switch itself where that is no port of it.
    fn network_port(&self, offset: Port) -> Option<Port> {
        Port::from(self.port).checked_sub(offset)
    }

    /// What is wrong where its port has no cable.
    fn fault(&self, switch: &str) -> Fault {
        let problem = format!("port {} of switch \"{switch}\" has no cable", self.port);
        Fault::at(self.byte, problem, "a port that leads somewhere").hint(OF_ANOTHER_FABRIC)
    }
}

/// The port of an entry that says that there is no way, as OpenSM writes it: as good as no entry.
const DROPS: u8 = 255;

const OF_ANOTHER_FABRIC: &str =
    "these tables belong to another fabric, or the fabric's file is older or newer than they are";

/// Entries whose port has no cable. Some are what a pulled cable leaves behind; most, another fabric's tables.
#[derive(Default)]
struct Unfit {
    entries: usize,
    unfit: usize,
    first: Option<Fault>,
}

impl Unfit {
    fn note(&mut self, is_cabled: bool, fault: impl FnOnce() -> Fault) {
        self.entries += 1;
        if !is_cabled {
            self.unfit += 1;
            self.first.get_or_insert_with(fault);
        }
    }

    /// Refuses them where they are more than the others.
    fn check(self) -> Result<(), Fault> {
        self.first.filter(|_| 2 * self.unfit > self.entries).map_or(Ok(()), Err)
    }
}
