//! What a FIFO holds on average, against what can be drawn by hand.

use hopscope_an1::An1Params;
use hopscope_measure::{ResourceKind, StageId};
use hopscope_units::Span;

use crate::networks::{flow, tandem};
use crate::runs::{flows, run};

#[test]
fn an_uncontended_fifo_holds_what_comes_in_2_us() {
    // Data of a cut-through packet stays 2 us in every FIFO: at load 0.4 that is 10 bytes on average, and at most 25 at
    // once.
    let report = run(tandem(), &An1Params::default(), &flows(vec![flow("s1", "d")], 0.4), 2_000_000);
    let rows = report
        .resources
        .iter()
        .filter(|row| row.kind == ResourceKind::InputFifo && row.title().ends_with("-> 3:0"));
    let [fifo] = rows.collect::<Vec<_>>()[..] else { panic!("one FIFO at the third switch") };
    assert!((fifo.occupancy - 10.0).abs() < 0.1, "{fifo:?}");
    assert!((fifo.peak - 25.0).abs() < 0.01, "{fifo:?}");
}

#[test]
fn littles_law_holds_for_the_data_in_a_fifo() {
    // Two senders into one switch: what the FIFOs hold is what the packets wait, times the rate.
    let mut params = An1Params::default();
    params.switch.fifo = hopscope_an1::Fifo::Unbounded;
    (params.fabric.link.delay, params.switch.decision, params.switch.setup) =
        (Span::ZERO, Span::ZERO, Span::ZERO);
    let traffic = flows(vec![flow("s1", "d"), flow("s2", "d")], 0.35);
    let report = run(tandem(), &params, &traffic, 6_000_000);
    let held: f64 = report
        .resources
        .iter()
        .filter(|row| row.kind == ResourceKind::InputFifo)
        .map(|row| row.occupancy)
        .sum();
    let wait = |stage: StageId| {
        let row = report.ledger.iter().find(|row| row.stage == stage && row.class == "all");
        row.and_then(|row| row.estimate).map_or(0.0, |estimate| estimate.value)
    };
    let bytes_per_us = 0.7 * 12.5;
    let by_little = bytes_per_us * (wait(StageId::FifoWait) + wait(StageId::OutputWait));
    assert!((held / by_little - 1.0).abs() < 0.01, "{held} bytes held, {by_little} by Little's law");
}
