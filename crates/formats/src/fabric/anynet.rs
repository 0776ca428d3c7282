//! The anynet files of the simulator BookSim (topology `anynet`): each line names a router or node and what it is
//! connected to, as in `router 0 node 0 node 1 router 1 15`, with the latency in cycles after a connection.
//!
//! BookSim takes a latency between routers for one direction only and 1 cycle for a direction that is not given. A link
//! here has one delay: a latency given for one direction holds for both, and two that differ are refused.

use std::collections::BTreeMap;

use hopscope_topology::{GraphFormat, Network, Role};
use hopscope_units::Span;

use crate::error::{Fault, FormatError, Place};
use crate::fabric::CabledNetwork;
use crate::fabric::FabricFormat;
use crate::fabric::draft::{AttachedHosts, Draft, LinkDraft, NodeDraft};

/// The format: see the file's head.
pub(super) const FORMAT: FabricFormat = FabricFormat {
    format: GraphFormat::Anynet,
    name: "anynet",
    known_as: &["anynet"],
    endings: &["anynet"],
    about: "the anynet files of the simulator BookSim: [import a network](../how-to/import-a-network.md)",
    left_aside: "",
    example: "router 0",
    looks_like: |text| ["router", "node"].contains(&text.split_whitespace().next().unwrap_or_default()),
    is_infiniband: false,
    has_hosts: true,
    read: |text, spec| read(text, spec.hosts_per_switch, spec.cycle).map(CabledNetwork::numbered),
};

/// Reads an anynet file. Router 3 becomes switch `router3` with uid 3, node 5 host `node5`.
///
/// `cycle` is the time that a cycle of latency stands for; without it the latencies are left out. Where the file has no
/// nodes, `hosts_per_switch` hosts are attached to every switch.
///
/// # Errors
/// The first line that is not of this form, or whatever keeps it from being a network, with its place.
pub fn read(text: &str, hosts_per_switch: u32, cycle: Option<Span>) -> Result<Network, FormatError> {
    let mut file = AnynetFile { text, stations: BTreeMap::new(), connections: BTreeMap::new() };
    let read_all = || {
        for line in text.lines() {
            file.read_line(&words(text, line))?;
        }
        file.into_draft(cycle)?.into_network(AttachedHosts::of_default_rate(hosts_per_switch))
    };
    read_all().map_err(|fault| fault.in_text(text))
}

/// A word and the byte of the text where it begins.
type Word<'a> = (usize, &'a str);

/// The words of a line of a text.
fn words<'a>(text: &'a str, line: &'a str) -> Vec<Word<'a>> {
    let byte_of = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    line.split_whitespace().map(|word| (byte_of(word), word)).collect()
}

/// A router or node of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Station {
    Router(u32),
    Node(u32),
}

/// A connection, its stations in ascending order.
struct Connection {
    byte: usize,
    latency: Option<u32>,
}

/// What the lines read so far say. Stations are kept in the order of their numbers, routers first.
struct AnynetFile<'a> {
    text: &'a str,
    stations: BTreeMap<Station, usize>,
    connections: BTreeMap<[Station; 2], Connection>,
}

impl AnynetFile<'_> {
    fn read_line(&mut self, words: &[Word<'_>]) -> Result<(), Fault> {
        let Some((&head, _)) = words.split_first() else { return Ok(()) };
        let (head_station, mut rest) = station(words)?;
        self.stations.entry(head_station).or_insert(head.0);
        while let Some(&(byte, _)) = rest.first() {
            let (other, after) = station(rest)?;
            rest = after;
            let latency = match rest.first() {
                Some(&(byte, word)) if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                    rest = &rest[1..];
                    Some(number(byte, word, "a latency in cycles")?)
                }
                _ => None,
            };
            self.stations.entry(other).or_insert(byte);
            self.connect(head_station, other, byte, latency)?;
        }
        Ok(())
    }

    /// A connection may be named at both of its ends, or twice at one, as long as the latencies agree.
    fn connect(&mut self, a: Station, b: Station, byte: usize, latency: Option<u32>) -> Result<(), Fault> {
        let known = self.connections.entry([a.min(b), a.max(b)]).or_insert(Connection { byte, latency });
        match (known.latency, latency) {
            (Some(one), Some(other)) if one != other => {
                let line = Place::of_byte(self.text, known.byte).line;
                let problem = format!("this latency is {other} cycles; line {line} says {one}");
                Err(Fault::at(byte, problem, "one latency for both directions"))
            }
            _ => {
                known.latency = known.latency.or(latency);
                Ok(())
            }
        }
    }

    fn into_draft(self, cycle: Option<Span>) -> Result<Draft, Fault> {
        let mut draft = Draft::default();
        let mut index = BTreeMap::new();
        for (station, byte) in self.stations {
            index.insert(station, draft.nodes.len());
            let (name, host, uid) = match station {
                Station::Router(number) => (format!("router{number}"), None, Some(u64::from(number))),
                Station::Node(number) => (format!("node{number}"), Some(Role::Any), None),
            };
            draft.nodes.push(NodeDraft { name, byte, host, uid, position: None });
        }
        for (ends, Connection { byte, latency }) in self.connections {
            let cycles = latency.unwrap_or(1);
            let delay = cycle.map(|cycle| cycle.ps().checked_mul(u64::from(cycles)).ok_or(cycles));
            let delay = delay.transpose().map_err(|cycles| {
                Fault::at(byte, format!("{cycles} cycles last over 213 days"), "a shorter latency")
            })?;
            let ends = ends.map(|station| index[&station]);
            draft.links.push(LinkDraft {
                ends,
                ports: [None; 2],
                rate: None,
                delay: delay.map(Span::from_ps),
                lanes: None,
                byte,
            });
        }
        Ok(draft)
    }
}

/// The router or node that begins here, and the words after it. Panics where there is no word.
fn station<'a, 'b>(words: &'b [Word<'a>]) -> Result<(Station, &'b [Word<'a>]), Fault> {
    let (byte, kind) = words[0];
    let of_kind: fn(u32) -> Station = match kind {
        "router" => Station::Router,
        "node" => Station::Node,
        _ => {
            let error = Fault::at(byte, format!("\"{kind}\" is neither"), "\"router\" or \"node\"");
            return Err(error.hint("a line reads: router 0 node 0 node 1 router 1 15"));
        }
    };
    let Some(&(byte, word)) = words.get(1) else {
        return Err(Fault::at(byte + kind.len(), format!("the line ends after \"{kind}\""), "its number"));
    };
    Ok((of_kind(number(byte, word, "a number")?), &words[2..]))
}

fn number(byte: usize, word: &str, expected: &str) -> Result<u32, Fault> {
    let digits = word.bytes().all(|b| b.is_ascii_digit());
    word.parse().ok().filter(|_| digits).ok_or_else(|| {
        Fault::at(byte, format!("\"{word}\" is not a number from 0 to {}", u32::MAX), expected)
    })
}
