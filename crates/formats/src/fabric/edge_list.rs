//! Edge lists as CSV: a heading with the columns from, to and perhaps from_port, to_port, rate, delay and kind, then a
//! line for each cable. The kind is "trunk", between two switches, unless the line says "host": then `from` is a host.

use std::collections::BTreeMap;

use hopscope_topology::{GraphFormat, Network, Port, Role};
use hopscope_units::{Rate, Span};

use crate::columns::csv::{Csv, Row, has_heading, unshielded};
use crate::error::{Fault, FormatError};
use crate::fabric::CabledNetwork;
use crate::fabric::FabricFormat;
use crate::fabric::draft::{AttachedHosts, Draft, LinkDraft, NodeDraft};
use crate::lines::Piece;

pub(crate) const COLUMNS: [&str; 7] = ["from", "to", "from_port", "to_port", "rate", "delay", "kind"];

/// The format: see the file's head.
pub(super) const FORMAT: FabricFormat = FabricFormat {
    format: GraphFormat::EdgeList,
    name: "edge-list",
    known_as: &["CSV"],
    endings: &["csv"],
    about: "CSV: `from,to` and perhaps `from_port,to_port,rate,delay,kind`",
    left_aside: "",
    example: "from,to",
    looks_like,
    is_infiniband: false,
    has_hosts: true,
    read: |text, spec| read(text, spec.hosts_per_switch).map(CabledNetwork::numbered),
};

/// Reads a list of cables. If no line is of a host, `hosts_per_switch` hosts are attached to every switch.
///
/// # Errors
/// The first line that is no cable, or the reason why the list is no network, with its place.
pub fn read(text: &str, hosts_per_switch: u32) -> Result<Network, FormatError> {
    let network = || draft(text)?.into_network(AttachedHosts::of_default_rate(hosts_per_switch));
    network().map_err(|fault| fault.in_text(text))
}

/// Whether a text begins as such a file does.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    has_heading(text, &COLUMNS[..2])
}

fn draft(text: &str) -> Result<Draft, Fault> {
    let csv = Csv::read(text, &COLUMNS, 2)?;
    let mut draft = Draft::default();
    let mut nodes = BTreeMap::new();
    for row in csv.rows() {
        let from_host = match row.get("kind") {
            None | Some((_, "trunk")) => false,
            Some((_, "host")) => true,
            Some((byte, other)) => {
                return Err(Fault::at(
                    byte,
                    format!("there is no kind \"{other}\""),
                    "trunk (between switches) or host",
                ));
            }
        };
        let from = node(&mut draft, &mut nodes, unshielded(row.need("from", "a name")?), from_host)?;
        let to = node(&mut draft, &mut nodes, unshielded(row.need("to", "a name")?), false)?;
        let from_port = if from_host { None } else { port(&row, "from_port")? };
        draft.links.push(LinkDraft {
            ends: [from, to],
            ports: [from_port, port(&row, "to_port")?],
            rate: rate(&row)?,
            delay: quantity::<Span>(&row, "delay", ["a time", "50 ns"])?,
            lanes: None,
            byte: row.byte,
        });
    }
    Ok(draft)
}

fn node<'a>(
    draft: &mut Draft,
    nodes: &mut BTreeMap<&'a str, usize>,
    (byte, name): Piece<'a>,
    is_host: bool,
) -> Result<usize, Fault> {
    let index = *nodes.entry(name).or_insert_with(|| {
        let host = is_host.then_some(Role::Any);
        draft.nodes.push(NodeDraft { name: name.to_owned(), byte, host, uid: None, position: None });
        draft.nodes.len() - 1
    });
    if draft.nodes[index].host.is_some() == is_host {
        return Ok(index);
    }
    let problem = format!("\"{name}\" is a host on one line and a switch on another");
    Err(Fault::at(byte, problem, "a name of its own for each node"))
}

fn port(row: &Row<'_, '_>, column: &str) -> Result<Option<Port>, Fault> {
    let Some((byte, field)) = row.get(column) else { return Ok(None) };
    match field.parse::<Port>() {
        Ok(port) if port < Port::MAX && !field.starts_with('+') => Ok(Some(port)),
        _ => Err(Fault::at(byte, format!("\"{field}\" is no port"), "a number from 0 to 65534")),
    }
}

/// The rate of a link. A rate of 0 carries nothing: it is refused here, where its line is known.
fn rate(row: &Row<'_, '_>) -> Result<Option<Rate>, Fault> {
    let rate = quantity::<Rate>(row, "rate", ["a rate", "100 Gbit/s"])?;
    match row.get("rate") {
        Some((byte, _)) if rate == Some(Rate::from_bit_s(0)) => {
            let fault = Fault::at(byte, "a link of 0 bit/s sends nothing", "a rate such as 100 Gbit/s");
            Err(fault.hint("leave out the line of a link that is not there"))
        }
        _ => Ok(rate),
    }
}

fn quantity<Q: std::str::FromStr>(
    row: &Row<'_, '_>,
    column: &str,
    [what, example]: [&str; 2],
) -> Result<Option<Q>, Fault> {
    let Some((byte, field)) = row.get(column) else { return Ok(None) };
    let refused =
        |_| Fault::at(byte, format!("\"{field}\" is not {what}"), format!("{what} such as {example}"));
    field.parse().map(Some).map_err(refused)
}
