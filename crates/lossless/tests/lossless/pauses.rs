//! Pause frames: nothing is lost, only the priority concerned is paused, and root and victims of congestion are
//! distinguished.

use hopscope_lossless::{BufferParams, FlowControl, FrameParams, LosslessPlan, PfcParams};
use hopscope_measure::{Report, Subject};
use hopscope_topology::{NetworkSpec, Star};
use hopscope_traffic::OfferSpec;
use hopscope_traffic::flows::{FlowPattern, Incast};
use hopscope_units::{Data, Span};

use crate::networks::mean;
use crate::universe::{
    at_once, at_us, dumbbell, fabric, flows, frames, group, listed, priorities, report_at,
};

fn count(report: &Report, name: &str) -> f64 {
    mean(report, &format!("{name}.count"))
}

/// a, c, d and e send to f, whose link is the root; b sends to c by way of the link that a's frames stop.
fn congested(frames: FrameParams) -> Report {
    let much = 100_000_000;
    let crowd = ["a", "d", "e"].map(|from| listed(from, "f", much));
    let groups = vec![at_once("crowd", crowd.to_vec()), at_once("victim", vec![listed("b", "c", much)])];
    let mut simulation = flows(dumbbell(), frames, groups);
    simulation.run_until(at_us(200));
    let now = simulation.now();
    simulation.model.restart(now);
    let mut report = report_at(&mut simulation, at_us(1_200));
    report.notes.retain(|note| note.starts_with("congestion tree"));
    report
}

/// The utilisation of the link to a host.
fn utilisation(report: &Report, to: &str) -> f64 {
    let name = format!("-> {to}");
    report.resources.iter().find(|row| row.title().ends_with(&name)).expect("a link to the host").utilisation
}

#[test]
fn one_priority_makes_a_victim_that_two_would_not() {
    let together = congested(priorities(1));
    let apart = congested(priorities(2));
    // One queue feeds both, so b gets no more than a, and a no more than its share of f's link.
    let (victim, free) = (utilisation(&together, "c"), utilisation(&apart, "c"));
    let cause = utilisation(&together, "y:0") - victim;
    assert!((victim - cause).abs() < 0.02 && victim < 0.4, "{victim} beside {cause}");
    // Two priorities take turns on the link between the switches, and b may have what a cannot use.
    let cause = utilisation(&apart, "y:0") - free;
    assert!((free + cause - 1.0).abs() < 0.01 && free > 0.6, "{free} beside {cause}");
    assert!(utilisation(&together, "f") > 0.99 && utilisation(&apart, "f") > 0.99);
}

#[test]
fn the_tree_has_its_root_at_the_full_output_and_names_a_victim() {
    let report = congested(priorities(1));
    insta::assert_snapshot!(report.notes.join("\n"), @"congestion tree: root y:4 -> f in 100 % of samples; up to 5 links stopped; up to 1 victim flow, such as b -> c");
}

/// Incast of 15 to one host of a star, over cables of this delay.
fn incast(frames: FrameParams, delay: Span) -> Report {
    let star =
        NetworkSpec::Star(Star { arms: 0, hosts_at_hub: 16, ..Star::default() }).build().expect("a star");
    let pattern =
        FlowPattern::Incast(Incast { senders: 15, size: Data::from_bytes(1_000_000), receiver: None });
    let mut params = fabric(frames);
    params.fabric.link.delay = delay;
    let offer = OfferSpec::Flows(vec![group("incast", pattern)]);
    let plan = LosslessPlan::new(star, params, offer);
    let mut simulation = std::sync::Arc::new(plan.expect("a valid scenario")).simulation(1, ());
    report_at(&mut simulation, at_us(10_000))
}

#[test]
fn headroom_takes_all_that_comes_after_the_pause_frame_and_most_of_it_is_needed() {
    for (delay, mtu) in [(0, 1000), (100, 1000), (2_000, 4096), (50_000, 9000)] {
        let buffer = BufferParams { size: Data::from_bytes(100_000_000), alpha: None };
        let frames = FrameParams { mtu: Data::from_bytes(mtu), buffer, ..frames() };
        // The machine asserts that no headroom is overrun.
        let report = incast(frames, Span::from_ns(delay));
        let under_way = 12.5 * (2.0 * delay as f64 + 300.0);
        let computed = under_way + 2.0 * mtu as f64 + 2.0 * 64.0;
        let used = count(&report, "headroom peak");
        assert!(used <= computed + 1.0 && used > 0.6 * computed, "{used} of {computed} B over {delay} ns");
        assert!(count(&report, "pauses") >= 15.0);
        assert_eq!(mean(&report, "reordered.mean"), 0.0);
    }
}

#[test]
fn a_threshold_that_follows_what_is_free_uses_more_of_the_buffer_for_fewer() {
    let with = |alpha| {
        let buffer = BufferParams { size: Data::from_bytes(2_000_000), alpha };
        let report = incast(FrameParams { buffer, ..frames() }, Span::from_ns(100));
        count(&report, "buffer peak")
    };
    let (fixed, small, large) = (with(None), with(Some(0.03)), with(Some(1.0)));
    // Fifteen inputs stop a little above 24 470 bytes each. With a multiple alpha, they stop where n T = n alpha (B - n
    // T).
    assert!((fixed / (15.0 * 24_470.0) - 1.0).abs() < 0.35, "{fixed}");
    assert!(small > fixed && large > 1.5 * small && large < 2_000_000.0, "{fixed}, {small}, {large}");
}

#[test]
fn time_paused_is_kept_by_port_and_priority() {
    let pfc = PfcParams { priorities: 2, ..PfcParams::default() };
    let report = congested(FrameParams { flow_control: FlowControl::Pfc(pfc), ..frames() });
    let row = report.resources.iter().find(|row| row.title().starts_with("x:0 -> y")).expect("the link");
    let held: Vec<f64> = row.held_in.iter().map(|held| held.occupancy).collect();
    // Sending; paused in the crowd's priority; never in the other.
    assert!(held[1] > 0.3 && held[2] == 0.0, "{:?}", row.held_in);
}
