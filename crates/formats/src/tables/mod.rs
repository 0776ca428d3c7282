//! Forwarding tables as a subnet manager writes them, and what they are on a fabric.
//!
//! Two forms are read: that of `opensm-lfts.dump`, `dump_lfts` and `dump_fts` (`lfts.rs`), which OpenSM's routing
//! engine `file` loads, too, and `opensm.fdbs` (`fdbs.rs`).

mod fdbs;
mod lfts;
pub mod root_guids;
mod write;

use std::collections::BTreeMap;

use hopscope_topology::{DestinationTables, HostId, Port, SwitchId};

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
    /// Tables of another fabric: a switch or host that it does not have, a switch without a table, a port without a
    /// cable; each with its place. A missing entry is no error: packets are dropped there. Of a host with several LIDs
    /// (LMC above 0) the lowest counts.
    pub fn on(&self, fabric: &CabledNetwork, text: &str) -> Result<DestinationTables, FormatError> {
        let mut tables = self.on_every_lid(fabric, text)?;
        Ok(tables.swap_remove(0))
    }

    /// The tables for the lowest LID of each host, then those for the second one, and so on to the most that a host
    /// has. A host with fewer begins again with its lowest.
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

    /// The host of each LID, as these tables or the fabric's file tell.
    ///
    /// # Errors
    /// Hosts that the fabric does not have, with their place.
    pub fn hosts_by_lid(
        &self,
        fabric: &CabledNetwork,
        text: &str,
    ) -> Result<BTreeMap<u16, HostId>, FormatError> {
        self.hosts(fabric).map_err(|fault| fault.in_text(text))
    }

    fn resolve(&self, fabric: &CabledNetwork, text: &str) -> Result<Vec<DestinationTables>, Fault> {
        let hosts = self.hosts(fabric)?;
        let mut lids: BTreeMap<HostId, Vec<u16>> = BTreeMap::new();
        for (&lid, &host) in &hosts {
            lids.entry(host).or_default().push(lid);
        }
        let paths = lids.values().map(Vec::len).max().unwrap_or(1);
        let by_guid = fabric.switches_by_guid();
        let offset = fabric.port_offset();
        let mut tables = vec![DestinationTables::new(&fabric.network); paths];
        let mut first: Vec<Option<usize>> = vec![None; fabric.network.switches().len()];
        for table in &self.switches {
            let switch = self.switch(table, fabric, &by_guid)?;
            if let Some(before) = first[switch.index()].replace(table.byte) {
                let line = Place::of_byte(text, before).line;
                let name = &fabric.network.switch(switch).name;
                let problem = format!("a second table of switch \"{name}\"; line {line} begins the first");
                return Err(Fault::at(table.byte, problem, "one table for each switch"));
            }
            for entry in &table.entries {
                if let Some(host) = hosts.get(&entry.lid) {
                    let port = port_of(fabric, switch, *entry, offset)?;
                    let lids = &lids[host];
                    let number = lids.iter().position(|lid| *lid == entry.lid).expect("a LID of this host");
                    for tables in tables.iter_mut().skip(number).step_by(lids.len()) {
                        tables.set(switch, *host, port);
                    }
                }
            }
        }
        match first.iter().position(Option::is_none) {
            None => Ok(tables),
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
            hopscope_topology::Node::Switch(switch) => Some(switch),
            hopscope_topology::Node::Host(_) => None,
        };
        by_guid.get(&table.guid).copied().or_else(by_name).ok_or_else(|| {
            let problem = format!("the fabric has no switch with GUID {:#018x}", table.guid);
            let fault = Fault::at(table.byte, problem, "the tables of this fabric");
            fault.hint(
                "these tables belong to another fabric, or the fabric's file is older or newer than they are",
            )
        })
    }

    /// The host that each LID stands for.
    fn hosts(&self, fabric: &CabledNetwork) -> Result<BTreeMap<u16, HostId>, Fault> {
        let (by_guid, by_lid) = fabric.hosts_by_address();
        if self.notes.is_empty() {
            if by_lid.is_empty() && !fabric.network.hosts().is_empty() {
                let byte = self.switches.first().map_or(0, |table| table.byte);
                let problem = "these tables name nodes by LID alone, and the fabric's file has no LIDs";
                let fault = Fault::at(byte, problem, "a fabric with LIDs");
                return Err(fault.hint("give opensm-subnet.lst or ibnetdiscover's output as the fabric"));
            }
            return Ok(by_lid);
        }
        let mut hosts = BTreeMap::new();
        let is_host = |note: &Note| !note.is_switch && !fabric.is_left_out_guid(note.guid);
        for (&lid, note) in self.notes.iter().filter(|(_, note)| is_host(note)) {
            let by_name = || match fabric.network.node(&note.name)? {
                hopscope_topology::Node::Host(host) => Some(host),
                hopscope_topology::Node::Switch(_) => None,
            };
            let Some(host) = by_guid.get(&note.guid).copied().or_else(by_name) else {
                let problem =
                    format!("the fabric has no host \"{}\" with port GUID {:#018x}", note.name, note.guid);
                return Err(Fault::at(note.byte, problem, "the tables of this fabric")
                    .hint("these tables belong to another fabric, or the fabric's file is older or newer than they are"));
            };
            hosts.insert(lid, host);
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
        let problem =
            format!("LID {lid:#06x} is of \"{}\" here, of \"{}\" on line {line}", note.name, known.name);
        Err(Fault::at(note.byte, problem, "one node for each LID"))
    }
}

/// The port that an entry means, which must have a cable.
fn port_of(fabric: &CabledNetwork, switch: SwitchId, entry: Entry, offset: Port) -> Result<Port, Fault> {
    let port = Port::from(entry.port).checked_sub(offset);
    if let Some(port) = port.filter(|port| fabric.network.far_end(switch, *port).is_some()) {
        return Ok(port);
    }
    let name = &fabric.network.switch(switch).name;
    let problem = format!("port {} of switch \"{name}\" has no cable", entry.port);
    Err(Fault::at(entry.byte, problem, "a port that leads somewhere")
        .hint("these tables belong to another fabric, or the fabric's file is older or newer than they are"))
}
