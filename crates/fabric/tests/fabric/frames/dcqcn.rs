//! DCQCN: two flows through one bottleneck come to share it.

use hopscope_fabric::frames::{BufferParams, DcqcnParams, EcnParams, FrameParams};
use hopscope_measure::Subject;
use hopscope_units::{Rate, Span};

use super::universe::{at_once, at_us, dumbbell, fabric, frames, listed, messages};
use crate::networks::mean;

#[test]
fn two_flows_converge_to_fair_shares_from_unequal_starts() {
    // With a threshold for pause frames that follows what is free, marks come first (Zhu et al. 2015, section 4: beta = 8, shared by 8).
    let buffer = BufferParams { alpha: Some(1.0), ..BufferParams::default() };
    let (ecn, dcqcn) = (Some(EcnParams::default()), Some(DcqcnParams::default()));
    let frames = FrameParams { ecn, dcqcn, buffer, ..frames() };
    let mut params = fabric(frames);
    params.link.rate = Rate::from_mbit_s(40_000);
    let much = 1_000_000_000;
    // a's flow has just shared with two others when b's begins at the rate of the link, so it has a third.
    let first = at_once("first", vec![listed("a", "c", much)]);
    let crowd = at_once("crowd", vec![listed("d", "c", 3_000_000), listed("e", "c", 3_000_000)]);
    let mut second = at_once("second", vec![listed("b", "c", much)]);
    second.start = Span::from_ms(2);
    let traffic = messages(1000, hopscope_traffic::Load::Saturated);
    let groups = vec![first, second, crowd];
    let plan = hopscope_fabric::FabricPlan::with_flows(dumbbell(), params, traffic, groups);
    let mut simulation = std::sync::Arc::new(plan.expect("a valid scenario")).frame_simulation(1, ());
    let mut arrived = |until_us: u64| {
        simulation.run_until(at_us(until_us));
        simulation.model.arrived()
    };
    let shares = |before: &[u64], after: &[u64]| -> Vec<f64> {
        after.iter().zip(before).map(|(after, before)| (after - before) as f64).collect()
    };
    let jain = |shares: &[f64]| {
        let (sum, squares): (f64, f64) =
            (shares.iter().sum(), shares.iter().map(|share| share * share).sum());
        sum * sum / (shares.len() as f64 * squares)
    };
    let alone = arrived(1_999);
    assert_eq!(alone.len(), 1);
    let (early, late, end) = (arrived(2_500), arrived(30_000), arrived(60_000));
    let beginning = jain(&shares(&[alone[0], 0], &early));
    let converged = shares(&late, &end);
    for t in 1..15 {
        let a = arrived(10_000 * t);
        let b = arrived(10_000 * t + 5_000);
        println!("{t} {}", jain(&shares(&a, &b)));
    }
    println!("{alone:?} {early:?} {late:?} {end:?}");
    assert!(beginning < 0.95, "unequal at first: {beginning}");
    assert!(jain(&converged) > 0.99, "{converged:?}");
    let gbit_s = converged.iter().sum::<f64>() / 30e-3 / 1e9;
    assert!(gbit_s > 0.9 * 40.0, "{gbit_s} Gbit/s of 40");
    let now = simulation.now();
    let report = simulation.model.report(now);
    assert!(mean(&report, "notifications.count") > 100.0);
    assert!(mean(&report, "marked.mean") > 0.0);
}
