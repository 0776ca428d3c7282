//! Flows, each with its bytes and the instant at which it begins: as CSV, or as htsim's connection matrices.

use hopscope_topology::Network;
use hopscope_traffic::WeightedPair;
use hopscope_units::{Data, Time};

use crate::csv::{Csv, has_heading};
use crate::error::{Fault, FormatError};
use crate::lines::{Cursor, Piece, lines};

/// A flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedFlow {
    /// The sending host's name.
    pub from: String,
    /// The receiving host's name.
    pub to: String,
    /// How much it sends.
    pub size: Data,
    /// When it begins; nothing where something else must happen first.
    pub start: Option<Time>,
}

/// Reads CSV: a heading with the columns from, to, size and perhaps start, such as `h1,h2,64 KiB,10 us`.
///
/// # Errors
/// The first line that is no flow between two hosts of the network, with its place.
pub fn read_csv(text: &str, network: &Network) -> Result<Vec<TimedFlow>, FormatError> {
    csv_flows(text, network).map_err(|fault| fault.in_text(text))
}

/// Reads a connection matrix (`.cm`) of the simulator htsim: `Nodes N`, `Connections M`, then lines such as
/// `0->5 id 1 start 0 size 2000000`, with the start in picoseconds and the size in bytes. Node i is host i of the network
/// as it lists them. Triggers are read and not followed: what waits for one has no start.
///
/// # Errors
/// The first line that is not of this form, a node that the network does not have, a file cut short; with its place.
pub fn read_cm(text: &str, network: &Network) -> Result<Vec<TimedFlow>, FormatError> {
    connections(text, network).map_err(|fault| fault.in_text(text))
}

/// Reads flows of either form, told apart by their content.
///
/// # Errors
/// As for the form.
pub fn read(text: &str, network: &Network) -> Result<Vec<TimedFlow>, FormatError> {
    if is_cm(text) { read_cm(text, network) } else { read_csv(text, network) }
}

/// Whether a text begins as a list of flows does.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    is_cm(text) || has_heading(text, &COLUMNS[..3])
}

/// The data of each pair of hosts, whatever its starts.
#[must_use]
pub fn weights(flows: &[TimedFlow]) -> Vec<WeightedPair> {
    let weight = |flow: &TimedFlow| flow.size.bits() as f64;
    flows.iter().map(|f| WeightedPair { from: f.from.clone(), to: f.to.clone(), weight: weight(f) }).collect()
}

const COLUMNS: [&str; 4] = ["from", "to", "size", "start"];

fn csv_flows(text: &str, network: &Network) -> Result<Vec<TimedFlow>, Fault> {
    let csv = Csv::read(text, &COLUMNS, 3)?;
    let mut flows = Vec::new();
    for row in csv.rows() {
        let host = |column: &str| host_named(network, row.need(column, "the name of a host")?);
        let (byte, size) = row.need("size", "a size such as 64 KiB")?;
        let size =
            size.parse().map_err(|_| Fault::at(byte, format!("\"{size}\""), "a size such as 64 KiB"))?;
        let start = match row.get("start") {
            None => Time::ZERO,
            Some((byte, start)) => {
                let span: hopscope_units::Span = start
                    .parse()
                    .map_err(|_| Fault::at(byte, format!("\"{start}\""), "a time such as 10 us"))?;
                Time::from_ps(span.ps())
            }
        };
        flows.push(TimedFlow { from: host("from")?, to: host("to")?, size, start: Some(start) });
    }
    Ok(flows)
}

fn host_named(network: &Network, (byte, name): Piece<'_>) -> Result<String, Fault> {
    match network.node(name) {
        Some(hopscope_topology::Node::Host(_)) => Ok(name.to_owned()),
        Some(hopscope_topology::Node::Switch(_)) => {
            Err(Fault::at(byte, format!("\"{name}\" is a switch"), "the name of a host"))
        }
        None => {
            let fault =
                Fault::at(byte, format!("there is no host \"{name}\""), "the name of a host of the network");
            let like = network.name_like(name);
            Err(match like {
                Some(like) => fault.hint(format!("did you mean \"{like}\"?")),
                None => fault,
            })
        }
    }
}

fn is_cm(text: &str) -> bool {
    text.split_whitespace().next() == Some("Nodes")
}

fn connections(text: &str, network: &Network) -> Result<Vec<TimedFlow>, Fault> {
    let (mut promised, mut flows) = (None, Vec::new());
    for line in lines(text) {
        let mut cursor = Cursor::new(line);
        cursor.blank();
        let first = cursor.rest;
        if first.is_empty()
            || first.starts_with('#')
            || ["Triggers", "trigger", "Failures", "failure"].iter().any(|w| first.starts_with(w))
        {
            continue;
        }
        if cursor.take("Nodes") {
            let byte = cursor.byte;
            let nodes = cursor.number(u64::from(u32::MAX), "how many nodes there are")?;
            let hosts = network.hosts().len();
            if nodes > hosts as u64 {
                return Err(Fault::at(
                    byte,
                    format!("{nodes} nodes, and the network has {hosts} hosts"),
                    "at most as many",
                ));
            }
        } else if cursor.take("Connections") {
            let byte = cursor.byte;
            promised = Some((byte, cursor.number(u64::from(u32::MAX), "how many connections there are")?));
        } else {
            flows.push(connection(cursor, network)?);
        }
    }
    match promised {
        Some((_, count)) if (flows.len() as u64) < count => {
            let problem = format!("the file ends after {} of {count} connections", flows.len());
            Err(Fault::at(text.len(), problem, "as many as it says at its top")
                .hint("is the file cut short?"))
        }
        Some((byte, count)) if flows.len() as u64 > count => Err(Fault::at(
            byte,
            format!("{count} connections, and {} follow", flows.len()),
            "as many as follow",
        )),
        _ if flows.is_empty() => Err(Fault::at(
            text.len(),
            "the file ends without a connection",
            "lines such as 0->5 id 1 start 0 size 2000000",
        )),
        _ => Ok(flows),
    }
}

/// `0->5 id 1 start 0 size 2000000`.
fn connection(mut cursor: Cursor<'_>, network: &Network) -> Result<TimedFlow, Fault> {
    let from = host_numbered(&mut cursor, network)?;
    cursor.expect("->", "-> between two nodes, as in 0->5 id 1 start 0 size 2000000")?;
    let to = host_numbered(&mut cursor, network)?;
    let (mut start, mut size, mut waits) = (None, None, false);
    let line_end = cursor.byte + cursor.rest.len();
    loop {
        let (byte, word) = cursor.word();
        match word {
            "" => break,
            "start" => start = Some(Time::from_ps(cursor.number(u64::MAX, "an instant in picoseconds")?)),
            "size" => size = Some(Data::from_bytes(cursor.number(u64::MAX / 8, "a size in bytes")?)),
            "id" | "prio" | "send_done_trigger" | "recv_done_trigger" => {
                cursor.number(u64::MAX, "a number")?;
            }
            "trigger" => {
                cursor.number(u64::MAX, "the number of a trigger")?;
                waits = true;
            }
            _ => {
                let expected = "id, start, size, trigger, send_done_trigger, recv_done_trigger or prio";
                return Err(Fault::at(byte, format!("\"{word}\""), expected));
            }
        }
    }
    let Some(size) = size else {
        return Err(Fault::at(line_end, "a connection without a size", "size and a number of bytes"));
    };
    let start = if waits { None } else { Some(start.unwrap_or(Time::ZERO)) };
    Ok(TimedFlow { from, to, size, start })
}

fn host_numbered(cursor: &mut Cursor<'_>, network: &Network) -> Result<String, Fault> {
    cursor.blank();
    let byte = cursor.byte;
    let number =
        cursor.number(u64::from(u32::MAX), "the number of a node, as in 0->5 id 1 start 0 size 2000000")?;
    let host = network.hosts().get(number as usize);
    let problem = format!("there is no node {number}: the network has {} hosts", network.hosts().len());
    Ok(host.ok_or_else(|| Fault::at(byte, problem, "a number below that"))?.name.clone())
}
