//! GraphML, as graph editors, NetworkX and the Topology Zoo write it.
//!
//! What a node or edge says of itself is in its `data` elements, which are understood by their key's `attr.name`, in
//! upper or lower case:
//!
//! | of | name | meaning |
//! |---|---|---|
//! | node | `kind` | `switch` or `router` (as a node without a kind), `host`, `client`, `server` |
//! | node | `role` | `client`, `server` or `any`; it makes a node without a kind a host |
//! | node | `name`, `label` | the name; else the node's id |
//! | node | `uid` | the unique identifier of a switch; else its place in the file |
//! | node | `x` and `y`, or `longitude` and `latitude` | where to draw it; the latter two also give delays |
//! | edge | `rate`, `speed` | the rate with its unit |
//! | edge | `linkspeedraw` | the rate in bits a second; 0 says nothing |
//! | edge | `linkspeed` with `linkspeedunits`, `bandwidth`, `capacity`, `linklabel` | the rate, also STM-n, OC-n |
//! | edge | `delay`, `latency` | the propagation delay with its unit |
//! | edge | `source_port`, `target_port` | port numbers; so are numeric `sourceport` and `targetport` attributes |
//!
//! An edge without a delay whose ends have coordinates is a cable along the great circle between them, longer by
//! `network.file.detour`. An edge from a node to itself is left out, and said.
//!
//! All other data are ignored. In a directed graph, edges that lead to and fro between two nodes are one cable.

mod component;
mod distance;
mod position;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{Anomaly, AnomalyKind, Component, FileSpec, GraphFormat, Port, Role};
use hopscope_units::amount;
use roxmltree::{Document, Node};

use crate::error::{Fault, FormatError, Place};
use crate::fabric::CabledNetwork;
use crate::fabric::FabricFormat;
use crate::fabric::draft::{AttachedHosts, Draft, LinkDraft, NodeDraft};
use values::{Key, Subject, Values};

/// The format: see the file's head.
pub(super) const FORMAT: FabricFormat = FabricFormat {
    format: GraphFormat::Graphml,
    name: "graphml",
    known_as: &["GraphML"],
    endings: &["graphml", "xml"],
    about: "GraphML of graph editors, NetworkX and the Topology Zoo: [import a network](../how-to/import-a-network.md)",
    left_aside: "",
    example: "<?xml",
    looks_like: |text| {
        let first = text.split_whitespace().next().unwrap_or_default();
        first.starts_with("<?xml") || first.starts_with("<graphml")
    },
    is_infiniband: false,
    has_hosts: false,
    read,
};

/// Reads a GraphML file as a scenario asks for it: hosts where it has none, all of it or its largest part.
///
/// # Errors
/// XML that is not well-formed, a file that is not GraphML, a value that cannot be understood, an edge to nowhere, and
/// whatever keeps the graph from being a network, each with its place.
pub fn read(text: &str, spec: &FileSpec) -> Result<CabledNetwork, FormatError> {
    let document = Document::parse(text).map_err(|error| xml_fault(text, &error))?;
    read_document(&document, spec).map_err(|fault| fault.in_text(text))
}

fn read_document(document: &Document<'_>, spec: &FileSpec) -> Result<CabledNetwork, Fault> {
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        let problem = format!("the file begins with <{}>", root.tag_name().name());
        return Err(Fault::at(byte_of(root), problem, "<graphml>"));
    }
    let keys = values::keys(root)?;
    let mut graphs = root.children().filter(|child| child.has_tag_name_of("graph"));
    let Some(graph) = graphs.next() else {
        return Err(Fault::at(byte_of(root), "the file has no graph", "a <graph>"));
    };
    if let Some(second) = graphs.next() {
        return Err(Fault::at(byte_of(second), "the file has a second graph", "one <graph>"));
    }
    let mut reader = GraphReader {
        text: document.input_text(),
        keys,
        directed: graph.attribute("edgedefault") == Some("directed"),
        draft: Draft::default(),
        by_id: BTreeMap::new(),
        names: BTreeMap::new(),
        one_way: BTreeMap::new(),
        coordinates: Vec::new(),
        loops: Vec::new(),
        unread_rates: Vec::new(),
    };
    let elements = || graph.children().filter(Node::is_element);
    for element in elements() {
        match element.tag_name().name() {
            "node" => reader.node(element)?,
            "hyperedge" => {
                let problem = "an edge of more than two ends is no link";
                return Err(Fault::at(byte_of(element), problem, "<edge>"));
            }
            _ => {}
        }
    }
    if reader.draft.nodes.is_empty() {
        return Err(Fault::at(byte_of(graph), "the graph has no node", "a <node>"));
    }
    // Edges may stand before the nodes that they join.
    for element in elements().filter(|element| element.has_tag_name_of("edge")) {
        reader.edge(element)?;
    }
    distance::set_delays(&mut reader.draft, &reader.coordinates, spec.detour);
    let mut anomalies = reader.anomalies();
    let mut draft = reader.draft;
    if spec.component == Component::Largest {
        let (largest, left_out) = component::largest(draft);
        draft = largest;
        anomalies.extend(left_out);
    }
    position::normalise(&mut draft);
    let hosts = AttachedHosts { per_switch: spec.hosts_per_switch, rate: spec.host_rate };
    Ok(CabledNetwork { anomalies, ..CabledNetwork::numbered(draft.into_network(hosts)?) })
}

/// What keeps a text from being XML.
fn xml_fault(text: &str, error: &roxmltree::Error) -> FormatError {
    if let roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream = error {
        return Fault::at(text.len(), "the file ends within an element", "the end of that element")
            .hint("is the file complete?")
            .in_text(text);
    }
    let position = error.pos();
    if let roxmltree::Error::DtdDetected = error {
        return FormatError {
            line: position.row,
            column: position.col,
            problem: "the file has a document type declaration".to_owned(),
            expected: "GraphML without `<!DOCTYPE …>`".to_owned(),
            hint: Some("delete that declaration: the reader needs none".to_owned()),
        };
    }
    let message = error.to_string();
    FormatError {
        line: position.row,
        column: position.col,
        problem: message.strip_suffix(&format!(" at {position}")).unwrap_or(&message).to_owned(),
        expected: "well-formed XML".to_owned(),
        hint: None,
    }
}

/// The byte at which an element begins.
fn byte_of(node: Node<'_, '_>) -> usize {
    node.range().start
}

/// GraphML files are found with and without its namespace: names are compared without.
trait TagName {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl TagName for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

struct GraphReader<'a> {
    text: &'a str,
    keys: BTreeMap<String, Key>,
    directed: bool,
    draft: Draft,
    by_id: BTreeMap<String, usize>,
    names: BTreeMap<String, usize>,
    /// Links of directed edges whose way back has not been met, by their ends.
    one_way: BTreeMap<[usize; 2], Vec<usize>>,
    /// Longitude and latitude of each node, in degrees.
    coordinates: Vec<Option<(f64, f64)>>,
    /// Nodes with an edge to themselves.
    loops: Vec<usize>,
    /// What edges say of their speed that is no rate.
    unread_rates: Vec<String>,
}

impl GraphReader<'_> {
    fn node(&mut self, element: Node<'_, '_>) -> Result<(), Fault> {
        let byte = byte_of(element);
        let id = required(element, "id")?;
        if let Some(inner) = element.children().find(|child| child.has_tag_name_of("graph")) {
            let problem = format!("node \"{id}\" holds a graph of its own");
            return Err(Fault::at(byte_of(inner), problem, "nodes without graphs in them"));
        }
        let values = Values::of(element, Subject::Node, &self.keys)?;
        let index = self.draft.nodes.len();
        if self.by_id.insert(id.to_owned(), index).is_some() {
            let problem = format!("a second node has the id \"{id}\"");
            return Err(Fault::at(byte, problem, "an id of its own for each node"));
        }
        // Labels need not be unique in GraphML, and are not in the Topology Zoo.
        let label = values.text(&["name", "label"]).unwrap_or(id);
        let alone = !self.names.contains_key(label);
        let name = if alone { label.to_owned() } else { format!("{label} ({id})") };
        if self.names.insert(name.clone(), index).is_some() {
            let problem = format!("a second node is named \"{name}\"");
            return Err(Fault::at(byte, problem, "a name of its own for each node"));
        }
        let (host, uid) = (values.host()?, values.whole_number(&["uid"])?);
        let position = values.position()?;
        self.coordinates.push(values.coordinates()?);
        self.draft.nodes.push(NodeDraft { name, byte, host, uid, position });
        Ok(())
    }

    fn edge(&mut self, element: Node<'_, '_>) -> Result<(), Fault> {
        let byte = byte_of(element);
        let ends = [self.end(element, "source")?, self.end(element, "target")?];
        if ends[0] == ends[1] {
            self.loops.push(ends[0]);
            return Ok(());
        }
        let values = Values::of(element, Subject::Edge, &self.keys)?;
        let (rate, delay) = (values.rate()?, values.quantity(&["delay", "latency"])?);
        if rate.is_none() {
            self.unread_rates.extend(values.unread_rate());
        }
        let port = |data: &str, attribute: &str| -> Result<Option<Port>, Fault> {
            let of_attribute = element.attribute(attribute).and_then(|text| text.trim().parse().ok());
            Ok(values.port(data)?.or(of_attribute))
        };
        let ports = [port("source_port", "sourceport")?, port("target_port", "targetport")?];
        let link = LinkDraft { ends, ports, rate, delay, lanes: None, byte };
        let directed = match element.attribute("directed") {
            None => self.directed,
            Some(text) => text == "true",
        };
        if directed {
            return self.add_directed(link);
        }
        self.draft.links.push(link);
        Ok(())
    }

    /// What is odd about the graph: edges that are left out, and pairs of nodes with several.
    fn anomalies(&self) -> Vec<Anomaly> {
        let mut found = Vec::new();
        let name = |node: usize| self.draft.nodes[node].name.as_str();
        if let [first, ..] = self.loops[..] {
            let (count, name) = (self.loops.len(), name(first));
            let edges = if count == 1 {
                "edge leads from a node".to_owned()
            } else {
                "edges lead from nodes".to_owned()
            };
            let words = format!("left out: {count} {edges} to itself, such as \"{name}\"");
            found.push(Anomaly::new(AnomalyKind::LeftOut, words));
        }
        if let [first, ..] = &self.unread_rates[..] {
            let edges = amount(self.unread_rates.len(), "edge", "edges");
            let words = format!("no rate is read from the speed or label of {edges}, such as \"{first}\"");
            found.push(Anomaly::new(AnomalyKind::LeftOut, words));
        }
        let (mut seen, mut doubled) = (BTreeSet::new(), Vec::new());
        for [a, b] in self.draft.links.iter().map(|link| link.ends) {
            if !seen.insert((a.min(b), a.max(b))) {
                doubled.push([a, b]);
            }
        }
        if let [[a, b], ..] = doubled[..] {
            let words = format!(
                "{} nodes that another edge joins, such as \"{}\" and \"{}\": each is a cable of its own",
                if doubled.len() == 1 {
                    "1 edge joins".to_owned()
                } else {
                    format!("{} edges join", doubled.len())
                },
                name(a),
                name(b)
            );
            found.push(Anomaly::new(AnomalyKind::LeftOut, words));
        }
        found
    }

    /// Adds a directed edge, or completes the cable of which it is the way back.
    fn add_directed(&mut self, link: LinkDraft) -> Result<(), Fault> {
        let [source, target] = link.ends;
        let Some(there) = self.one_way.get_mut(&[target, source]).and_then(Vec::pop) else {
            self.one_way.entry(link.ends).or_default().push(self.draft.links.len());
            self.draft.links.push(link);
            return Ok(());
        };
        let there = &mut self.draft.links[there];
        let same_rate = link.rate.is_none() || there.rate.is_none() || link.rate == there.rate;
        let same_delay = link.delay.is_none() || there.delay.is_none() || link.delay == there.delay;
        if !(same_rate && same_delay) {
            let line = Place::of_byte(self.text, there.byte).line;
            let problem = format!("this is the way back of line {line} and differs from it");
            return Err(Fault::at(link.byte, problem, "one rate and one delay for both directions"));
        }
        there.rate = there.rate.or(link.rate);
        there.delay = there.delay.or(link.delay);
        there.ports = [there.ports[0].or(link.ports[1]), there.ports[1].or(link.ports[0])];
        Ok(())
    }

    /// The node that an edge's `source` or `target` means.
    fn end(&self, element: Node<'_, '_>, attribute: &str) -> Result<usize, Fault> {
        let id = required(element, attribute)?;
        self.by_id.get(id).copied().ok_or_else(|| {
            Fault::at(byte_of(element), format!("there is no node \"{id}\""), "the id of a node")
        })
    }
}

/// An attribute that must be there.
fn required<'a>(element: Node<'a, '_>, attribute: &str) -> Result<&'a str, Fault> {
    element.attribute(attribute).ok_or_else(|| {
        let tag = element.tag_name().name();
        Fault::at(byte_of(element), format!("this <{tag}> has no {attribute}"), attribute)
    })
}

/// The role that a word gives to a host.
fn role_named(word: &str) -> Option<Role> {
    match word {
        "client" => Some(Role::Client),
        "server" => Some(Role::Server),
        "any" => Some(Role::Any),
        _ => None,
    }
}
