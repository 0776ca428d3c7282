//! Virtual channels: one packet at a time on the link, another lane's when it stops; dimension order and structured
//! pools in the running fabric.

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan, Fifo, Switching};
use hopscope_fabric::Rule;
use hopscope_measure::{HoldWhy, Report, ResourceKind, Subject};
use hopscope_topology::{Chain, Grid, Hypercube, NetworkSpec};
use hopscope_traffic::{Load, Sizes, TrafficSpec};
use hopscope_units::Data;
use proptest::prelude::*;

use crate::networks::{flow, mean};
use crate::runs::flows;

fn torus(width: u32, height: u32) -> NetworkSpec {
    NetworkSpec::Torus(Grid { width, height, hosts_per_switch: 2, servers: 0, ..Grid::default() })
}

/// A load that every host has for every other.
fn everybody(load: Load, bytes: u64) -> TrafficSpec {
    let sizes = Sizes::Fixed(Data::from_bytes(bytes));
    TrafficSpec {
        pattern: Default::default(),
        load,
        sizes,
        arrivals: Default::default(),
        bursts: None,
        observed: Default::default(),
    }
}

/// Runs in parts, and after each part sees that nothing is stuck.
fn carries_on(spec: &NetworkSpec, params: An1Params, traffic: TrafficSpec) -> Report {
    let network = spec.build().expect("a family in range");
    let plan = An1Plan::new(network, params, traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    let mut report = None;
    for _ in 0..5 {
        simulation.run_events(20_000);
        let now = simulation.now();
        assert_eq!(simulation.model.stuck(now), None);
        report = Some(simulation.model.report(now));
    }
    report.expect("five reports")
}

fn ruled(rule: Rule) -> An1Params {
    let mut params = An1Params::default();
    params.fabric.routing.rule = rule;
    params
}

/// FIFOs that hold whole packets of 1000 bytes, which wait to be whole.
fn store_and_forward(mut params: An1Params) -> An1Params {
    params.switch.switching = Switching::StoreAndForward;
    params.switch.fifo = Fifo::Bytes(Data::from_bytes(2100));
    params.switch.stop_above = Data::from_bytes(1000);
    params
}

#[test]
fn a_saturated_torus_of_long_packets_and_small_buffers_carries_on_by_dimension_order() {
    let report = carries_on(&torus(5, 4), ruled(Rule::DimensionOrder), everybody(Load::Saturated, 8000));
    assert!(report.measured.messages > 100, "{}", report.measured.messages);
}

#[test]
fn structured_pools_carry_on_by_any_shortest_route() {
    let params = store_and_forward(ruled(Rule::StructuredPools));
    let report = carries_on(&torus(5, 4), params, everybody(Load::Saturated, 1000));
    assert!(report.measured.messages > 1000, "{}", report.measured.messages);
}

#[test]
fn an_idle_path_takes_as_long_on_virtual_channels_as_without() {
    let network = NetworkSpec::Ring(Chain { switches: 8, ..Chain::default() }).build().expect("a ring");
    let latency = |rule| {
        let traffic = flows(vec![flow("h1", "h4")], 0.01);
        mean(&crate::runs::run(network.clone(), &ruled(rule), &traffic, 20_000), "latency.mean")
    };
    let (with, without) = (latency(Rule::DimensionOrder), latency(Rule::UpDown));
    // Behind another packet now and then; an idle path over 4 switches is 4 * 2 + 5 * 0.2 us.
    assert!((with - without).abs() < 1e-9 && with >= 9.0, "{with} and {without}");
}

#[test]
fn a_link_carries_no_more_on_two_lanes_than_on_one() {
    // h3 to h1 has the dateline between s0 and the last switch before it, h2 to h4 is beyond: lanes 0 and 1 of s3 ->
    // s4.
    let network = NetworkSpec::Ring(Chain { switches: 8, ..Chain::default() }).build().expect("a ring");
    let traffic = flows(vec![flow("h5", "h0"), flow("h6", "h7"), flow("h4", "h7")], 0.9);
    let report = crate::runs::run(network, &ruled(Rule::DimensionOrder), &traffic, 300_000);
    let lanes = report
        .resources
        .iter()
        .filter(|row| row.kind == ResourceKind::Output && row.title().starts_with("s6:"));
    let to_s7: Vec<_> = lanes.filter(|row| row.title().contains("-> s7")).collect();
    assert_eq!(to_s7.len(), 2, "{to_s7:?}");
    let sending: f64 = to_s7.iter().map(|row| row.utilisation).sum();
    assert!(to_s7.iter().all(|row| row.utilisation > 0.2), "{to_s7:?}");
    assert!(sending > 0.9 && sending <= 1.0, "{sending}");
    let turns: f64 = to_s7
        .iter()
        .flat_map(|row| &row.held_in)
        .filter(|h| h.activity.why == HoldWhy::OtherLane)
        .map(|h| h.occupancy)
        .sum();
    assert!(turns > 0.3, "{to_s7:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn cubes_keep_every_invariant(
        width in 3u32..7, height in 1u32..6, cube in any::<bool>(), pools in any::<bool>(),
        bytes in 50u64..1000, saturated in any::<bool>(),
    ) {
        let spec = if cube {
            let cube = Hypercube::default();
            NetworkSpec::Hypercube(Hypercube { dimensions: width - 2, hosts_per_switch: 2, servers: 0, ..cube })
        } else {
            torus(width, height)
        };
        let load = if saturated { Load::Saturated } else { Load::Fraction(0.2) };
        let params = if pools { store_and_forward(ruled(Rule::StructuredPools)) } else { ruled(Rule::DimensionOrder) };
        let report = carries_on(&spec, params, everybody(load, bytes));
        prop_assert!(report.measured.messages > 0);
    }
}
