//! What links send within a window whose edges cut packets, and what is carried, against what can be drawn by hand.

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan, Discipline};
use hopscope_measure::{Report, ResourceKind, Subject};
use hopscope_topology::Network;
use hopscope_traffic::{Load, Matrix, Pattern, TrafficSpec, WeightedPair};
use hopscope_units::{Span, Time};

use crate::networks::{flow, mean, report_after, tandem};
use crate::runs::flows;

/// Switches and links that take no time.
fn immediate() -> An1Params {
    let mut params = An1Params::default();
    (params.switch.decision, params.switch.setup, params.fabric.link.delay) =
        (Span::ZERO, Span::ZERO, Span::ZERO);
    params
}

/// The report of s1, which always sends packets of 80 us to d, within a window in microseconds.
fn within(params: &An1Params, [from, to]: [u64; 2]) -> Report {
    let at = |us: u64| Time::ZERO + Span::from_us(us);
    let traffic = TrafficSpec { load: Load::Saturated, ..flows(vec![flow("s1", "d")], 1.0) };
    let plan = An1Plan::new(tandem(), params.clone(), traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_until(at(from));
    simulation.model.restart(at(from));
    simulation.run_until(at(to));
    simulation.model.report(at(to))
}

#[test]
fn links_that_always_send_are_busy_all_of_any_window() {
    let mut pooled = immediate();
    pooled.switch.discipline = Discipline::Output;
    pooled.switch.fifo = hopscope_an1::Fifo::Unbounded;
    for params in [immediate(), pooled] {
        for window in [[803, 819], [803, 901], [840, 880], [801, 7_777]] {
            let report = within(&params, window);
            for end in ["s1", "5:1"] {
                let mut outputs = report.resources.iter().filter(|row| row.kind == ResourceKind::Output);
                let row = outputs.find(|row| row.place == end).expect("a link of a host");
                assert!((row.held_in[0].occupancy - 1.0).abs() < 1e-12, "{window:?}: {row:?}");
            }
        }
        let report = within(&params, [803, 1_019]);
        let carried = mean(&report, "carried.mean");
        assert!((carried - 1.0).abs() < 1e-12, "{carried}");
    }
}

/// s1 sends to d, and s2 too, at this load: a matrix.
fn matrix(load: f64) -> TrafficSpec {
    let pair = |from: &str| WeightedPair { from: from.to_owned(), to: "d".to_owned(), weight: 1.0 };
    let pairs = Matrix { path: None, pairs: vec![pair("s1"), pair("s2")] };
    TrafficSpec { pattern: Pattern::Matrix(pairs), load: Load::Fraction(load), ..flows(Vec::new(), 1.0) }
}

#[test]
fn of_a_matrix_that_leaves_hosts_out_those_count_that_are_sent_something() {
    let network: Network = tandem();
    assert!(network.hosts().len() > 1);
    let plan = An1Plan::new(network, immediate(), matrix(0.6)).expect("a valid scenario");
    let report = report_after(Arc::new(plan).simulation(1, ()), 1_000_000);
    let carried = mean(&report, "carried.mean");
    assert!((carried - 0.6).abs() < 0.006, "{carried}");
}
