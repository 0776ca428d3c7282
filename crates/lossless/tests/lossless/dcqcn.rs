//! DCQCN: two flows through one bottleneck come to share it.

use std::sync::Arc;

use hopscope_lossless::{BufferParams, DcqcnParams, EcnParams, FrameParams, LosslessPlan};
use hopscope_measure::Subject;
use hopscope_traffic::OfferSpec;
use hopscope_traffic::flows::ListedFlow;
use hopscope_units::{Rate, Span};

use crate::networks::mean;
use crate::universe::{at_once, dumbbell, fabric, frames, listed};

#[test]
fn two_flows_converge_to_fair_shares_from_unequal_starts() {
    // With a threshold for pause frames that follows what is free, marks come first (Zhu et al. 2015, section 4: beta =
    // 8, shared by 8).
    let buffer = BufferParams { alpha: Some(1.0), ..BufferParams::default() };
    let (ecn, dcqcn) = (Some(EcnParams::default()), Some(DcqcnParams::default()));
    let frames = FrameParams { ecn, dcqcn, buffer, ..frames() };
    let mut params = fabric(frames);
    params.fabric.link.rate = Rate::from_mbit_s(40_000);
    let much = 1_000_000_000;
    // b begins at the rate of its link when two others have ended, with which a has just shared: a has about a third.
    let named = |name: &str, flow: ListedFlow| ListedFlow { name: Some(name.to_owned()), ..flow };
    let after = vec!["d".to_owned(), "e".to_owned()];
    let list = vec![
        listed("a", "c", much),
        named("d", listed("d", "c", 3_000_000)),
        named("e", listed("e", "c", 3_000_000)),
        ListedFlow { after, ..listed("b", "c", much) },
    ];
    let offer = OfferSpec::Flows(vec![at_once("flows", list)]);
    let plan = LosslessPlan::new(dumbbell(), params, offer);
    let mut simulation = Arc::new(plan.expect("a valid scenario")).simulation(1, ());
    while simulation.model.arrived().last().is_none_or(|&(number, _)| number < 3) {
        simulation.run_events(100);
    }
    let begun = simulation.now();
    let mut shares = |from_us: u64, to_us: u64| -> [f64; 2] {
        let [before, after] = [from_us, to_us].map(|us| {
            simulation.run_until(begun + Span::from_us(us));
            simulation.model.arrived()
        });
        [0, 1].map(|flow: usize| (after[flow].1 - before[flow].1) as f64)
    };
    let (beginning, converged) = (shares(20, 120), shares(30_000, 60_000));
    assert!(jain(beginning) < 0.9, "unequal at first: {beginning:?}");
    assert!(jain(converged) > 0.99, "{converged:?}");
    let gbit_s = converged.iter().sum::<f64>() / 30e-3 / 1e9;
    assert!(gbit_s > 0.9 * 40.0, "{gbit_s} Gbit/s of 40");
    let now = simulation.now();
    let report = simulation.model.report(now);
    assert!(mean(&report, "notifications.count") > 100.0);
    assert!(mean(&report, "marked.mean") > 0.0);
}

/// Jain's index of fairness.
fn jain(shares: [f64; 2]) -> f64 {
    let (sum, squares): (f64, f64) = (shares.iter().sum(), shares.iter().map(|share| share * share).sum());
    sum * sum / (2.0 * squares)
}
