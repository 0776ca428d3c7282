//! The service level of each path: lines of a source's GUID, a destination's LID and a level, as `ibdmchk --psl` reads
//! them, or the path records that `saquery` prints.
//!
//! ```text
//! 0x0002c90300a1b2c4 7 1          PathRecord dump:
//!                                         dlid....................7
//!                                         slid....................3
//!                                         sl......................0x1
//! ```

use std::collections::BTreeMap;

use hopscope_topology::{HostId, Node, SERVICE_LEVELS, ServiceLevels, SwitchId};

use crate::error::{Fault, FormatError};
use crate::fabric::CabledNetwork;
use crate::lines::{Cursor, content_lines, lines};

use super::Lids;

/// The line that begins a path record.
const RECORD: &str = "PathRecord dump:";

/// The hint for files that belong to another fabric.
const OTHER_FABRIC: &str = "do these levels belong to another fabric, or to another time of it?";

/// Reads the service levels of the paths between the hosts of a fabric; those from or to switches do not count.
///
/// # Errors
/// The first line that is not of its form, or names what the fabric does not have, with its place.
pub fn read(text: &str, fabric: &CabledNetwork, lids: &Lids) -> Result<ServiceLevels, FormatError> {
    let levels = ServiceLevels::new(&fabric.network, lids.paths);
    let sources = Sources::new(fabric);
    let mut reading = Reading { lids, sources, levels, found: 0 };
    let is_records = lines(text).any(|(_, line)| line.trim() == RECORD);
    let read = if is_records { reading.records(text) } else { reading.rows(text) };
    read.map_err(|fault| fault.in_text(text))?;
    Ok(reading.levels)
}

/// The hosts of each GUID that the lines name as a source.
struct Sources<'a> {
    fabric: &'a CabledNetwork,
    ports: BTreeMap<u64, HostId>,
    switches: BTreeMap<u64, SwitchId>,
    /// Those of nodes, looked up so far.
    nodes: BTreeMap<u64, Vec<HostId>>,
}

impl<'a> Sources<'a> {
    fn new(fabric: &'a CabledNetwork) -> Self {
        let (ports, _) = fabric.hosts_by_address();
        Self { fabric, ports, switches: fabric.switches_by_guid(), nodes: BTreeMap::new() }
    }

    /// The hosts of a GUID: of a port, or of a node, which may have several; none of a switch's or aggregation node's.
    fn of_guid(&mut self, byte: usize, guid: u64) -> Result<&[HostId], Fault> {
        if let Some(host) = self.ports.get(&guid) {
            return Ok(std::slice::from_ref(host));
        }
        if self.switches.contains_key(&guid) || self.fabric.is_left_out_guid(guid) {
            return Ok(&[]);
        }
        let network = &self.fabric.network;
        let hosts = self.nodes.entry(guid).or_insert_with(|| {
            let of_port = (1..=u8::MAX).map(|port| format!("{guid:#x}:{port}"));
            std::iter::once(format!("{guid:#x}"))
                .chain(of_port)
                .filter_map(|name| match network.node(&name)? {
                    Node::Host(host) => Some(host),
                    Node::Switch(_) => None,
                })
                .collect()
        });
        if hosts.is_empty() {
            let problem = format!("the fabric has no node of GUID {guid:#018x}");
            return Err(Fault::at(byte, problem, "a host of this fabric").hint(OTHER_FABRIC));
        }
        Ok(hosts)
    }
}

struct Reading<'a> {
    lids: &'a Lids,
    sources: Sources<'a>,
    levels: ServiceLevels,
    found: usize,
}

/// The fields of a path record that count, each with its place.
#[derive(Clone, Copy, Default)]
struct Record {
    from: Option<(usize, u16)>,
    to: Option<(usize, u16)>,
    level: Option<u8>,
}

impl Reading<'_> {
    fn rows(&mut self, text: &str) -> Result<(), Fault> {
        for mut cursor in content_lines(text) {
            let byte = cursor.byte;
            if !cursor.rest.starts_with("0x") {
                return Err(cursor.missing(
                    "0x and the GUID of a source, a LID and a service level, such as 0x2c903a1 7 1",
                ));
            }
            let guid = cursor.hexadecimal(u64::MAX, "the GUID of a source")?;
            cursor.blank();
            let at = cursor.byte;
            let lid = cursor.number(0xbfff, "the LID of a destination")? as u16;
            let level = cursor.number(SERVICE_LEVELS as u64 - 1, "a service level from 0 to 15")? as u8;
            let sources = self.sources.of_guid(byte, guid)?;
            self.found += take(&mut self.levels, sources, of_lid(self.lids, at, lid)?, level);
        }
        self.finish(text, "lines such as 0x2c903a1 7 1")
    }

    fn records(&mut self, text: &str) -> Result<(), Fault> {
        let mut open: Option<(usize, Record)> = None;
        for line in lines(text) {
            let mut cursor = Cursor::new(line);
            cursor.blank();
            if cursor.rest.trim_end() == RECORD {
                let begun = open.replace((cursor.byte, Record::default()));
                begun.map_or(Ok(()), |(byte, record)| self.close(byte, record))?;
                continue;
            }
            let (Some((_, record)), Some(dots)) = (&mut open, cursor.rest.find("..")) else { continue };
            let field = &cursor.rest[..dots];
            let rest = cursor.rest[dots..].trim_start_matches('.');
            cursor.skip(cursor.rest.len() - rest.len());
            let byte = cursor.byte;
            match field {
                "slid" => record.from = Some((byte, cursor.number(0xbfff, "a LID")? as u16)),
                "dlid" => record.to = Some((byte, cursor.number(0xbfff, "a LID")? as u16)),
                "sl" => {
                    let most = SERVICE_LEVELS as u64 - 1;
                    record.level = Some(cursor.hexadecimal(most, "a service level from 0x0 to 0xf")? as u8);
                }
                _ => {}
            }
        }
        open.map_or(Ok(()), |(byte, record)| self.close(byte, record))?;
        self.finish(text, "records of paths between hosts")
    }

    fn close(&mut self, byte: usize, record: Record) -> Result<(), Fault> {
        let Record { from: Some((at, from)), to: Some(to), level: Some(level) } = record else {
            let fault = Fault::at(byte, "a path record without slid, dlid or sl", "all three");
            return Err(fault.hint("is the file cut short?"));
        };
        let from = of_lid(self.lids, at, from)?.map(|(host, _)| host);
        let to = of_lid(self.lids, to.0, to.1)?;
        self.found += take(&mut self.levels, from.as_slice(), to, level);
        Ok(())
    }

    fn finish(&self, text: &str, expected: &str) -> Result<(), Fault> {
        if self.found > 0 {
            return Ok(());
        }
        Err(Fault::at(
            text.len(),
            "the file ends without the service level of a path between hosts",
            expected,
        ))
    }
}

/// The host of a LID, and which of its paths that is; nothing for a switch or an aggregation node.
fn of_lid(lids: &Lids, byte: usize, lid: u16) -> Result<Option<(HostId, usize)>, Fault> {
    let host = lids.hosts.get(&lid);
    if host.is_none() && !lids.switches.contains_key(&lid) && !lids.left_out.contains(&lid) {
        let fault = Fault::at(byte, format!("the fabric has no node of LID {lid}"), "a LID of this fabric");
        return Err(fault.hint(OTHER_FABRIC));
    }
    Ok(host.copied())
}

/// Gives the paths of these senders to a receiver their level; how many they are.
fn take(levels: &mut ServiceLevels, from: &[HostId], to: Option<(HostId, usize)>, level: u8) -> usize {
    let Some((to, path)) = to else { return 0 };
    from.iter().for_each(|from| levels.set(path, *from, to, level));
    from.len()
}
