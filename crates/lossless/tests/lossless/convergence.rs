//! How soon rates are fair: at once, never, or too late to tell.

use hopscope_lossless::{ConvergenceParams, FrameParams};
use hopscope_measure::Report;
use hopscope_traffic::flows::ListedFlow;
use hopscope_units::Span;

use crate::universe::{at_once, at_us, boundless, dumbbell, flows, frames, listed, report_at};

/// The report of flows under a watch over their rates.
fn watched(frames: FrameParams, asked: ConvergenceParams, list: Vec<ListedFlow>) -> Report {
    let frames = FrameParams { convergence: Some(asked), ..frames };
    let mut run = flows(dumbbell(), frames, vec![at_once("flows", list)]);
    report_at(&mut run, at_us(20_000))
}

fn asked(interval_us: u64, lasts_us: u64) -> ConvergenceParams {
    let (interval, lasts) = (Span::from_us(interval_us), Span::from_us(lasts_us));
    ConvergenceParams { interval, lasts, ..ConvergenceParams::default() }
}

fn value(report: &Report, key: &str) -> Option<f64> {
    report.metric(key).unwrap_or_else(|| panic!("{key} is told")).estimate.map(|estimate| estimate.value)
}

fn counts(report: &Report) -> [f64; 3] {
    ["converged.count", "not converged.count", "too short.count"]
        .map(|key| value(report, key).unwrap_or(-1.0))
}

#[test]
fn flows_of_two_inputs_share_a_link_at_once_and_the_one_that_is_left_has_it_at_once() {
    // 12.5 MB each at half of 100 Gbit/s take 2 ms; what is left of the longer one has the link alone.
    let list = vec![listed("a", "c", 12_500_000), listed("b", "d", 25_000_000)];
    let report = watched(boundless(), asked(100, 500), list);
    assert_eq!(counts(&report), [2.0, 0.0, 0.0]);
    let (mean, most) = (value(&report, "convergence.mean"), value(&report, "convergence.max"));
    assert_eq!((mean, most), (Some(0.0), Some(0.0)), "in the first interval on");
    let last = |series: &str| -> Vec<f64> {
        let points = report.series.iter().filter(|point| point.series == series);
        points.map(|point| point.value).collect()
    };
    let alone = last("b -> d (Gbit/s)").into_iter().fold(0.0, f64::max);
    assert!((alone - 100.0).abs() < 1.0, "{alone} Gbit/s alone");
    assert!(last("fairness of these flows (Jain's index)").iter().all(|index| *index > 0.99));
    assert!(last("x:0 -> y:0 in use (share)").iter().any(|share| *share > 0.99));
    assert!(
        last("x:0 -> y:0 queue (kB)").into_iter().fold(0.0, f64::max) > 100.0,
        "what waits for the link is drawn"
    );
}

#[test]
fn a_switch_that_serves_inputs_in_turn_gives_two_flows_of_one_input_too_little() {
    // A quarter each for those of a, half for that of b: a third would be fair. Those that are left share evenly.
    let list = vec![listed("a", "c", 20_000_000), listed("a", "d", 30_000_000), listed("b", "e", 20_000_000)];
    let report = watched(frames(), asked(100, 500), list);
    assert_eq!(counts(&report), [2.0, 1.0, 0.0]);
    assert!(
        report.notes.iter().any(|note| note.contains("have not converged after 1 of 3")),
        "{:?}",
        report.notes
    );
}

#[test]
fn a_change_soon_after_a_change_is_too_short_to_tell() {
    let mut list = vec![listed("a", "c", 25_000_000), listed("b", "d", 25_000_000)];
    list[1].start = Span::from_us(300);
    let report = watched(boundless(), asked(100, 1_000), list);
    assert_eq!(counts(&report)[2], 2.0, "before the second flow begins, and after the first has ended");
}

#[test]
fn watching_changes_nothing_else() {
    let list = || vec![listed("a", "c", 2_000_000), listed("b", "d", 3_000_000)];
    let watched = watched(frames(), asked(10, 10), list());
    let mut run = flows(dumbbell(), frames(), vec![at_once("flows", list())]);
    let plain = report_at(&mut run, at_us(20_000));
    assert_eq!(watched.flows, plain.flows);
    assert!(plain.metric("convergence.mean").is_none());
    for metric in &plain.metrics {
        assert!(watched.metrics.contains(metric), "{} differs", metric.name);
    }
}
