//! A fabric's file that is given instead of a scenario: what it means as one, and what was assumed where it does not
//! say.

use std::path::Path as FilePath;
use std::sync::Arc;

use hopscope_formats::fabric::{beginnings, is_ending};
use hopscope_formats::{fabric_format, tables};
use hopscope_scenario::{Diagnosis, Node, Origin, Path, Place, SourceText, Value};

/// What every fabric's file means as a scenario. Where the file does not say, rates are those of a link of today, and
/// cables are 10 m of fibre.
const ANY: &str = r#"title = "TITLE"
model = "fabric"

[network.file]
path = FILE

[link]
rate = "100 Gbit/s"
delay = "50 ns"

[routing]
rule = "up-down"

[traffic]
pattern = "uniform"
load = 0.3
sizes = { fixed = "4 KiB" }
"#;

/// The switches of a fabric that may be of any kind: 64 KiB a port, a tenth of a microsecond each to decide and to
/// connect.
const SWITCHES: &str = r#"
[switch]
fifo = { bytes = "64 KiB" }
stop_above = "32 KiB"
decision = "100 ns"
setup = "100 ns"
"#;

/// The switches of an InfiniBand fabric, which grant credits.
///
/// - Frames: the largest of InfiniBand's MTUs, 256 B to 4 KiB, which adapters and switches of today have.
/// - Lanes: one. By OpenSM's own tables service level 0, which everything has unless somebody asks for another, goes by
///   lane 0 everywhere.
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

/// The rule of routes, which tables stand in for.
const ROUTES: &str = "routing.rule";

/// What is told of these scenarios when they are run: a field, and the words around its value.
const ASSUMED: [(&str, &str, &str); 14] = [
    ("frames.flow_control.credits.lanes", "virtual lanes ", ""),
    ("frames.flow_control.credits.buffer_per_lane", "credits ", " per lane"),
    ("frames.mtu", "MTU ", ""),
    ("frames.latency", "switch latency ", ""),
    ("switch.fifo.bytes", "FIFO ", ""),
    ("switch.stop_above", "stop threshold ", ""),
    ("switch.decision", "routing decision ", ""),
    ("switch.setup", "crossbar set-up ", ""),
    ("link.rate", "link rate ", " where a cable states none"),
    ("link.delay", "link delay ", " where a cable states none"),
    (ROUTES, "routes ", ""),
    ("traffic.pattern", "traffic ", ""),
    ("traffic.load", "load ", ""),
    ("traffic.sizes.fixed", "message size ", ""),
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
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let file = toml::Value::String(file.into_owned());
    let (title, switches) =
        if format.is_infiniband { ("An InfiniBand fabric", CREDIT_SWITCHES) } else { ("A fabric", SWITCHES) };
    let scenario = ANY.replace("TITLE", title).replace("FILE", &file.to_string()) + switches;
    Ok(Some(SourceText {
        label: format!("scenario of {}", text.label),
        text: scenario,
        origin: Origin::Scenario,
    }))
}

/// A file that is called as a fabric is, and does not begin as one.
fn no_fabric(text: &SourceText) -> Diagnosis {
    let begins = text.text.len() - text.text.trim_start().len();
    let problem = if begins == text.text.len() { "the file is empty" } else { "this is not a fabric file" };
    let source = SourceText { label: text.label.clone(), text: text.text.clone(), origin: Origin::Scenario };
    let place = Place { source: Arc::new(source), span: begins..begins + 1 };
    // What is no fabric may be anything.
    let hint = "is the beginning of the file missing, or is it another kind of file?";
    Diagnosis::new(problem).at(place).unquoted().expected(beginnings()).hint(Some(hint))
}

/// Flows that were set take the place of the traffic that nobody has: only one of the two may stand in a scenario.
pub(crate) fn make_way_for_flows(root: &mut Node) {
    let Value::Table(table) = &mut root.value else { return };
    if table.get("flows").is_some() && table.get("traffic").is_some_and(|traffic| !is_set(&traffic.node)) {
        table.remove("traffic");
    }
}

/// Whether anybody has set the value or a part of it.
fn is_set(node: &Node) -> bool {
    let within = match &node.value {
        Value::Table(table) => table.entries.iter().any(|entry| is_set(&entry.node)),
        Value::List(items) => items.iter().any(is_set),
        _ => false,
    };
    within || node.place.source.is_override()
}

/// In one line, what nobody has set in a scenario around a fabric's file, whose tree with all overrides this is.
pub(crate) fn assumed(root: &Node) -> String {
    let at = |path: &str| root.at(&Path::of(path));
    let is_ours = |path: &str| path != ROUTES || at("routing.tables").is_none();
    let told = ASSUMED.iter().filter(|&&(path, ..)| is_ours(path)).filter_map(|&(path, before, after)| {
        let node = at(path).filter(|node| !node.place.source.is_override())?;
        let value = &node.place.source.text[node.place.span.clone()];
        Some(format!("{before}{}{after}", value.trim_matches('"')))
    });
    format!("assumed (not in the fabric's file): {}", told.collect::<Vec<_>>().join(", "))
}
