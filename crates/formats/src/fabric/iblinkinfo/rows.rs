//! The lines of `iblinkinfo`, one by one: headings of nodes, and a row for each port.

use crate::error::Fault;
use crate::fabric::ibnetdiscover::{MOST_PORTS, Width};
use crate::lines::{Cursor, Piece, content_lines};

/// What a node is; without headings (`-l`) it follows from its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Switch,
    Host,
}

/// The line above the ports of a node: "Switch: 0x2c902... leaf 1:" or "CA: node 7:".
#[derive(Clone, Copy)]
pub(super) struct Heading<'a> {
    pub kind: Kind,
    pub guid: Option<u64>,
    pub name: &'a str,
    pub byte: usize,
}

/// Where a port is: its node by GUID (`-l`) or by LID, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Socket {
    pub node: u64,
    pub port: u8,
}

/// A port and what it is called by.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    pub socket: Socket,
    pub guid: Option<u64>,
    pub lid: u16,
    pub name: &'a str,
}

/// What a row says of the link in its port.
#[derive(Clone, Copy)]
pub(super) enum State<'a> {
    /// It carries packets to this port, at this width if the file states a known one.
    Up { far: End<'a>, width: Option<Width> },
    /// It carries none.
    Dead(Dead<'a>),
}

/// Why a port carries no packets, in the order of the report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dead<'a> {
    /// Any other state, logical and physical.
    Other(&'a str, &'a str),
    /// Its link is up, and nothing answers at the other end; the logical state.
    Unanswered(&'a str),
    /// "Down/Polling": no cable is in it, or one whose other end is dead; `iblinkinfo` does not distinguish them.
    Polling,
}

/// A port of a node.
pub(super) struct Row<'a> {
    pub byte: usize,
    /// The heading above it, by number.
    pub heading: Option<usize>,
    pub near: End<'a>,
    pub state: State<'a>,
    /// What the link could be, "Could be 4X Could be 10.0 Gbps"; empty if it is not stated.
    pub could_be: &'a str,
}

/// The words that begin headings.
const HEADINGS: [(&str, Kind); 5] = [
    ("Switch:", Kind::Switch),
    ("Switch ", Kind::Switch),
    ("CA:", Kind::Host),
    ("RT:", Kind::Host),
    ("Router:", Kind::Host),
];

/// What joins a port to its state and to its other end.
const ARROW: [&str; 2] = ["==(", "==>"];

/// Whether a text's first line that is no comment is one of such a file.
pub(super) fn looks_like(text: &str) -> bool {
    content_lines(text).next().is_some_and(|Cursor { rest: first, .. }| {
        first.contains(ARROW[0]) || HEADINGS.iter().any(|(word, kind)| is_heading(first, word, *kind))
    })
}

/// A switch's heading has its GUID; that of a host ends with a colon.
fn is_heading(line: &str, word: &str, kind: Kind) -> bool {
    line.strip_prefix(word).is_some_and(|rest| match kind {
        Kind::Switch => rest.trim_start().starts_with("0x"),
        Kind::Host => line.ends_with(':'),
    })
}

/// All headings and rows of a text.
pub(super) fn read(text: &str) -> Result<(Vec<Heading<'_>>, Vec<Row<'_>>), Fault> {
    let (mut headings, mut rows) = (Vec::new(), Vec::new());
    for cursor in content_lines(text) {
        let heads = HEADINGS.iter().find(|(word, kind)| is_heading(cursor.rest, word, *kind));
        match heads {
            Some((word, kind)) if !cursor.rest.contains(ARROW[0]) => {
                headings.push(heading(cursor, word, *kind)?);
            }
            _ => rows.push(row(cursor, headings.len().checked_sub(1))?),
        }
    }
    if rows.is_empty() {
        let expected = "rows such as 5  1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>  7  2[  ] \"S2\" ( )";
        return Err(Fault::at(text.len(), "the file ends without a port", expected));
    }
    Ok((headings, rows))
}

fn heading<'a>(mut cursor: Cursor<'a>, word: &str, kind: Kind) -> Result<Heading<'a>, Fault> {
    let byte = cursor.byte;
    cursor.skip(word.len());
    cursor.blank();
    let guid = match kind {
        Kind::Switch => Some(cursor.hexadecimal(u64::MAX, "the switch's GUID")?),
        Kind::Host => None,
    };
    let name = cursor.rest.trim();
    Ok(Heading { kind, guid, name: name.strip_suffix(':').unwrap_or(name).trim(), byte })
}

/// `0x100001 "node 7"  10  1[  ] ==( 4X 2.5 Gbps Active/  LinkUp) (HOQ:0)==>  0x200003  5  5[  ] "leaf 1" ( )`; GUIDs
/// and the first name are there in some forms only.
fn row(mut cursor: Cursor<'_>, heading: Option<usize>) -> Result<Row<'_>, Fault> {
    let byte = cursor.byte;
    let guid = guid(&mut cursor)?;
    let is_line_mode = cursor.rest.starts_with('"');
    let name = if is_line_mode { cursor.quoted('"', "the node's name")?.1.trim() } else { "" };
    let near = end(&mut cursor, guid, is_line_mode, name)?;
    cursor.expect(ARROW[0], "==( before the state of the port")?;
    let (at, words) = cursor.until(')', "the ) after the state of the port")?;
    // What `-p` adds.
    while cursor.take("(") {
        cursor.until(')', "the ) after settings of the port")?;
    }
    cursor.expect(ARROW[1], "==> before the other end")?;
    let far = far(&mut cursor)?;
    let could_be =
        if cursor.take("(") { cursor.until(')', "the ) at the end of the line")?.1.trim() } else { "" };
    let state = state((at, words), far)?;
    if let State::Up { far, .. } = state
        && !is_line_mode
        && [near.lid, far.lid].contains(&0)
    {
        let fault = Fault::at(byte, "an end without a LID", "the LIDs that a subnet manager gives");
        return Err(
            fault.hint("without a subnet manager take `iblinkinfo -l`, which has GUIDs, or `ibnetdiscover`")
        );
    }
    let heading = if is_line_mode { None } else { heading };
    if !is_line_mode && heading.is_none() {
        return Err(Fault::at(
            byte,
            "a port of no node",
            "a line such as Switch: 0x2c902... leaf 1: before it",
        ));
    }
    Ok(Row { byte, heading, near, state, could_be })
}

fn guid(cursor: &mut Cursor<'_>) -> Result<Option<u64>, Fault> {
    let has = cursor.rest.starts_with("0x");
    let guid = has.then(|| cursor.hexadecimal(u64::MAX, "a GUID")).transpose()?;
    cursor.blank();
    Ok(guid)
}

/// `  5    1[  ]`: LID, port, and the port's number on the outside of a chassis.
fn end<'a>(
    cursor: &mut Cursor<'a>,
    guid: Option<u64>,
    by_guid: bool,
    name: &'a str,
) -> Result<End<'a>, Fault> {
    cursor.blank();
    let lid = cursor.number(0xbfff, "a LID, at most 49151")? as u16;
    let port = cursor.number(MOST_PORTS, "the number of a port, at most 254")? as u8;
    cursor.expect("[", "[ after the port's number")?;
    cursor.until(']', "the ] after the port's number")?;
    let node = guid.filter(|_| by_guid).unwrap_or(u64::from(lid));
    Ok(End { socket: Socket { node, port }, guid, lid, name })
}

/// The other end; nothing where none answers: `[  ] ""` or `"Port not available"`.
fn far<'a>(cursor: &mut Cursor<'a>) -> Result<Option<End<'a>>, Fault> {
    cursor.blank();
    if cursor.rest.starts_with('"') {
        cursor.quoted('"', "why there is no other end")?;
        return Ok(None);
    }
    if cursor.rest.starts_with('[') {
        cursor.until(']', "the ] of a port without another end")?;
        cursor.quoted('"', "\"\" in place of the other end's name")?;
        return Ok(None);
    }
    let guid = guid(cursor)?;
    let far = end(cursor, guid, guid.is_some(), "")?;
    let (_, name) = cursor.quoted('"', "the name of the other end")?;
    Ok(Some(End { name: name.trim(), ..far }))
}

/// `4X  25.78125 Gbps Active/  LinkUp` or `Down/ Polling`: only what is active carries packets.
fn state<'a>((byte, words): Piece<'a>, far: Option<End<'a>>) -> Result<State<'a>, Fault> {
    let Some((before, physical)) = words.split_once('/') else {
        return Err(Fault::at(
            byte,
            format!("\"{}\"", words.trim()),
            "the state of a port, such as Active/ LinkUp",
        ));
    };
    let start = before.trim_end().rfind(' ').map_or(0, |space| space + 1);
    Ok(match (before[start..].trim(), physical.trim(), far) {
        ("Active", _, Some(far)) => State::Up { far, width: Width::of_words(before) },
        ("Down", "Polling", _) => State::Dead(Dead::Polling),
        (logical, "LinkUp", None) => State::Dead(Dead::Unanswered(logical)),
        (logical, physical, _) => State::Dead(Dead::Other(logical, physical)),
    })
}
