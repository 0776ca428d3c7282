//! Deadlock is found, explained as its circle of waits, and prevented by up*/down* (SRC 88, sections 2.1 and 3.2).

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan};
use hopscope_fabric::Rule;
use hopscope_measure::{ResourceKind, Stuck, Subject};
use hopscope_topology::{ChannelDependencies, Grid, NetworkSpec, Random};
use hopscope_traffic::{Load, TrafficSpec};
use proptest::prelude::*;

/// The result of a ring of five switches with two hosts each that always have packets to send.
fn crowded_ring(rule: Rule) -> Option<Stuck> {
    let ring = NetworkSpec::Torus(Grid { width: 5, height: 3, hosts_per_switch: 2, ..Grid::default() });
    let mut params = An1Params::default();
    params.fabric.routing.rule = rule;
    let traffic = TrafficSpec {
        pattern: Default::default(),
        load: Load::Saturated,
        sizes: hopscope_traffic::Sizes::Fixed(hopscope_units::Data::from_bytes(8000)),
        arrivals: Default::default(),
        bursts: None,
        observed: Default::default(),
    };
    let network = ring.build().expect("a torus");
    let plan = An1Plan::new(network, params, traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    for _ in 0..100 {
        simulation.run_events(10_000);
        let now = simulation.now();
        if let Some(stuck) = simulation.model.stuck(now) {
            return Some(stuck);
        }
    }
    None
}

#[test]
fn arbitrary_shortest_routes_lock_up_and_the_circle_is_named() {
    let stuck = crowded_ring(Rule::Shortest).expect("a deadlock");
    assert!(stuck.cycle.len() >= 2, "{stuck:?}");
    // A packet that holds a link is also in the place after it: each packet is counted once.
    let holders = stuck.cycle.iter().filter(|line| line.contains("holds")).count();
    let packets = stuck.cycle.len() - holders;
    let counted = format!("a cycle of {} buffers, held by {packets} packets", stuck.cycle.len());
    assert_eq!(stuck.reason, counted, "{stuck:?}");
    for line in &stuck.cycle {
        assert!(line.contains("waits for") || line.contains("is stopped"), "{line}");
    }
}

#[test]
fn up_down_routes_carry_on() {
    assert_eq!(crowded_ring(Rule::UpDown), None);
}

/// Traffic from all hosts to all hosts, always above capacity, in packets longer than the smallest FIFOs.
fn crowd(bytes: u64) -> TrafficSpec {
    let sizes = hopscope_traffic::Sizes::Fixed(hopscope_units::Data::from_bytes(bytes));
    let (pattern, arrivals, observed) = Default::default();
    TrafficSpec { pattern, load: Load::Saturated, sizes, arrivals, bursts: None, observed }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the network, the root and the size of the FIFOs: the analysis finds no cycle, the running fabric never
    /// closes one, and a packet comes to every host.
    #[test]
    fn up_down_reaches_every_host_whatever_the_root(
        switches in 1u32..10, degree in 2u32..5, seed in 0u64..1000, root in any::<prop::sample::Index>(),
        fifo in 42u64..3000, stop in 0u64..100, bytes in 100u64..3000,
    ) {
        let spec = NetworkSpec::Random(Random { switches, degree, hosts_per_switch: 2, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        let hosts = network.hosts().len();
        let mut params = An1Params::default();
        params.fabric.routing.root = Some(network.switches()[root.index(network.switches().len())].name.clone());
        params.switch.fifo = hopscope_an1::Fifo::Bytes(hopscope_units::Data::from_bytes(fifo));
        params.switch.stop_above = hopscope_units::Data::from_bytes(1 + (fifo - 42) * stop / 100);
        let plan = An1Plan::new(network, params, crowd(bytes)).map_err(|p| TestCaseError::fail(format!("{p:?}")))?;
        prop_assert_eq!(ChannelDependencies::new(&plan.fabric().network, &plan.fabric().routes).shortest_cycle(), None);
        let mut simulation = Arc::new(plan).simulation(seed, ());
        let reached = (0..100).any(|_| {
            simulation.run_events(4_000);
            let now = simulation.now();
            assert_eq!(simulation.model.stuck(now), None);
            let to_hosts = |name: &str| name.rsplit(" -> ").next().is_some_and(|far| far.starts_with('h'));
            let rows = simulation.model.report(now).resources;
            let outputs = rows.iter().filter(|row| row.kind == ResourceKind::Output && row.acquisitions > 0);
            let reached = outputs.filter(|row| to_hosts(row.title()));
            reached.count() == hosts
        });
        prop_assert!(reached, "some host has got nothing");
    }
}
