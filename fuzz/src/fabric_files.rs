//! Fabrics, forwarding tables and flows, as tools and people write them.

use std::sync::LazyLock;

use hopscope_formats::fabric::{anynet, edge_list, graphml, iblinkinfo, ibnetdiscover, subnet_lst};
use hopscope_formats::{
    CabledNetwork, FormatError, LinkDefaults, WrittenForm, counters, flow_list, read_fabric, root_guids,
    size_cdf, tables, traffic_matrix, write_fabric,
};
use hopscope_topology::{Component, DestinationTables, FileSpec, HostRate, Network, TableCheck, TableEngine};
use hopscope_units::{Rate, Span};

/// The fabric that tables, roots and flows are read for.
static SQUARE: LazyLock<CabledNetwork> = LazyLock::new(|| {
    ibnetdiscover::read(include_str!("../../crates/formats/tests/data/square.net")).expect("a fabric")
});

/// More switches or hosts than this are read, but nothing is computed for them.
const FEW: usize = 100;

/// Bytes as a fabric of every form.
pub fn fabrics(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for read in [ibnetdiscover::read(&text), subnet_lst::read(&text), iblinkinfo::read(&text)] {
        if let Some(fabric) = told(read, &text) {
            assert_eq!(fabric.switches.len(), fabric.network.switches().len());
            assert_eq!(fabric.hosts.len(), fabric.network.hosts().len());
            reads_back(&fabric);
        }
    }
    let graph = FileSpec { hosts_per_switch: 1, host_rate: HostRate::FastestLink, ..FileSpec::at("") };
    let largest = FileSpec { component: Component::Largest, ..graph.clone() };
    for read in [graphml::read(&text, &graph), graphml::read(&text, &largest)] {
        if let Some(fabric) = told(read, &text) {
            reads_back(&fabric);
        }
    }
    let networks = [edge_list::read(&text, 1), anynet::read(&text, 1, Some(Span::from_ns(1)))];
    for network in networks {
        if let Some(network) = told(network, &text) {
            reads_back(&CabledNetwork::numbered(network));
        }
    }
    let _ = read_fabric("file", bytes, &FileSpec::at(""));
}

/// Bytes as port counters of a fabric; nothing is counted between a reading and itself.
pub fn counters(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let read = counters::read(&text).and_then(|counters| counters.on(&SQUARE, &text));
    if let Some(counters) = told(read, &text)
        && let Ok(since) = counters.since(&counters, &text)
    {
        assert!(since.ports.values().flat_map(|port| port.values()).all(|counted| *counted == 0));
    }
}

/// Bytes as forwarding tables and as root GUIDs of a fabric.
pub fn tables(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = told(root_guids::read(&text, &SQUARE), &text);
    let read = tables::read(&text).and_then(|tables| tables.on(&SQUARE, &text));
    if let Some(tables) = told(read, &text) {
        let check = TableCheck::new(&SQUARE.network, &tables, &[]);
        let arrive: u64 = check.detours.values().sum();
        let lost = check.unreachable_pairs + check.misdelivered_pairs + check.looping_pairs;
        assert_eq!(arrive + lost, check.pairs);
    }
}

/// Bytes as a list of flows, as a matrix of weights, and as a distribution of sizes.
pub fn flows(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for read in [flow_list::read_csv(&text, &SQUARE.network), flow_list::read_cm(&text, &SQUARE.network)] {
        if let Some(flows) = told(read, &text) {
            let hosts = SQUARE.network.hosts();
            let known = |name: &str| hosts.iter().any(|host| host.name == name);
            assert!(flows.iter().all(|flow| known(&flow.from) && known(&flow.to)));
        }
    }
    if let Some(pairs) = told(traffic_matrix::read(&text), &text) {
        assert!(pairs.iter().all(|pair| pair.weight >= 0.0));
    }
    if let Some(points) = told(size_cdf::read(&text), &text) {
        assert!(points.windows(2).all(|pair| pair[0].share <= pair[1].share));
        assert_eq!(points.last().map(|point| point.share), Some(1.0));
    }
}

/// What was read; a refusal has its place within the text, and says what was expected.
fn told<T>(read: Result<T, FormatError>, text: &str) -> Option<T> {
    let refusal = match read {
        Ok(read) => return Some(read),
        Err(refusal) => refusal,
    };
    let line = text.split('\n').nth(refusal.line as usize - 1);
    let characters = line.expect("a line of the text").chars().count();
    assert!((1..=characters + 1).contains(&(refusal.column as usize)), "{refusal}");
    assert!(!refusal.expected.is_empty(), "{refusal}");
    None
}

/// What is written of a network reads back, and up*/down* on it is safe.
fn reads_back(fabric: &CabledNetwork) {
    let network = &fabric.network;
    if network.switches().len().max(network.hosts().len()) > FEW {
        return;
    }
    let links = LinkDefaults { rate: Rate::from_mbit_s(100_000), delay: Span::from_ns(50) };
    if let Ok(text) = write_fabric(&CabledNetwork::numbered(network.clone()), WrittenForm::Net, links) {
        alike(&ibnetdiscover::read(&text).expect("what is written reads back").network, network);
    }
    if let Ok(text) = write_fabric(fabric, WrittenForm::EdgeList, links)
        && !network.links().is_empty()
    {
        alike(&edge_list::read(&text, 0).expect("what is written reads back"), network);
    }
    let tables = DestinationTables::compute(network, &TableEngine::UpDown { roots: Vec::new() });
    let tables = tables.expect("one root reaches everything");
    assert!(TableCheck::new(network, &tables, &[]).is_safe());
}

fn alike(one: &Network, other: &Network) {
    let size = |network: &Network| [network.switches().len(), network.hosts().len(), network.links().len()];
    assert_eq!(size(one), size(other));
}
