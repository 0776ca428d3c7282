//! Credits and virtual lanes, against what Karol, Hluchyj and Morgan computed for input queues.

use std::sync::Arc;

use hopscope_fabric::Rule;
use hopscope_lossless::{FrameParams, LosslessParams, LosslessPlan};
use hopscope_measure::{Report, StageId, Subject};
use hopscope_topology::{Grid, NetworkSpec};
use hopscope_traffic::{Load, Pattern, TrafficSpec};
use hopscope_units::Span;

use crate::networks::{crossbar, flow, mean, tandem};
use crate::universe::{
    at_once, at_us, credits, dumbbell, fabric, flows, listed, messages, plan, report_at, run,
};

/// A switch that takes no time, on links of no delay.
fn instant(frames: FrameParams) -> LosslessParams {
    let mut params = fabric(FrameParams { latency: Span::ZERO, ..frames });
    params.fabric.link.delay = Span::ZERO;
    params
}

/// Frame after frame from every sender.
fn saturated(pattern: Pattern) -> TrafficSpec {
    TrafficSpec { pattern, ..messages(1000, Load::Saturated) }
}

#[test]
fn one_lane_carries_what_input_queues_carry() {
    // Karol, Hluchyj and Morgan 1987, Table I.
    for (n, published) in [(2, 0.75), (4, 0.6553), (8, 0.6184)] {
        let traffic = saturated(Pattern::ClientToServer);
        let report = run(crossbar(n), instant(credits(1, 8)), &traffic, 600_000);
        let carried = mean(&report, "carried.mean");
        assert!((carried / published - 1.0).abs() < 0.015, "{n}: {carried}, not {published}");
    }
}

/// What c's link carries of b's flow while a, d and e crowd f; a's and b's frames share the link between the switches.
fn victim(lanes: u8) -> (f64, Report) {
    let much = 100_000_000;
    let crowd = ["a", "d", "e"].map(|from| listed(from, "f", much));
    let groups = vec![at_once("crowd", crowd.to_vec()), at_once("victim", vec![listed("b", "c", much)])];
    let mut simulation = flows(dumbbell(), credits(lanes, 20), groups);
    simulation.run_until(at_us(200));
    let now = simulation.now();
    simulation.model.restart(now);
    let report = report_at(&mut simulation, at_us(1_200));
    let row = report.resources.iter().find(|row| row.title().ends_with("-> c")).expect("the link to c");
    (row.utilisation, report)
}

#[test]
fn head_of_line_blocking_stays_within_a_lane() {
    let (blocked, _) = victim(1);
    let (free, report) = victim(2);
    assert!((blocked - 1.0 / 3.0).abs() < 0.05, "{blocked}");
    assert!(free > 0.6, "{free}");
    assert!(report.ledger.iter().any(|row| row.stage == StageId::LaneWait));
}

#[test]
fn credits_limit_a_long_cable_to_a_buffer_a_round_trip() {
    // 20 frames of 1000 bytes for 2 x 10 us, 300 ns in the switch and a frame's own 80 ns: what the window allows.
    let mut params = fabric(credits(1, 20));
    params.fabric.link.delay = Span::from_us(10);
    let traffic = saturated(Pattern::Flows(vec![flow("s1", "d")]));
    let report = run(tandem(), params, &traffic, 200_000);
    let rate = mean(&report, "throughput.rate");
    // Credit for a frame comes back two cables, a switch, its wait for the frames before and its own time on the next
    // link later.
    let allowed = 20.0 * 8.0 / (20.0 + 0.3 + 2.0 * 0.08);
    assert!((rate / allowed - 1.0).abs() < 0.03, "{rate} Gbit/s, not {allowed}");
}

/// The report and the frames' hops of a fabric whose events are handled in groups of this number. Of at most eight none
/// waits.
fn in_steps(plan: &Arc<LosslessPlan>, events: u64) -> (u64, Report) {
    let mut simulation = Arc::clone(plan).simulation(1, ());
    for part in 0..2 {
        for _ in 0..40_000 / events {
            simulation.run_events(events);
        }
        let now = simulation.now();
        if part == 0 {
            simulation.model.restart(now);
        }
    }
    let now = simulation.now();
    assert_eq!(simulation.events_handled(), 80_000);
    (simulation.model.packet_hops(), simulation.model.report(now))
}

#[test]
fn credits_that_wait_to_be_counted_change_nothing() {
    // From queues that are held nearly always to queues that never are.
    for (load, lanes, frames_a_lane) in [(0.9, 1, 1), (0.8, 2, 2), (0.5, 2, 3), (0.3, 1, 4), (0.3, 2, 64)] {
        let torus = NetworkSpec::Torus(Grid { width: 4, servers: 0, ..Grid::default() });
        let mut params = fabric(credits(lanes, frames_a_lane));
        params.fabric.routing.rule = if lanes == 1 { Rule::UpDown } else { Rule::DimensionOrder };
        let traffic = messages(1000, Load::Fraction(load));
        let plan = plan(torus.build().expect("a torus"), params, traffic);
        let (hops, report) = in_steps(&plan, 8);
        for events in [40, 1_000, 40_000] {
            let waiting = in_steps(&plan, events);
            let case = format!("load {load}, {frames_a_lane} frames a lane, {events} events at a time");
            assert_eq!(waiting.0, hops, "{case}");
            assert!(waiting.1 == report, "{case}: the reports differ");
        }
    }
}
