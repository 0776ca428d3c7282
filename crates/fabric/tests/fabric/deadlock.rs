//! Deadlock is found, explained as its circle of waits, and prevented by up*/down* (SRC 88, sections 2.1 and 3.2).

use std::sync::Arc;

use hopscope_fabric::{FabricParams, FabricPlan, Rule};
use hopscope_measure::{Stuck, Subject};
use hopscope_topology::{Grid, NetworkSpec};
use hopscope_traffic::{Load, TrafficSpec};

/// What a ring of five switches with two hosts each comes to, when everybody always has something to send to somebody.
fn crowded_ring(rule: Rule) -> Option<Stuck> {
    let ring = NetworkSpec::Torus(Grid { width: 5, height: 3, hosts_per_switch: 2, ..Grid::default() });
    let mut params = FabricParams::default();
    params.routing.rule = rule;
    let traffic = TrafficSpec {
        pattern: Default::default(),
        load: Load::Saturated,
        sizes: hopscope_traffic::Sizes::Fixed(hopscope_units::Data::from_bytes(8000)),
        arrivals: Default::default(),
        bursts: None,
        observed: Default::default(),
    };
    let network = ring.build().expect("a torus");
    let plan = FabricPlan::new(network, params, traffic).expect("a valid scenario");
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
    for line in &stuck.cycle {
        assert!(line.contains("waits for") || line.contains("is stopped"), "{line}");
    }
}

#[test]
fn up_down_routes_carry_on() {
    assert_eq!(crowded_ring(Rule::UpDown), None);
}
