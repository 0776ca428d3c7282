//! A window that is always full against theory: closed queueing networks (Reiser 1979).

use hopscope_measure::{Estimate, Outcome, Report};
use hopscope_sna::{Closed, closed_network, equal_stations};

use crate::shared::{chain, run, value};

/// The mean lies within its own interval at 99 %, and within 1 % of theory.
fn assert_twin(report: &Report, key: &str, theory: f64, case: &str) {
    let estimate: Estimate = report.metric(key).and_then(|metric| metric.estimate).expect("it is measured");
    // An interval of 95 % is 1.96 standard deviations wide on each side, one of 99 % 2.58; batches make it a little
    // wider.
    let half = (estimate.high - estimate.low) / 2.0 * 2.58 / 1.96;
    let off = (estimate.value - theory).abs();
    assert!(off <= half, "{case}: {key} is {estimate:?}, theory says {theory}");
    assert!(off <= 0.01 * theory, "{case}: {key} is {estimate:?}, theory says {theory}");
}

fn assert_closed(services_ms: &[u64], window: u64, theory: Closed) {
    let text = chain(services_ms, &format!("rule = \"sliding\"\nwindow = {window}"));
    let case = format!("{services_ms:?} with a window of {window}");
    let report = run(&text, 1982, 400_000);
    assert_eq!(report.outcome, Outcome::Complete, "{case}");
    assert_twin(&report, "throughput.rate", theory.throughput, &case);
    assert_twin(&report, "transit.mean", theory.delay * 1e3, &case);
    let power = value(&report, "power.ratio");
    assert!(
        (power / theory.power() - 1.0).abs() < 0.02,
        "{case}: power {power}, theory says {}",
        theory.power()
    );
}

#[test]
fn a_sliding_window_over_equal_nodes_is_a_closed_network_of_equal_stations() {
    for (stations, window) in [(2, 1), (3, 2), (3, 7), (5, 4), (6, 12)] {
        let services = vec![20; stations as usize];
        assert_closed(&services, window, equal_stations(0.02, stations, window));
    }
}

#[test]
fn over_unequal_nodes_it_has_the_product_form() {
    for (services, window) in [(&[10, 20, 40][..], 3), (&[30, 10, 20, 10], 6), (&[5, 50], 4)] {
        let seconds: Vec<f64> = services.iter().map(|&ms| ms as f64 * 1e-3).collect();
        assert_closed(services, window, closed_network(&seconds, window));
    }
}

#[test]
fn one_at_a_time_carries_one_message_a_round_trip() {
    let report = run(&chain(&[20, 10, 30], "rule = \"stop-and-wait\""), 7, 200_000);
    assert_twin(&report, "throughput.rate", 1.0 / 0.06, "stop and wait");
}

#[test]
fn measured_windows_and_outstanding_units_keep_their_bounds() {
    for window in [1, 2, 5] {
        let paced = run(&chain(&[20, 20, 20], &format!("window = {window}")), 3, 20_000);
        assert!(value(&paced, "outstanding[virtual route 3].max") <= f64::from(2 * window - 1));
        assert_eq!(value(&paced, "window[virtual route 3].mean"), f64::from(window));
        let rule = format!("rule = \"end-acknowledged\"\nwindow = {window}");
        let at_end = run(&chain(&[20, 20, 20], &rule), 3, 20_000);
        assert_eq!(value(&at_end, "outstanding[virtual route 3].max"), f64::from(window));
    }
}
