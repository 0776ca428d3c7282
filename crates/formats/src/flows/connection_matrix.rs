//! htsim's connection matrices: the reader behind [`flow_list::read_cm`](super::flow_list::read_cm).

use std::collections::BTreeMap;

use hopscope_topology::Network;
use hopscope_traffic::flows::ListedFlow;
use hopscope_units::{Data, Span, amount};

use crate::error::Fault;
use crate::lines::{Cursor, content_lines};

/// A connection as its line says: a flow, the trigger that it waits for, and those that it fires.
struct Connection {
    flow: ListedFlow,
    waits_for: Option<(usize, u64)>,
    fires: Vec<u64>,
}

/// How a trigger starts the flows that wait for it.
#[derive(Clone, Copy)]
enum Trigger {
    /// All at the first that fires it.
    OneShot,
    /// One each time.
    MultiShot,
    /// All at the last of this number.
    Barrier(u64),
}

/// Counts at the top of the file, each with its place.
#[derive(Default)]
struct Promised {
    connections: Option<(usize, u64)>,
    triggers: Option<(usize, u64)>,
}

pub(crate) fn connections(text: &str, network: &Network) -> Result<Vec<ListedFlow>, Fault> {
    let (mut promised, mut found) = (Promised::default(), Vec::new());
    let mut triggers = BTreeMap::new();
    for mut cursor in content_lines(text) {
        if ["Failures", "failure"].iter().any(|word| cursor.rest.starts_with(word)) {
            continue;
        }
        if cursor.take("Nodes") {
            check_nodes(cursor, network)?;
        } else if cursor.take("Connections") {
            promised.connections = Some(count(cursor, "how many connections there are")?);
        } else if cursor.take("Triggers") {
            promised.triggers = Some(count(cursor, "how many triggers there are")?);
        } else if cursor.take("trigger") {
            let byte = cursor.byte;
            let (id, trigger) = trigger(cursor)?;
            if triggers.insert(id, trigger).is_some() {
                return Err(Fault::at(byte, format!("trigger {id} a second time"), "each trigger once"));
            }
        } else {
            found.push(connection(cursor, network)?);
        }
    }
    check_count(text, promised.triggers, triggers.len(), "triggers")?;
    check_count(text, promised.connections, found.len(), "connections")?;
    if found.is_empty() {
        let expected = "lines such as 0->5 id 1 start 0 size 2000000";
        return Err(Fault::at(text.len(), "the file ends without a connection", expected));
    }
    follow(found, &triggers)
}

/// Where a field of the connection with this number, from 0, stands in a text that has been read.
pub(crate) fn byte_of_connection(text: &str, number: usize, field: &str) -> Option<usize> {
    let is_connection = |line: &Cursor<'_>| line.rest.starts_with(|first: char| first.is_ascii_digit());
    let line = content_lines(text).filter(is_connection).nth(number)?;
    let mut cursor = line;
    let word = match field.split('[').next() {
        Some("to") => {
            cursor.until('>', "").ok()?;
            cursor.blank();
            return Some(cursor.byte);
        }
        Some("after" | "after_any") => "trigger",
        Some(word @ ("size" | "start")) => word,
        _ => return Some(line.byte),
    };
    while !cursor.is_over() {
        if cursor.word().1 == word {
            cursor.blank();
            return Some(cursor.byte);
        }
    }
    Some(line.byte)
}

fn check_nodes(mut cursor: Cursor<'_>, network: &Network) -> Result<(), Fault> {
    let byte = cursor.byte;
    let nodes = cursor.number(u64::from(u32::MAX), "how many nodes there are")?;
    let hosts = network.hosts().len();
    if nodes <= hosts as u64 {
        return Ok(());
    }
    let problem = format!("{nodes} nodes, and the network has {}", amount(hosts, "host", "hosts"));
    Err(Fault::at(byte, problem, "at most as many"))
}

fn count(mut cursor: Cursor<'_>, expected: &str) -> Result<(usize, u64), Fault> {
    let byte = cursor.byte;
    Ok((byte, cursor.number(u64::from(u32::MAX), expected)?))
}

fn check_count(text: &str, promised: Option<(usize, u64)>, found: usize, what: &str) -> Result<(), Fault> {
    match promised {
        Some((_, count)) if (found as u64) < count => {
            let problem = format!("the file ends after {found} of {count} {what}");
            Err(Fault::at(text.len(), problem, "as many as it says at its top")
                .hint("is the file cut short?"))
        }
        Some((byte, count)) if found as u64 > count => {
            Err(Fault::at(byte, format!("{count} {what}, and {found} follow"), "as many as follow"))
        }
        _ => Ok(()),
    }
}

/// `trigger id 1 oneshot`, `trigger id 2 count 4 barrier`.
fn trigger(mut cursor: Cursor<'_>) -> Result<(u64, Trigger), Fault> {
    let (mut id, mut needed, mut kind) = (None, None, None);
    let end = cursor.byte + cursor.rest.len();
    loop {
        let (byte, word) = cursor.word();
        match word {
            "" => break,
            "id" => id = Some(cursor.number(u64::MAX, "the number of the trigger")?),
            "count" => needed = Some(cursor.number(u64::from(u32::MAX), "how often it must be fired")?),
            "oneshot" => kind = Some(Trigger::OneShot),
            "multishot" => kind = Some(Trigger::MultiShot),
            "barrier" => kind = Some(Trigger::Barrier(0)),
            _ => {
                let expected = "id, count, oneshot, multishot or barrier";
                return Err(Fault::at(byte, format!("\"{word}\" is not known here"), expected));
            }
        }
    }
    let missing = |what: &str| Fault::at(end, "the line ends here", what);
    let kind = match kind.ok_or_else(|| missing("oneshot, multishot or barrier"))? {
        Trigger::Barrier(_) => Trigger::Barrier(needed.ok_or_else(|| missing("the count of the barrier"))?),
        other => other,
    };
    Ok((id.ok_or_else(|| missing("the id of the trigger"))?, kind))
}

/// `0->5 id 1 start 0 size 2000000`.
fn connection(mut cursor: Cursor<'_>, network: &Network) -> Result<Connection, Fault> {
    let from = host_numbered(&mut cursor, network)?;
    cursor.expect("->", "-> between two nodes, as in 0->5 id 1 start 0 size 2000000")?;
    let to = host_numbered(&mut cursor, network)?;
    let (mut start, mut size, mut waits_for, mut fires) = (Span::ZERO, None, None, Vec::new());
    let line_end = cursor.byte + cursor.rest.len();
    loop {
        let (byte, word) = cursor.word();
        match word {
            "" => break,
            "start" => start = Span::from_ps(cursor.number(u64::MAX, "an instant in picoseconds")?),
            "size" => {
                let bytes = cursor.number(u64::MAX / 8, "a size in bytes")?;
                if bytes == 0 {
                    return Err(Fault::at(byte, "a flow of 0 bytes, which never ends", "a size above 0"));
                }
                size = Some(Data::from_bytes(bytes));
            }
            "id" | "prio" => {
                cursor.number(u64::MAX, "a number")?;
            }
            "send_done_trigger" | "recv_done_trigger" => {
                fires.push(cursor.number(u64::MAX, "the number of a trigger")?);
            }
            "trigger" => waits_for = Some((byte, cursor.number(u64::MAX, "the number of a trigger")?)),
            _ => {
                let expected = "id, start, size, trigger, send_done_trigger, recv_done_trigger or prio";
                return Err(Fault::at(byte, format!("\"{word}\" is not known here"), expected));
            }
        }
    }
    let Some(size) = size else {
        return Err(Fault::at(line_end, "a connection without a size", "size and a number of bytes"));
    };
    let flow = ListedFlow { from, to, size, start, name: None, after: Vec::new(), after_any: None };
    Ok(Connection { flow, waits_for, fires })
}

/// What waits for a trigger waits for the flows that fire it.
fn follow(mut found: Vec<Connection>, triggers: &BTreeMap<u64, Trigger>) -> Result<Vec<ListedFlow>, Fault> {
    let mut firing: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (i, connection) in found.iter_mut().enumerate() {
        if !connection.fires.is_empty() {
            let name = format!("connection {}", i + 1);
            for &trigger in &connection.fires {
                firing.entry(trigger).or_default().push(name.clone());
            }
            connection.flow.name = Some(name);
        }
    }
    let mut started: BTreeMap<u64, u64> = BTreeMap::new();
    for connection in &mut found {
        let Some((byte, id)) = connection.waits_for else { continue };
        let Some(&trigger) = triggers.get(&id) else {
            return Err(Fault::at(
                byte,
                format!("there is no trigger {id}"),
                "a line such as trigger id 1 oneshot",
            ));
        };
        let started = started.entry(id).or_default();
        *started += 1;
        let needed = match trigger {
            Trigger::OneShot => 1,
            Trigger::MultiShot => *started,
            Trigger::Barrier(count) => count,
        };
        let after = firing.get(&id).cloned().unwrap_or_default();
        if needed == 0 || needed > after.len() as u64 {
            let problem = format!(
                "trigger {id} must be fired {needed} times for this flow, and is {} times",
                after.len()
            );
            let expected = "as many connections with send_done_trigger or recv_done_trigger";
            return Err(Fault::at(byte, problem, expected));
        }
        connection.flow.after_any = (needed < after.len() as u64).then_some(needed as u32);
        connection.flow.after = after;
    }
    Ok(found.into_iter().map(|connection| connection.flow).collect())
}

fn host_numbered(cursor: &mut Cursor<'_>, network: &Network) -> Result<String, Fault> {
    cursor.blank();
    let byte = cursor.byte;
    let number =
        cursor.number(u64::from(u32::MAX), "the number of a node, as in 0->5 id 1 start 0 size 2000000")?;
    let host = network.hosts().get(number as usize);
    let problem = format!(
        "there is no node {number}: the network has {}",
        amount(network.hosts().len(), "host", "hosts")
    );
    Ok(host.ok_or_else(|| Fault::at(byte, problem, "a number below that"))?.name.clone())
}
