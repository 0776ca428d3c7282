//! What links send within a window whose edges cut frames, against what can be drawn by hand.

use hopscope_lossless::{FrameParams, RetryingLink};
use hopscope_measure::{Report, ResourceRow, Subject};
use hopscope_units::{Span, Time};

use crate::networks::mean;
use crate::universe::{at_once, boundless, dumbbell, flows, listed};

/// The report of one flow from a to c within a window in nanoseconds: frames of 80 ns, one behind the other.
fn within(frames: FrameParams, bytes: u64, [from, to]: [u64; 2]) -> Report {
    let at = |ns: u64| Time::ZERO + Span::from_ns(ns);
    let mut simulation = flows(dumbbell(), frames, vec![at_once("one", vec![listed("a", "c", bytes)])]);
    simulation.run_until(at(from));
    simulation.model.restart(at(from));
    simulation.run_until(at(to));
    simulation.model.report(at(to))
}

fn link<'a>(report: &'a Report, name: &str) -> &'a ResourceRow {
    report.resources.iter().find(|row| row.title().ends_with(name)).expect("there is such a link")
}

#[test]
fn a_link_that_always_sends_is_busy_all_of_any_window() {
    // Within a frame, across one, and across many; the first bit comes to c's link after 960 ns.
    for window in [[2_003, 2_019], [2_003, 2_101], [2_040, 2_080], [2_001, 7_777]] {
        let report = within(boundless(), 100_000, window);
        for name in ["a -> x:1", "x:0 -> y:0", "y:1 -> c"] {
            let row = link(&report, name);
            assert!((row.utilisation - 1.0).abs() < 1e-12, "{name} {window:?}: {row:?}");
            assert_eq!(row.occupancy, row.utilisation);
        }
    }
}

#[test]
fn of_a_frame_under_way_the_part_within_the_window_counts() {
    // One frame of 80 ns leaves a at 0, x at 480 and y at 960 ns.
    for ([from, to], sent) in [([0, 30], 30.0), ([50, 100], 30.0), ([20, 60], 40.0), ([80, 200], 0.0)] {
        let used = link(&within(boundless(), 1_000, [from, to]), "a -> x:1").utilisation;
        assert!((used - sent / (to - from) as f64).abs() < 1e-12, "{from}..{to}: {used}");
    }
    let used = link(&within(boundless(), 1_000, [900, 1_000]), "y:1 -> c").utilisation;
    assert!((used - 0.4).abs() < 1e-12, "{used}");
}

#[test]
fn the_carried_load_is_the_use_of_the_links_into_receivers() {
    // Only c is sent anything.
    let report = within(boundless(), 100_000, [2_001, 20_000]);
    // The last of the hundred frames has left y after 960 ns and 8 us.
    let expected = (8_960.0 - 2_001.0) / (20_000.0 - 2_001.0);
    let found = mean(&report, "carried.mean");
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
}

#[test]
fn failed_transmissions_at_the_edges_count_as_such() {
    let retrying = RetryingLink { between: ["x".to_owned(), "y".to_owned()], failing: 0.7 };
    let frames = FrameParams { retrying_links: vec![retrying], ..boundless() };
    for window in [[3_003, 3_019], [3_003, 3_101], [3_040, 3_080], [3_001, 9_777]] {
        let report = within(frames.clone(), 100_000, window);
        let row = link(&report, "x:0 -> y:0");
        let sum: f64 = row.held_in.iter().take(2).map(|held| held.occupancy).sum();
        assert!((sum - 1.0).abs() < 1e-12 && (row.utilisation - 1.0).abs() < 1e-12, "{window:?}: {row:?}");
    }
}
