//! `opensm.fdbs`: the tables that OpenSM writes with its option `-D 0x43`.
//!
//! ```text
//! dump_ucast_routes: Switch 0x0000000000200000
//! LID    : Port : Hops : Optimal
//! 0x0002 : 001  : 01   : yes
//! 0x0003 : UNREACHABLE
//! ```

use std::collections::BTreeMap;

use crate::error::Fault;
use crate::lines::{Cursor, lines};

use super::{Entry, ForwardingTables, SwitchTable};

const HEADING: &str = "dump_ucast_routes:";

pub(super) fn looks_like(text: &str) -> bool {
    lines(text)
        .map(|(_, line)| line.trim())
        .find(|line| !line.is_empty())
        .is_some_and(|line| line.contains(HEADING))
}

pub(super) fn read(text: &str) -> Result<ForwardingTables, Fault> {
    let mut switches: Vec<SwitchTable> = Vec::new();
    for line in lines(text) {
        let mut cursor = Cursor::new(line);
        cursor.blank();
        if cursor.rest.is_empty() || cursor.rest.starts_with("LID ") {
            continue;
        }
        let byte = cursor.byte;
        if let Some(place) = cursor.rest.find(HEADING) {
            cursor.skip(place + HEADING.len());
            cursor.expect("Switch", "\"Switch\" and its GUID")?;
            let guid = cursor.hexadecimal(u64::MAX, "the switch's GUID")?;
            switches.push(SwitchTable { byte, guid, name: None, entries: Vec::new(), omitted: 0 });
            continue;
        }
        let Some(table) = switches.last_mut() else {
            return Err(cursor.missing("a line \"dump_ucast_routes: Switch 0x...\" before any entry"));
        };
        let lid = cursor.hexadecimal(0xffff, "an entry such as 0x0002 : 001, or the next switch")? as u16;
        cursor.expect(":", "the : after the LID")?;
        cursor.blank();
        if cursor.rest.starts_with("UNREACHABLE") {
            continue;
        }
        let port = cursor.number(255, "the number of a port, or UNREACHABLE")? as u8;
        cursor.expect(":", "the : after the port")?;
        table.entries.push(Entry { byte, lid, port });
    }
    if switches.is_empty() {
        return Err(Fault::at(
            text.len(),
            "the file ends without a table",
            "\"dump_ucast_routes: Switch 0x...\"",
        ));
    }
    Ok(ForwardingTables { switches, notes: BTreeMap::new() })
}
