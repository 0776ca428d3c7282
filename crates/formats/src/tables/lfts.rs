//! Linear forwarding tables: `opensm-lfts.dump`, `dump_lfts`, `dump_fts`.
//!
//! ```text
//! Unicast lids [0-6] of switch Lid 1 guid 0x0000000000200000 ('leaf 1'):
//! 0x0002 001 # Channel Adapter portguid 0x0000000000100001: 'node 1'
//! 1 lids dumped
//! ```
//!
//! What follows the port is optional, as OpenSM takes it. A last table without its count is taken as cut short where
//! other tables have theirs.

use std::collections::BTreeMap;

use crate::error::Fault;
use crate::lines::{Cursor, content_lines, lines};

use super::{Entry, ForwardingTables, Note, SwitchTable};

const HEADING: &str = "Unicast lids";

pub(super) fn looks_like(text: &str) -> bool {
    lines(text)
        .map(|(_, line)| line.trim())
        .find(|line| !line.is_empty())
        .is_some_and(|line| line.starts_with(HEADING))
}

/// The table that is being read.
struct Open {
    table: SwitchTable,
    counted: bool,
}

pub(super) fn read(text: &str) -> Result<ForwardingTables, Fault> {
    let mut tables = ForwardingTables { switches: Vec::new(), notes: BTreeMap::new() };
    let (mut open, mut counted, mut multicast) = (None::<Open>, 0, false);
    for cursor in content_lines(text) {
        if cursor.rest.starts_with(HEADING) {
            close(&mut open, &mut tables, counted, cursor.byte)?;
            open = Some(Open { table: heading(cursor)?, counted: false });
            multicast = false;
        } else if cursor.rest.starts_with("Multicast mlids") {
            close(&mut open, &mut tables, counted, cursor.byte)?;
            multicast = true;
        } else if multicast || ["Lid ", "Port "].iter().any(|heading| cursor.rest.starts_with(heading)) {
            // A heading of two lines within dump_fts' tables; multicast tables are not ours.
        } else if cursor.rest.trim_end().ends_with("dumped") {
            let Some(open) = open.as_mut().filter(|open| !open.counted) else {
                return Err(cursor.missing("a table before its count of LIDs"));
            };
            open.table.omitted = omitted(cursor, open.table.entries.len())?;
            open.counted = true;
            counted += 1;
        } else {
            let Some(open) = open.as_mut().filter(|open| !open.counted) else {
                return Err(
                    cursor.missing("a line \"Unicast lids ... of switch ... guid ...:\" before any entry")
                );
            };
            entry(cursor, open, &mut tables, text)?;
        }
    }
    close(&mut open, &mut tables, counted, text.len())?;
    if tables.switches.is_empty() {
        return Err(Fault::at(
            text.len(),
            "the file ends without a table",
            "a line \"Unicast lids ... of switch ...:\"",
        ));
    }
    Ok(tables)
}

/// Puts a table with the others. Where one has its count, all must.
fn close(
    open: &mut Option<Open>,
    tables: &mut ForwardingTables,
    counted: usize,
    at: usize,
) -> Result<(), Fault> {
    let Some(Open { table, counted: is_counted }) = open.take() else { return Ok(()) };
    if !is_counted && counted > 0 {
        let problem = "the table ends without its count of LIDs";
        return Err(
            Fault::at(at, problem, "a line such as \"12 lids dumped\"").hint("is the file cut short?")
        );
    }
    tables.switches.push(table);
    Ok(())
}

/// `Unicast lids [0-6] of switch Lid 1 guid 0x0000000000200000 ('leaf 1'):`, or with a direct route instead of the LID.
fn heading(mut cursor: Cursor<'_>) -> Result<SwitchTable, Fault> {
    let byte = cursor.byte;
    let Some(place) = cursor.rest.find("guid 0x") else {
        return Err(Fault::at(
            byte + cursor.rest.len(),
            "the line ends here",
            "the switch's GUID, as in guid 0x2c9...",
        ));
    };
    cursor.skip(place + "guid".len());
    let guid = cursor.hexadecimal(u64::MAX, "the switch's GUID")?;
    let name =
        cursor.rest.trim().strip_suffix(':').and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    let Some(name) = name else {
        return Err(cursor.missing("the switch's name in parentheses, then \":\""));
    };
    let name = name.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')).unwrap_or(name);
    Ok(SwitchTable { byte, guid, name: Some(name.to_owned()), entries: Vec::new(), omitted: 0 })
}

/// `6 valid lids dumped`, or OpenSM's `6 lids dumped`, which also counts LIDs that have no entry because the switch has
/// no way there (updn with several roots leaves such). Gives how many it counts besides these.
fn omitted(mut cursor: Cursor<'_>, entries: usize) -> Result<u64, Fault> {
    let byte = cursor.byte;
    let count = cursor.number(u64::MAX, "how many LIDs the table has")?;
    let entries = entries as u64;
    if count == entries || (count > entries && !cursor.take("valid")) {
        return Ok(count - entries);
    }
    let problem = format!("the table has {entries} entries, and this says {count}");
    Err(Fault::at(byte, problem, "as many as there are").hint("is a part of the file missing?"))
}

/// `0x0002 001 # Channel Adapter portguid 0x0000000000100001: 'node 1'`, or with " : (" and ")" around what follows.
fn entry(
    mut cursor: Cursor<'_>,
    open: &mut Open,
    tables: &mut ForwardingTables,
    text: &str,
) -> Result<(), Fault> {
    let byte = cursor.byte;
    if !cursor.rest.starts_with("0x") {
        return Err(cursor.missing("an entry such as 0x0002 001, or the count of LIDs"));
    }
    let lid = cursor.hexadecimal(0xffff, "a LID from 0x0001 to 0xbfff")? as u16;
    cursor.blank();
    let port = cursor.number(255, "the number of a port, from 0 to 254")? as u8;
    if open.table.entries.last().is_some_and(|last| last.lid >= lid) {
        return Err(Fault::at(
            byte,
            format!("LID {lid:#06x} comes after a greater or equal one"),
            "LIDs in ascending order",
        ));
    }
    open.table.entries.push(Entry { byte, lid, port });
    if let Some(note) = note(cursor)? {
        tables.note(lid, &note, text)?;
    }
    Ok(())
}

/// The node that an entry names, if it does.
fn note(mut cursor: Cursor<'_>) -> Result<Option<Note>, Fault> {
    let byte = cursor.byte;
    let Some(place) = cursor.rest.find("portguid 0x") else { return Ok(None) };
    let is_switch = cursor.rest[..place].contains("Switch");
    cursor.skip(place + "portguid".len());
    let guid = cursor.hexadecimal(u64::MAX, "the node's port GUID")?;
    let rest = cursor.rest.trim().trim_start_matches(':').trim();
    let rest = rest.strip_suffix(')').unwrap_or(rest);
    let name = rest.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')).unwrap_or(rest);
    Ok(Some(Note { byte, is_switch, guid, name: name.to_owned() }))
}
