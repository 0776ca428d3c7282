//! Traffic and runs that several tests share.

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan};
use hopscope_measure::Report;
use hopscope_topology::Network;
use hopscope_traffic::{Flow, Load, Pattern, Sizes, TrafficSpec};
use hopscope_units::Data;

use crate::networks::report_after;

/// Traffic of these flows, each with this load of its sender's link, in messages of 1000 bytes.
pub fn flows(flows: Vec<Flow>, load: f64) -> TrafficSpec {
    TrafficSpec {
        pattern: Pattern::Flows(flows),
        load: Load::Fraction(load),
        sizes: Sizes::Fixed(Data::from_bytes(1000)),
        arrivals: Default::default(),
        bursts: None,
        observed: Default::default(),
    }
}

/// Runs for this many events, the first fifth of them as warm-up, and reports.
pub fn run(network: Network, params: &An1Params, traffic: &TrafficSpec, events: u64) -> Report {
    run_seed(network, params, traffic, 1, events)
}

/// The same with this seed.
pub fn run_seed(
    network: Network,
    params: &An1Params,
    traffic: &TrafficSpec,
    seed: u64,
    events: u64,
) -> Report {
    let plan = An1Plan::new(network, params.clone(), traffic.clone()).expect("a valid scenario");
    report_after(Arc::new(plan).simulation(seed, ()), events)
}
