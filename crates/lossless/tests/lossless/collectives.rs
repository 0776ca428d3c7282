//! Collectives and incasts against their closed forms, and flows against the empty network.

use hopscope_measure::Report;
use hopscope_topology::{FatTree, Network, NetworkSpec, Star};
use hopscope_traffic::flows::{Algorithm, AllReduce, AllToAll, FlowPattern, Hosts, Incast, Order};
use hopscope_units::Data;

use crate::networks::mean;
use crate::universe::{at_once, at_us, boundless, dumbbell, flows, frames, group, listed, report_at};

/// What a part takes from host to host on the star beside its own length: a frame stored, two cables, a switch.
const LATENCY_NS: f64 = 80.0 + 2.0 * 100.0 + 300.0;

fn star(hosts: u32) -> Network {
    let star = Star { arms: 0, hosts_at_hub: hosts, ..Star::default() };
    NetworkSpec::Star(star).build().expect("a star")
}

/// A run of one group to its end.
fn run(network: Network, pattern: FlowPattern, hosts: Hosts) -> Report {
    let mut group = group("all", pattern);
    (group.name, group.hosts) = (None, hosts);
    report_at(&mut flows(network, boundless(), vec![group]), at_us(1_000_000))
}

fn value(report: &Report, key: &str) -> f64 {
    let metric = report.metric(key).unwrap_or_else(|| panic!("there is a metric {key}"));
    metric.estimate.unwrap_or_else(|| panic!("{key} has an estimate")).value
}

#[test]
fn halving_and_doubling_takes_two_log_n_latencies_and_the_data() {
    for hosts in [4u32, 16] {
        let part = 100_000;
        let size = Data::from_bytes(part * u64::from(hosts));
        let pattern = FlowPattern::AllReduce(AllReduce { size, algorithm: Algorithm::HalvingDoubling });
        let report = run(star(hosts), pattern, Hosts::All);
        let data_ns = 2.0 * f64::from(hosts - 1) * part as f64 * 8.0 / 100.0;
        let expected_us = (2.0 * f64::from(hosts.ilog2()) * LATENCY_NS + data_ns) * 1e-3;
        let took_us = value(&report, "round.max");
        assert!((took_us / expected_us - 1.0).abs() < 1e-6, "{hosts}: {took_us} us, not {expected_us}");
        assert_eq!(value(&report, "slowdown.max"), 1.0);
        assert!((value(&report, "host fairness.index") - 1.0).abs() < 1e-9);
    }
}

#[test]
fn an_incast_takes_as_long_as_its_receiver_takes_it_in() {
    let incast = Incast { senders: 10, size: Data::from_bytes(100_000), receiver: Some("h3".into()) };
    let report = run(star(16), FlowPattern::Incast(incast), Hosts::All);
    let expected_us = (LATENCY_NS + 10.0 * 8_000.0) * 1e-3;
    let took_us = value(&report, "round.max");
    assert!((took_us / expected_us - 1.0).abs() < 1e-6, "{took_us} us, not {expected_us}");
    // Frames take turns, so all flows end late, each a frame after another: ten times what one alone takes.
    assert!((value(&report, "slowdown.max") - took_us / (8.0 + LATENCY_NS * 1e-3)).abs() < 1e-3);
    assert!(value(&report, "flow fairness.index") > 0.999);
    assert_eq!(value(&report, "unfinished flows.count"), 0.0);
}

#[test]
fn a_flow_alone_is_as_fast_as_on_the_empty_network_over_links_of_any_rate() {
    // Whole frames, a frame and a bit, less than a frame; and a cable between the switches that is slower, or faster,
    // than the others.
    for bytes in [1, 999, 1000, 1001, 10_500, 64_000] {
        for cable in [None, Some(25_000), Some(400_000)] {
            let mut network = dumbbell();
            if let Some(mbit_s) = cable {
                network = hosts_behind(mbit_s);
            }
            let alone = at_once("alone", vec![listed("a", "c", bytes)]);
            let report = report_at(&mut flows(network, frames(), vec![alone]), at_us(1_000_000));
            assert_eq!(value(&report, "slowdown.max"), 1.0, "{bytes} B over {cable:?}");
        }
    }
}

/// As the dumbbell, with another rate between the switches.
fn hosts_behind(mbit_s: u64) -> Network {
    let mut builder = hopscope_topology::NetworkBuilder::new();
    let (x, y) = (builder.add_switch("x"), builder.add_switch("y"));
    builder.add_link(x, y, Some(hopscope_units::Rate::from_mbit_s(mbit_s)), None);
    for (name, switch) in [("a", x), ("c", y)] {
        builder.add_host(name, switch, hopscope_topology::Role::Any);
    }
    builder.build().expect("two switches are a network")
}

#[test]
fn no_flow_is_faster_than_on_the_empty_network() {
    let tree = NetworkSpec::FatTree(FatTree { radix: 4, ..FatTree::default() }).build().expect("a fat tree");
    let exchange = AllToAll { size: Data::from_bytes(12_345), order: Order::AtOnce };
    let report = run(tree, FlowPattern::AllToAll(exchange), Hosts::Shuffled);
    let tables = report.flows.as_ref().expect("a run of flows has them");
    assert_eq!(tables.flows.len(), 16 * 15);
    assert!(tables.flows.iter().all(|flow| flow.ended_ps - flow.begun_ps >= flow.ideal_ps));
    assert!(mean(&report, "slowdown.mean") > 1.5);
    let carried: u64 = tables.flows.iter().map(|flow| flow.bytes).sum();
    assert_eq!((tables.rounds.len(), tables.rounds[0].bytes), (1, carried));
}
