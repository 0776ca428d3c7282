//! What patterns make each host offer.

use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::{TrafficSpec, Workload};
use hopscope_units::Rate;

/// Two clients and two servers at one switch.
fn star() -> Network {
    let mut builder = NetworkBuilder::new();
    let hub = builder.add_switch("hub");
    for (name, role) in
        [("c0", Role::Client), ("c1", Role::Client), ("s0", Role::Server), ("s1", Role::Server)]
    {
        builder.add_host(name, hub, role);
    }
    builder.build().expect("a star")
}

/// What clients and servers offer in Mbit/s at load 0.5, where their links have these rates in Mbit/s.
fn offered(rates: [u64; 4]) -> Vec<(usize, f64)> {
    let spec: TrafficSpec = toml::from_str("load = 0.5\npattern = \"client-server\"").expect("traffic");
    let workload =
        Workload::new(&spec, &star(), &rates.map(Rate::from_mbit_s), 1).expect("it can be offered");
    let streams = workload.streams();
    let senders = streams.iter().flat_map(|stream| &stream.senders);
    let mut found: Vec<(usize, f64)> =
        senders.map(|(host, bit_s)| (host.index(), (bit_s * 1e-6).round())).collect();
    found.sort_by_key(|(host, _)| *host);
    found
}

#[test]
fn clients_offer_what_fills_the_links_of_the_servers_to_the_load_however_fast_their_own_are() {
    assert_eq!(offered([100, 100, 100, 100]), [(0, 50.0), (1, 50.0), (2, 50.0), (3, 50.0)]);
    assert_eq!(offered([1_000, 1_000, 100, 100]), [(0, 50.0), (1, 50.0), (2, 50.0), (3, 50.0)]);
    // Every client offers the same, and the servers' links together carry the load.
    assert_eq!(offered([1_000, 200, 100, 300]), [(0, 100.0), (1, 100.0), (2, 50.0), (3, 150.0)]);
}

#[test]
fn receivers_are_those_that_are_sent_anything() {
    let received = |pattern: &str| {
        let text = format!("load = 0.5\npattern = {pattern}");
        let spec: TrafficSpec = toml::from_str(&text).expect("traffic");
        let rates = [Rate::from_mbit_s(100); 4];
        let workload = Workload::new(&spec, &star(), &rates, 1).expect("it can be offered");
        workload.receivers().iter().map(|&receives| u8::from(receives)).collect::<Vec<_>>()
    };
    let pair = |to: &str, weight: u8| format!("{{ from = \"c0\", to = \"{to}\", weight = {weight} }}");
    assert_eq!(received("\"uniform\""), [1, 1, 1, 1]);
    assert_eq!(received("\"broadcast\""), [1, 1, 1, 1]);
    assert_eq!(received("\"client-to-server\""), [0, 0, 1, 1]);
    // Of four hosts the first and the last of a transpose are their own receivers.
    assert_eq!(received("{ permutation = \"transpose\" }"), [0, 1, 1, 0]);
    let matrix = format!("{{ matrix = {{ pairs = [{}, {}] }} }}", pair("s0", 1), pair("s1", 0));
    assert_eq!(received(&matrix), [0, 0, 1, 0]);
    // A sender discards its own copy.
    let group = "{ flows = [{ from = \"c0\", to = [\"c0\", \"s1\"] }] }";
    assert_eq!(received(group), [0, 0, 0, 1]);
}

#[test]
fn a_pair_that_names_a_switch_is_told_so_and_a_hint_is_a_host() {
    let refused = |from: &str| {
        let text = format!(
            "load = 0.5\n[pattern.matrix]\npairs = [{{ from = \"{from}\", to = \"s1\", weight = 1 }}]\n"
        );
        let spec: TrafficSpec = toml::from_str(&text).expect("traffic");
        let refused = Workload::new(&spec, &star(), &[Rate::from_mbit_s(100); 4], 1);
        let problems = refused.err().expect("a refusal");
        let hint = problems[0].hint.clone().unwrap_or_default();
        format!("{}: {}; {hint}", problems[0].path, problems[0].problem)
    };
    assert_eq!(refused("hub"), "pattern.matrix.pairs[0].from: \"hub\" is a switch; ");
    assert_eq!(refused("s2"), "pattern.matrix.pairs[0].from: no host is called \"s2\"; did you mean \"s0\"?");
}

/// What becomes of flows from one client to a server, each with these further fields.
fn flows(each: impl Iterator<Item = String>) -> Result<Workload, String> {
    let flows: Vec<String> =
        each.map(|more| format!("{{ from = \"c0\", to = \"s0\", load = 0.00001, {more} }}")).collect();
    let text = format!("load = 0.5\npattern = {{ flows = [{}] }}", flows.join(", "));
    let spec: TrafficSpec = toml::from_str(&text).expect("traffic");
    Workload::new(&spec, &star(), &[Rate::from_mbit_s(100); 4], 1)
        .map_err(|problems| problems[0].problem.clone())
}

#[test]
fn one_class_too_many_is_refused() {
    let classes = |count: usize| flows((0..count).map(|nth| format!("class = \"c{nth}\"")));
    assert!(classes(255).is_ok());
    assert_eq!(classes(256).err().expect("too many"), "there are more than 255 classes of messages");
}

#[test]
fn flows_of_the_same_sizes_share_a_law_and_there_are_only_so_many() {
    let of_sizes = |sizes: usize, flows_of_each: usize| {
        flows(
            (0..sizes * flows_of_each)
                .map(|nth| format!("sizes = {{ fixed = \"{} B\" }}", 100 + nth % sizes)),
        )
    };
    assert!(of_sizes(2, 40_000).is_ok());
    assert_eq!(
        of_sizes(65_537, 1).err().expect("too many"),
        "there are more than 65536 different laws of sizes or bursts"
    );
}
