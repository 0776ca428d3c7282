//! Flows, each with its bytes and the instant at which it begins: as CSV, or as htsim's connection matrices.

use hopscope_topology::Network;
use hopscope_traffic::WeightedPair;
use hopscope_traffic::flows::ListedFlow;
use hopscope_units::Span;

use crate::columns::csv::{Csv, Row, has_heading};
use crate::error::{Fault, FormatError, Place};
use crate::flows::connection_matrix::{byte_of_connection, connections};
use crate::lines::{Cursor, Piece};

/// Reads CSV: a heading with the columns from, to, size and perhaps start, name, after and after_any, such as
/// `h1,h2,64 KiB,10 us`. In `after` the names of the flows that one waits for stand between blanks.
///
/// # Errors
/// The first line that is no flow between two hosts of the network, with its place.
pub fn read_csv(text: &str, network: &Network) -> Result<Vec<ListedFlow>, FormatError> {
    csv_flows(text, network).map_err(|fault| fault.in_text(text))
}

/// Reads a connection matrix (`.cm`) of the simulator htsim: `Nodes N`, `Connections M`, then lines such as
/// `0->5 id 1 start 0 size 2000000`, with the start in picoseconds and the size in bytes. Node i is host i of the
/// network as it lists them. A flow that a trigger starts waits for those that fire it: one of them where it is a
/// oneshot, as many as its count says where it is a barrier, one more than the flow before it where it is a multishot.
/// A flow fires its triggers when it has arrived.
///
/// # Errors
/// The first line that is not of this form, a node that the network does not have, a file cut short; with its place.
pub fn read_cm(text: &str, network: &Network) -> Result<Vec<ListedFlow>, FormatError> {
    connections(text, network).map_err(|fault| fault.in_text(text))
}

/// Reads flows of either format, recognised by content.
///
/// # Errors
/// As for the form.
pub fn read(text: &str, network: &Network) -> Result<Vec<ListedFlow>, FormatError> {
    if is_cm(text) { read_cm(text, network) } else { read_csv(text, network) }
}

/// Where a field of the flow with this number, from 0, stands in a text that [`read`] has read. The field is called as
/// in [`ListedFlow`], an entry of one `after[1]`. What the file does not have is at the start of the flow's line.
///
/// A million flows have no places of their own: the text is looked through once something is wrong with one.
#[must_use]
pub fn place_of(text: &str, flow: usize, field: &str) -> Place {
    let byte = if is_cm(text) { byte_of_connection(text, flow, field) } else { csv_byte(text, flow, field) };
    Place::of_byte(text, byte.unwrap_or(0))
}

/// Whether a text begins as a list of flows does.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    is_cm(text) || has_heading(text, &COLUMNS[..3])
}

/// The data of each pair of hosts, whatever its starts.
#[must_use]
pub fn weights(flows: &[ListedFlow]) -> Vec<WeightedPair> {
    let weight = |flow: &ListedFlow| flow.size.bits() as f64;
    flows.iter().map(|f| WeightedPair { from: f.from.clone(), to: f.to.clone(), weight: weight(f) }).collect()
}

const COLUMNS: [&str; 7] = ["from", "to", "size", "start", "name", "after", "after_any"];

fn csv_flows(text: &str, network: &Network) -> Result<Vec<ListedFlow>, Fault> {
    let csv = Csv::read(text, &COLUMNS, 3)?;
    csv.rows().map(|row| csv_flow(&row, network)).collect()
}

fn csv_byte(text: &str, flow: usize, field: &str) -> Option<usize> {
    let csv = Csv::read(text, &COLUMNS, 3).ok()?;
    let row = csv.rows().nth(flow)?;
    let (column, entry) = field.trim_end_matches(']').split_once('[').unwrap_or((field, "0"));
    let Some(cell) = row.get(column) else { return Some(row.byte) };
    if !text[cell.0..].starts_with(cell.1) {
        return Some(cell.0); // With quotation marks in it that are written twice.
    }
    let mut cursor = Cursor::new(cell);
    for _ in 0..entry.parse().unwrap_or(0) {
        cursor.word();
    }
    cursor.blank();
    Some(cursor.byte)
}

fn csv_flow(row: &Row<'_, '_>, network: &Network) -> Result<ListedFlow, Fault> {
    let host = |column: &str| host_named(network, row.need(column, "the name of a host")?);
    let (byte, size) = row.need("size", "a size such as 64 KiB")?;
    let size = size
        .parse()
        .map_err(|_| Fault::at(byte, format!("\"{size}\" is not a size"), "a size such as 64 KiB"))?;
    let start = row.get("start").map_or(Ok(Span::ZERO), |(byte, start)| {
        start
            .parse()
            .map_err(|_| Fault::at(byte, format!("\"{start}\" is not a time"), "a time such as 10 us"))
    })?;
    let after = row
        .get("after")
        .map_or(Vec::new(), |(_, names)| names.split_whitespace().map(str::to_owned).collect());
    let after_any = row.get("after_any").map(|(byte, count)| {
        let expected = "how many of the flows in `after` must have ended";
        count.parse().map_err(|_| Fault::at(byte, format!("\"{count}\" is not a number of flows"), expected))
    });
    Ok(ListedFlow {
        from: host("from")?,
        to: host("to")?,
        size,
        start,
        name: row.get("name").map(|(_, name)| name.to_owned()),
        after,
        after_any: after_any.transpose()?,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, flow: usize, field: &str) -> (u32, u32) {
        let Place { line, column } = place_of(text, flow, field);
        (line, column)
    }

    #[test]
    fn finds_the_fields_of_a_list_again() {
        let text = "from,to,size,after\n# two flows\na,b,1 B,\n b, c,2 B,  one two\n";
        assert_eq!([told(text, 0, "from"), told(text, 0, "size")], [(3, 1), (3, 5)]);
        assert_eq!(
            [told(text, 1, "from"), told(text, 1, "to"), told(text, 1, "size")],
            [(4, 2), (4, 5), (4, 7)]
        );
        assert_eq!(
            [told(text, 1, "after"), told(text, 1, "after[0]"), told(text, 1, "after[1]")],
            [(4, 13), (4, 13), (4, 17)]
        );
        assert_eq!(told(text, 0, "after"), (3, 1), "an empty field is at its line");
        assert_eq!(told(text, 1, "name"), (4, 2), "so is a column that the file does not have");
    }

    #[test]
    fn finds_the_fields_of_a_list_in_quotation_marks_again() {
        let text = "\u{feff}from,to,size,after\r\n\r\n\"a, b\nc\",d,\"1 B\",\"one two\"\r\n\"e\",f,1 B,\"é \"\"two\"";
        assert_eq!(
            [told(text, 0, "to"), told(text, 0, "size"), told(text, 0, "after[1]")],
            [(4, 4), (4, 7), (4, 17)]
        );
        assert_eq!(told(text, 1, "after[1]"), (5, 12), "marks written twice: where the field begins");
    }

    #[test]
    fn finds_the_fields_of_a_connection_matrix_again() {
        let text = "Nodes 4\nConnections 2\ntrigger id 1 oneshot\n0->1 id 1 start 0 size 8\n\
                    \u{20}1 -> 2 id 2 trigger 1 size  9\n";
        assert_eq!(
            [told(text, 0, "from"), told(text, 0, "to"), told(text, 0, "size")],
            [(4, 1), (4, 4), (4, 24)]
        );
        assert_eq!(told(text, 0, "start"), (4, 17));
        assert_eq!(
            [told(text, 1, "to"), told(text, 1, "after[0]"), told(text, 1, "size")],
            [(5, 7), (5, 22), (5, 30)]
        );
        assert_eq!(told(text, 1, "name"), (5, 2));
    }
}
