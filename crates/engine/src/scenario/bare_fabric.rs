//! A fabric's file that is given instead of a scenario: what it means as one, and what was assumed where it does not
//! say.

use std::path::Path as FilePath;
use std::sync::Arc;

use hopscope_formats::fabric::{beginnings, is_ending};
use hopscope_formats::{csv_heading, fabric_format, read_fabric, tables};
use hopscope_scenario::{Diagnosis, Node, Origin, Override, Path, Place, SourceText, Value};
use hopscope_topology::{FileSpec, GraphFormat, LinkId, Network};
use hopscope_units::{Data, Rate, Span};
use serde_json::Value as Json;

use crate::models::fabric_facts::FabricFacts;
use crate::registry::Prepared;

/// What every fabric's file means as a scenario. Where the file does not say, rates are those of a link of today, and
/// cables are 10 m of fibre.
const ANY: &str = r#"title = TITLE
model = "fabric"

[network.file]
path = FILE
GRAPH
[link]
rate = "RATE"
delay = "DELAY"

[routing]
rule = "by-family"

[traffic]
pattern = "uniform"
load = 0.3
sizes = { fixed = "4 KiB" }
"#;

const RATE: Rate = Rate::from_mbit_s(100_000);
const DELAY: Span = Span::from_ns(50);

/// Cables of this rate or faster are Ethernet's of today where a list of cables does not say what they are.
const ETHERNET: Rate = Rate::from_mbit_s(1_000);

/// Ethernet switches of today with pause frames, as under RoCE. If a field of AN1's switch is set, or the frames are
/// removed, [`SWITCHES`] apply.
///
/// - Frames: 4 KiB, RoCE's largest MTU.
/// - Threshold: 32 KiB, or more where a cable is so long that a shorter queue is empty before data of the restarted
///   sender arrive ([`stop_threshold`]).
/// - Buffer: 16 MiB a switch, or more where thresholds and headroom of all ports need it ([`buffer`]).
/// - Latency: as for other fabrics, to decide and to connect.
const PFC_SWITCHES: &str = r#"
[frames]
mtu = "4 KiB"
latency = "200 ns"
buffer = { size = "BUFFER MiB" }
flow_control = { pfc = { xoff = "STOP KiB" } }
"#;

/// The frames' MTU and latency above.
const MTU: Data = Data::from_bytes(4096);
const LATENCY: Span = Span::from_ns(200);

/// The switches of a fabric that may be of any kind: 64 KiB a port or more ([`stop_threshold`]), a tenth of a
/// microsecond each to decide and to connect.
const SWITCHES: &str = r#"
[switch]
fifo = { bytes = "FIFO KiB" }
stop_above = "STOP KiB"
decision = "100 ns"
setup = "100 ns"
"#;

/// The routers of a graph whose cables may cross a continent: no flow control from router to router, and queues at the
/// outputs that hold whatever comes.
const ROUTERS: &str = r#"
[switch]
discipline = "output"
switching = "store-and-forward"
fifo = "unbounded"
decision = "100 ns"
setup = "100 ns"
"#;

/// The switches of an InfiniBand fabric, which grant credits.
///
/// - Frames: the largest of InfiniBand's MTUs, 256 B to 4 KiB, which adapters and switches of today have.
/// - Lanes: one. By OpenSM's own tables service level 0, which everything has unless another is requested, goes by lane
///   0 everywhere.
/// - Buffer: half of what one lane can be granted at all, which is 2048 blocks of 64 B (Architecture Specification,
///   volume 1, section 7.9), and as much a port as for other fabrics. A link stays busy while the buffer holds what it
///   sends until the credit is back: a frame's time, both ways along the cable, and the switch. With cables of 10 m
///   that takes 0.34 us at 800 Gbit/s, or 34 KB. No headroom is needed beyond that: nothing is sent without a credit.
/// - Latency: as for other fabrics, to decide and to connect.
const CREDIT_SWITCHES: &str = r#"
[frames]
mtu = "4 KiB"
latency = "200 ns"
flow_control = { credits = { lanes = 1, buffer_per_lane = "64 KiB" } }
"#;

/// How a graph without hosts becomes a network: one host at each switch, with a link as fast as the fastest of the
/// switch, and of a graph that falls into parts the largest.
const GRAPH: &str = "hosts_per_switch = 1\nhost_rate = \"fastest-link\"\ncomponent = \"largest\"\n";

/// The load, which is less where a healthy fabric of the kind does not carry it.
const LOAD: &str = "traffic.load";

/// The notes on these scenarios when they are run: a field, and the words around its value.
const ASSUMED: [(Topic, &str, &str); 19] = [
    (Topic::Traffic, "traffic.pattern", "{}"),
    (Topic::Traffic, "traffic.sizes.fixed", "messages of {}"),
    (Topic::Switches, "frames.flow_control.pfc.xoff", "Ethernet with PFC above {}"),
    (Topic::Switches, "frames.buffer.size", "shared buffer of {}"),
    (Topic::Switches, "frames.flow_control.credits.lanes", "virtual lanes {}"),
    (Topic::Switches, "frames.flow_control.credits.buffer_per_lane", "credits for {} per lane"),
    (Topic::Switches, "frames.mtu", "MTU {}"),
    (Topic::Switches, "frames.latency", "latency {}"),
    (Topic::Switches, "switch.fifo.bytes", "AN1's with FIFO of {}"),
    (Topic::Switches, "switch.stop_above", "stop threshold {}"),
    (Topic::Switches, "switch.discipline", "queues at the outputs without a limit"),
    (Topic::Switches, "switch.switching", "{}"),
    (Topic::Switches, "switch.decision", "routing decision {}"),
    (Topic::Switches, "switch.setup", "crossbar set-up {}"),
    (Topic::Links, "link.rate", "{} where a cable states no rate"),
    (Topic::Links, "link.delay", "delay {} where a cable states none"),
    (Topic::Network, "network.file.hosts_per_switch", "{} host at each switch of a graph without hosts"),
    (Topic::Network, "network.file.host_rate", "its link as fast as the fastest of the switch"),
    (Topic::Network, "network.file.component", "the largest part of a graph that falls into parts"),
];

/// A scenario around a fabric's file; nothing where the text is something else.
pub(crate) fn scenario(path: &FilePath, text: &SourceText) -> Result<Option<SourceText>, Diagnosis> {
    if tables::looks_like(&text.text) {
        let problem = format!("{}: these are forwarding tables, not a fabric", text.label);
        let hint = "give the fabric, and the tables by --routes or `routing.tables`";
        return Err(Diagnosis::new(problem).expected("a scenario, or a fabric's file").hint(Some(hint)));
    }
    let Some(format) = fabric_format(&text.text) else {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        return if is_ending(&ending) { Err(no_fabric(text)) } else { Ok(None) };
    };
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = toml::Value::String(file_name.to_string());
    let (title, switches, graph) = match (format.is_infiniband, format.has_hosts) {
        (true, _) => ("InfiniBand fabric", CREDIT_SWITCHES.to_owned(), ""),
        (false, true) => ("Fabric", any_switches(format.format, &file_name, text), ""),
        (false, false) => ("Network", ROUTERS.to_owned(), GRAPH),
    };
    let title = toml::Value::String(format!("{title} {file_name}"));
    let scenario = ANY.replace("GRAPH", graph);
    let scenario = scenario.replace("RATE", &RATE.to_string()).replace("DELAY", &DELAY.to_string());
    // A file may be called as one of the others.
    let (before, after) = scenario.split_once("FILE").expect("it has the file's place");
    let (first, rest) = before.split_once("TITLE").expect("it has the title's place");
    let scenario = [first, &title.to_string(), rest, &file.to_string(), after, &switches].concat();
    Ok(Some(SourceText {
        label: format!("scenario of {}", text.label),
        text: scenario,
        origin: Origin::Scenario,
    }))
}

/// The switches of a fabric that does not say what they are: of a list of cables with rates of today, Ethernet's.
/// Mistakes in the file are reported when the scenario reads it.
fn any_switches(format: GraphFormat, file_name: &str, text: &SourceText) -> String {
    let read = read_fabric(file_name, text.text.as_bytes(), &FileSpec::at(file_name)).ok();
    let network = read.as_ref().map(|fabric| &fabric.network);
    let stop = stop_threshold(network);
    let an1 = SWITCHES.replace("FIFO", &(2 * stop).to_string()).replace("STOP", &stop.to_string());
    let rates = network.into_iter().flat_map(Network::links).map(|link| link.rate.unwrap_or(RATE));
    let is_ethernet = format == GraphFormat::EdgeList && rates.max().is_none_or(|most| most >= ETHERNET);
    let buffer = network.map_or(LEAST_BUFFER, |network| buffer(network, stop));
    // Pause frames are not used across a continent.
    if !is_ethernet || buffer > MOST_BUFFER {
        return an1;
    }
    PFC_SWITCHES.replace("BUFFER", &buffer.to_string()).replace("STOP", &stop.to_string()) + &an1
}

/// The stop threshold, in KiB: 32, or more where a link is so long that the data in flight until it stops need more
/// room. The same amount below the threshold keeps the link busy until it starts again; a FIFO has twice as much.
fn stop_threshold(network: Option<&Network>) -> u64 {
    let links = network.into_iter().flat_map(Network::links);
    let in_flight =
        links.map(|link| bits_in_flight(link.rate.unwrap_or(RATE), link.delay.unwrap_or(DELAY))).max();
    // What would need more has a rate or a delay that is refused.
    let stop = (in_flight.unwrap_or(0) / KIB).min(1 << 30) as u64 + 1;
    stop.next_power_of_two().max(32)
}

const KIB: u128 = 8 * 1024;

/// The least buffer of a switch of frames, in MiB.
const LEAST_BUFFER: u64 = 16;
/// The largest that a switch may have, in MiB.
const MOST_BUFFER: u64 = 1024;

/// The buffer of every switch, in MiB: twice what the thresholds and the headroom of the ports need at the switch that
/// needs most, so that queues share the other half.
fn buffer(network: &Network, stop: u64) -> u64 {
    let port = |link: &LinkId| {
        let link = &network.links()[link.index()];
        let (rate, delay) = (link.rate.unwrap_or(RATE), link.delay.unwrap_or(DELAY));
        // Both ways along the cable and the switch's latency, the frames with those of pauses, and the threshold.
        let waits = Span::from_ps(delay.ps().saturating_add(LATENCY.ps()));
        bits_in_flight(rate, waits) + 5 * u128::from(MTU.bits()) + u128::from(stop) * KIB
    };
    let most =
        network.switches().iter().map(|switch| switch.ports.iter().flatten().map(port).sum::<u128>()).max();
    let mib = (2 * most.unwrap_or(0) / (1024 * KIB)).min(1 << 20) as u64 + 1;
    mib.next_power_of_two().max(LEAST_BUFFER)
}

/// What is sent while a directive goes along a link and what was sent before it goes the same way, in bits.
fn bits_in_flight(rate: Rate, delay: Span) -> u128 {
    u128::from(rate.bit_s()) * u128::from(delay.ps()) / (u128::from(Span::from_s(1).ps()) / 2)
}

/// The length shown of the first line of a file that is no fabric.
const SHOWN: usize = 60;

/// Whether a line is a heading of cables of which a column is called otherwise than it should be.
fn is_cable_list(heading: &str) -> bool {
    let columns = csv_heading(heading);
    let known = ["from", "to", "from_port", "to_port"];
    columns.len() > 1 && columns.iter().any(|column| known.contains(&column.as_ref()))
}

/// A file that is called as a fabric is, and does not begin as one.
fn no_fabric(text: &SourceText) -> Diagnosis {
    let begins = text.text.len() - text.text.trim_start().len();
    let first = text.text[begins..].lines().next().unwrap_or_default().trim_end();
    let shown: String = first.chars().take(SHOWN).collect();
    let problem = match first {
        "" => "the file is empty".to_owned(),
        _ => format!("this is not a fabric file: it begins with `{shown}`"),
    };
    let source = SourceText { label: text.label.clone(), text: text.text.clone(), origin: Origin::Scenario };
    let place = Place { source: Arc::new(source), span: begins..begins + 1 };
    // What is no fabric may be anything.
    let hint = if is_cable_list(first) {
        "a list of cables has the columns `from` and `to` first"
    } else {
        "is the beginning of the file missing, or does something stand before it, or is it another kind of file?"
    };
    Diagnosis::new(problem).at(place).unquoted().expected(beginnings()).hint(Some(hint))
}

/// Assumed values give way to given ones.
pub(crate) fn make_way(root: &mut Node) {
    make_way_for_flows(root);
    // Faults depend on the switches.
    make_way_for_switches(root);
    make_way_for_faults(root);
}

/// Given flows replace the assumed traffic: a scenario may have only one of the two.
fn make_way_for_flows(root: &mut Node) {
    let Value::Table(table) = &mut root.value else { return };
    if table.get("flows").is_some() && table.get("traffic").is_some_and(|traffic| !is_set(&traffic.node)) {
        table.remove("traffic");
    }
}

/// Faults that were set need routes that AN1's switches reconfigure: up*/down*, the default rule. Switches of frames
/// get new tables under any rule.
fn make_way_for_faults(root: &mut Node) {
    let Value::Table(table) = &mut root.value else { return };
    if table.get("faults").is_none() || table.get("frames").is_some() {
        return;
    }
    let routing = table.entries.iter_mut().find(|entry| entry.key == "routing");
    if let Some(Value::Table(routing)) = routing.map(|entry| &mut entry.node.value)
        && routing.get("rule").is_some_and(|rule| !is_set(&rule.node))
    {
        routing.remove("rule");
    }
}

/// Of the two kinds of switches, [switch] and [frames], the assumed one gives way to the given one: if both are
/// assumed, AN1's apply once the frames are removed. An InfiniBand fabric keeps its credits.
fn make_way_for_switches(root: &mut Node) {
    let is_infiniband = root.at(&Path::of("frames.flow_control.credits")).is_some_and(|node| !is_set(node));
    let Value::Table(table) = &mut root.value else { return };
    let set = |section| table.get(section).map(|entry| is_set(&entry.node));
    match (set("frames"), set("switch")) {
        (Some(_), Some(false)) => table.remove("switch"),
        (Some(false), Some(true)) if !is_infiniband => table.remove("frames"),
        _ => {}
    }
}

/// The scenario around a fabric's file as a text to edit, whose tree with all that made way this is: its load is the
/// one that was fitted, and without the switches that made way.
pub(crate) fn as_text(text: &str, root: &Node, canonical: &Json) -> String {
    let usual = format!("load = {USUAL_LOAD}\n");
    let load = canonical.pointer("/traffic/load").and_then(Json::as_f64).unwrap_or(USUAL_LOAD);
    let text = text.replace(&usual, &format!("load = {load}\n"));
    match text.split_once("\n[switch]\n") {
        Some((before, _)) if root.at(&Path::of("switch")).is_none() => before.to_owned(),
        _ => text,
    }
}

/// Whether anybody has set the value or a part of it.
pub(super) fn is_set(node: &Node) -> bool {
    let within = match &node.value {
        Value::Table(table) => table.entries.iter().any(|entry| is_set(&entry.node)),
        Value::List(items) => items.iter().any(is_set),
        _ => false,
    };
    within || node.place.source.is_override()
}

/// The same scenario at a load that a healthy fabric of the kind carries, if neither the default nor the user gives
/// one.
pub(crate) fn with_fitting_load(root: &Node, prepared: &dyn Prepared, seed: u64) -> Option<Node> {
    let load = root.at(&Path::of(LOAD)).filter(|load| !load.place.source.is_override())?;
    let usual: f64 = load.place.source.text[load.place.span.clone()].parse().ok()?;
    let fitting = prepared.fitting_load(usual, seed)?;
    let mut root = root.clone();
    Override::read(&format!("{LOAD}={fitting:?}")).and_then(|change| change.apply(&mut root)).ok()?;
    Some(root)
}

/// The assumed values of a scenario around a fabric's file, whose tree with all overrides is `root`: a line for each
/// topic, and one on how to change them. `canonical` is the scenario with all its values; the load is included if it
/// was fitted.
pub(crate) fn assumed(root: &Node, canonical: &Json, facts: &FabricFacts, is_fitted: bool) -> String {
    let at = |path: &str| root.at(&Path::of(path)).filter(|node| !node.place.source.is_override());
    let is_set = |path: &str| root.at(&Path::of(path)).is_some_and(|node| node.place.source.is_override());
    let load = at(LOAD).filter(|_| is_fitted).and_then(|_| canonical.pointer("/traffic/load")?.as_f64());
    let load = load.map(|load| {
        let whole = load >= USUAL_LOAD;
        let half = if whole { "" } else { ", half of what the fabric carries as it is cabled" };
        (Topic::Traffic, format!("load {load}{half}"))
    });
    let values = ASSUMED.iter().filter_map(|&(topic, path, words)| {
        let node = at(path)?;
        let value = &node.place.source.text[node.place.span.clone()];
        Some((topic, words.replace("{}", value.trim_matches('"'))))
    });
    let by_family = !is_set("routing.rule") && !is_set("routing.tables");
    let routes = by_family.then(|| (Topic::Routes, facts.routes.clone()));
    let told: Vec<(Topic, String)> = routes.into_iter().chain(values).chain(load).collect();
    let recognised = by_family.then(|| format!("recognised: {}", facts.family));
    let topics = Topic::ALL.iter().filter_map(|&topic| {
        let of: Vec<&str> =
            told.iter().filter(|(each, _)| *each == topic).map(|(_, words)| &**words).collect();
        (!of.is_empty()).then(|| format!("  {}: {}", topic.name(), of.join(", ")))
    });
    let changes = changes(root, canonical);
    let lines = recognised.into_iter().chain([HEADING.to_owned()]).chain(topics).chain([changes]);
    lines.collect::<Vec<_>>().join("\n")
}

/// What an assumption is about. They are printed in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    Network,
    Routes,
    Traffic,
    Switches,
    Links,
}

impl Topic {
    const ALL: [Self; 5] = [Self::Network, Self::Routes, Self::Traffic, Self::Switches, Self::Links];

    fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Routes => "routes",
            Self::Traffic => "traffic",
            Self::Switches => "switches",
            Self::Links => "links",
        }
    }
}

/// How assumptions are changed, with the fabric's file by its name, if a shell takes that as it is.
fn changes(root: &Node, canonical: &Json) -> String {
    let frames = if root.at(&Path::of("frames")).is_none() { FRAMES } else { "" };
    let is_plain =
        |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let file =
        canonical.pointer("/network/file/path").and_then(Json::as_str).filter(is_plain).unwrap_or("FILE");
    format!(
        "to change them: {frames}--set traffic.load=0.1, --set routing.rule=shortest; to edit all: \
         `hopscope init mine.toml --from {file}`"
    )
}

/// The line above the assumptions.
const HEADING: &str = "assumed, since the fabric's file does not say:";

/// The load of a fabric that carries more than twice as much.
const USUAL_LOAD: f64 = 0.3;

/// How to have switches with frames.
const FRAMES: &str = "--set frames={} (Ethernet with PFC), ";
