//! The lane of each service level between two ports of a switch: `opensm-sl2vl.dump`, `smpquery sl2vl`, and the lines
//! that `ibdiagnet` writes and `ibdmchk --slvl` reads.
//!
//! ```text
//! Switch 0x0002c90300a1b2c0, base LID 1, "leaf 1"        # SL2VL table: Lid 1
//! 0   1   : 0  1  2  3  4  5  6  7  0  1 ...              ports: in  1, out  2: | 0| 1| 2| 3| ...
//!
//! 0x0002c90300a1b2c0 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67
//! ```
//!
//! Rows of port 0, which is the switch itself, of ports without a link, and those of hosts do not count.

use std::collections::BTreeMap;

use hopscope_topology::{LaneMap, LaneTables, Port, SERVICE_LEVELS, SwitchId};
use hopscope_units::amount;

use crate::error::{Fault, FormatError};
use crate::fabric::CabledNetwork;
use crate::lines::{Cursor, lines};

use super::Lids;

/// The words that begin the tables of a node.
const SMPQUERY: &str = "# SL2VL table: Lid";
const OF_SWITCH: &str = "Switch 0x";
const OF_HOST: [&str; 2] = ["Channel Adapter 0x", "Router 0x"];

/// The hint for files that belong to another fabric.
const OTHER_FABRIC: &str = "do these tables belong to another fabric, or to another time of it?";

/// Whose rows are read.
#[derive(Clone, Copy)]
enum Of {
    Switch(SwitchId),
    Host,
}

/// Reads the tables of the switches of a fabric, of any of these forms.
///
/// # Errors
/// The first line that is not of its form, or names what the fabric does not have, with its place.
pub fn read(text: &str, fabric: &CabledNetwork, lids: &Lids) -> Result<LaneTables, FormatError> {
    let mut reading = Reading {
        fabric,
        lids,
        by_guid: fabric.switches_by_guid(),
        tables: LaneTables::new(&fabric.network),
        of: None,
        found: 0,
        offset: fabric.port_offset(),
    };
    let read = || {
        lines(text).try_for_each(|line| reading.line(Cursor::new(line)))?;
        if reading.found == 0 {
            let problem = "the file ends without the lanes of a switch";
            return Err(Fault::at(
                text.len(),
                problem,
                "a line such as \"Switch 0x..., base LID 1, \\\"leaf 1\\\"\", then rows",
            ));
        }
        Ok(reading.tables)
    };
    read().map_err(|fault: Fault| fault.in_text(text))
}

struct Reading<'a> {
    fabric: &'a CabledNetwork,
    lids: &'a Lids,
    by_guid: BTreeMap<u64, SwitchId>,
    tables: LaneTables,
    of: Option<Of>,
    found: usize,
    /// What the file adds to the numbers of ports.
    offset: Port,
}

impl Reading<'_> {
    fn line(&mut self, mut cursor: Cursor<'_>) -> Result<(), Fault> {
        cursor.blank();
        if cursor.take(SMPQUERY) {
            cursor.blank();
            let byte = cursor.byte;
            let lid = cursor.number(0xbfff, "a LID")? as u16;
            self.of = Some(self.of_lid(byte, lid)?);
        } else if cursor.is_over() {
            // Headings of columns, and lines between tables.
        } else if cursor.rest.starts_with(OF_SWITCH) {
            cursor.skip(OF_SWITCH.len() - "0x".len());
            let byte = cursor.byte;
            let guid = cursor.hexadecimal(u64::MAX, "the switch's GUID")?;
            self.of = Some(Of::Switch(self.of_guid(byte, guid)?));
        } else if OF_HOST.iter().any(|word| cursor.rest.starts_with(word)) {
            self.of = Some(Of::Host);
        } else if cursor.rest.starts_with("0x") {
            self.packed(cursor)?;
        } else {
            self.row(cursor)?;
        }
        Ok(())
    }

    /// `ports: in  1, out  2: | 0| 1| ...` or `1   2   : 0  1 ...`.
    fn row(&mut self, mut cursor: Cursor<'_>) -> Result<(), Fault> {
        let byte = cursor.byte;
        let is_worded = cursor.take("ports:");
        if is_worded {
            cursor.expect("in", "\"in\" and a port")?;
        }
        let in_port = port(&mut cursor)?;
        if is_worded {
            cursor.expect(",", "a comma after the port")?;
            cursor.expect("out", "\"out\" and a port")?;
        }
        let out_port = port(&mut cursor)?;
        cursor.expect(":", "the : before the lanes")?;
        let mut map: LaneMap = [0; SERVICE_LEVELS];
        for lane in &mut map {
            cursor.take("|");
            *lane = cursor
                .number(SERVICE_LEVELS as u64 - 1, "the lanes of 16 service levels, from 0 to 15")?
                as u8;
        }
        let Some(of) = self.of else {
            return Err(Fault::at(byte, "a row of no node", "the heading of a switch's tables before it"));
        };
        self.set(byte, of, [in_port, out_port], map)
    }

    /// `0x2c90300a1b2c0 1 2 0x01 0x23 ...`: two levels a byte.
    fn packed(&mut self, mut cursor: Cursor<'_>) -> Result<(), Fault> {
        let byte = cursor.byte;
        let guid = cursor.hexadecimal(u64::MAX, "the switch's GUID")?;
        let switch = self.of_guid(byte, guid)?;
        let ports = [port(&mut cursor)?, port(&mut cursor)?];
        let mut map: LaneMap = [0; SERVICE_LEVELS];
        for pair in map.chunks_mut(2) {
            cursor.take(",");
            let lanes =
                cursor.hexadecimal(0xff, "eight bytes with the lanes of 16 service levels, such as 0x01")?;
            pair.copy_from_slice(&[(lanes >> 4) as u8, (lanes & 0xf) as u8]);
        }
        self.set(byte, Of::Switch(switch), ports, map)
    }

    fn set(&mut self, byte: usize, of: Of, ports: [u8; 2], map: LaneMap) -> Result<(), Fault> {
        let Of::Switch(switch) = of else { return Ok(()) };
        self.found += 1;
        if ports.contains(&0) {
            return Ok(());
        }
        let network = &self.fabric.network;
        let [from, to] = ports.map(|port| Port::from(port) - self.offset);
        let highest = Port::from(ports[0].max(ports[1]));
        if let Some(most) = self.fabric.ports[switch.index()].filter(|most| highest > *most) {
            let name = &network.switch(switch).name;
            let problem =
                format!("port {highest} of \"{name}\", which has {}", amount(most, "port", "ports"));
            return Err(Fault::at(byte, problem, "a port of the switch").hint(OTHER_FABRIC));
        }
        if [from, to].into_iter().all(|port| network.far_end(switch, port).is_some()) {
            self.tables.set(switch, from, to, map);
        }
        Ok(())
    }

    fn of_guid(&self, byte: usize, guid: u64) -> Result<SwitchId, Fault> {
        self.by_guid.get(&guid).copied().ok_or_else(|| {
            let problem = format!("the fabric has no switch of GUID {guid:#018x}");
            Fault::at(byte, problem, "a switch of this fabric").hint(OTHER_FABRIC)
        })
    }

    fn of_lid(&self, byte: usize, lid: u16) -> Result<Of, Fault> {
        if self.lids.hosts.contains_key(&lid) || self.lids.left_out.contains(&lid) {
            return Ok(Of::Host);
        }
        self.lids.switches.get(&lid).map(|switch| Of::Switch(*switch)).ok_or_else(|| {
            let hint = if self.lids.switches.is_empty() {
                "the fabric's file gives no LIDs of switches: give ibnetdiscover's output, or OpenSM's opensm-sl2vl.dump"
            } else {
                OTHER_FABRIC
            };
            Fault::at(byte, format!("the fabric has no node of LID {lid}"), "a LID of this fabric").hint(hint)
        })
    }
}

/// The number of a port; 0 is the switch itself.
fn port(cursor: &mut Cursor<'_>) -> Result<u8, Fault> {
    Ok(cursor.number(254, "the number of a port, at most 254")? as u8)
}
