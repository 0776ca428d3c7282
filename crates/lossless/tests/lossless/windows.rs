//! Windows and rates in a network: the closed form of a fixed window, shares, queues, and what the ledger says of them.

use hopscope_lossless::{
    DctcpParams, EcnParams, FrameParams, HpccParams, NsccParams, PullParams, RateControlParams, SwiftParams,
    TimelyParams,
};
use hopscope_measure::{Report, StageId};
use hopscope_units::{Data, Rate, Span};

use crate::universe::{at_once, at_us, boundless, dumbbell, flows, listed, report_at};

/// DCTCP with a window that cannot change.
fn fixed_window(bytes: u64) -> FrameParams {
    let window = Data::from_bytes(bytes);
    let dctcp =
        DctcpParams { least: Some(window), initial: Some(window), most: window, ..DctcpParams::default() };
    controlled(RateControlParams::Dctcp(dctcp))
}

fn controlled(law: RateControlParams) -> FrameParams {
    FrameParams { rate_control: Some(law), ecn: Some(threshold(100_000)), ..boundless() }
}

fn threshold(bytes: u64) -> EcnParams {
    let at = Data::from_bytes(bytes);
    EcnParams { kmin: at, kmax: at, pmax: 1.0 }
}

/// The share of a stage in the life of all messages.
fn share(report: &Report, stage: StageId) -> f64 {
    let rows = report.ledger.iter().filter(|row| row.class == "all" && row.stage == stage);
    rows.map(|row| row.share).sum()
}

#[test]
fn a_fixed_window_carries_itself_in_a_round_trip() {
    // A frame of 1000 bytes takes 80 ns on each of three links, 100 ns along each, 300 ns in each of two switches, and
    // its acknowledgment 5.12 ns and the way back: 80 x 3 + 2 (300 + 600) + 5.12 = 2045.12 ns. Ten frames in it.
    let flow = vec![listed("a", "c", 10_000_000)];
    let mut run = flows(dumbbell(), fixed_window(10_000), vec![at_once("flows", flow)]);
    let report = report_at(&mut run, at_us(10_000));
    let table = report.flows.as_ref().expect("a run of flows has them");
    let us = table.flows[0].ended_ps as f64 * 1e-6;
    // A thousand round trips, but for the last, in which frames only arrive.
    let expected = 999.0 * 2.04512 + 0.24 + 0.9 + 9.0 * 0.08;
    assert!((us - expected).abs() < 0.1, "{us} us, expected {expected}");
    assert!(share(&report, StageId::WindowWait) > 0.5);
    assert!((share(&report, StageId::Pacing)).abs() < f64::EPSILON);
}

#[test]
fn no_window_is_exceeded_and_one_frame_always_may_go() {
    for (window, frames) in [(1, 1), (999, 1), (1_000, 1), (2_500, 2)] {
        let flow = vec![listed("a", "c", 400_000)];
        let mut run = flows(dumbbell(), fixed_window(window), vec![at_once("flows", flow)]);
        let mut most = 0;
        while run.run_events(1) == 1 {
            most = most.max(run.model.frames_in_flight().0);
        }
        assert_eq!(most, frames, "a window of {window} bytes");
    }
}

/// Two long flows to one host: the shares of the link in the second half of a run, and its report.
fn two_flows(frames: FrameParams, us: u64) -> ([f64; 2], Report) {
    let both = vec![listed("a", "c", 100_000_000), listed("b", "c", 100_000_000)];
    let mut run = flows(dumbbell(), frames, vec![at_once("flows", both)]);
    run.run_until(at_us(us / 2));
    let before = run.model.arrived();
    let report = report_at(&mut run, at_us(us));
    let after = run.model.arrived();
    // Bits in half the run, of 100 Gbit/s.
    let full = us as f64 / 2.0 * 1e5;
    ([0, 1].map(|flow: usize| (after[flow].1 - before[flow].1) as f64 / full), report)
}

#[test]
fn under_each_law_two_flows_share_a_link_that_stays_busy() {
    let (low, high, round_trip) = (Span::from_us(5), Span::from_us(50), Span::from_us(2));
    let additive = Rate::from_mbit_s(1_000);
    let timely = TimelyParams { low, high, round_trip, additive, ..TimelyParams::default() };
    let laws = [
        RateControlParams::Dctcp(DctcpParams::default()),
        RateControlParams::Timely(timely),
        RateControlParams::Hpcc(HpccParams { round_trip: Span::from_us(3), ..HpccParams::default() }),
        RateControlParams::Swift(SwiftParams::default()),
        RateControlParams::Nscc(NsccParams { round_trip: Span::from_us(3), ..NsccParams::default() }),
        RateControlParams::Pull(PullParams::default()),
    ];
    for law in laws {
        let (shares, _) = two_flows(controlled(law.clone()), 4_000);
        let sum: f64 = shares.iter().sum();
        assert!(sum > 0.85 && sum <= 1.0 + 1e-9, "{law:?}: {shares:?}");
        let fair =
            matches!(law, RateControlParams::Timely(_)) || shares.iter().all(|share| *share > 0.3 * sum);
        assert!(fair, "{law:?}: {shares:?}");
    }
}

#[test]
fn hpcc_keeps_queues_shorter_than_dctcp_does() {
    let hpcc = HpccParams { round_trip: Span::from_us(3), ..HpccParams::default() };
    let peaks =
        [RateControlParams::Hpcc(hpcc), RateControlParams::Dctcp(DctcpParams::default())].map(|law| {
            let (_, report) = two_flows(controlled(law), 4_000);
            share(&report, StageId::Queueing)
        });
    assert!(peaks[0] <= peaks[1], "{peaks:?}");
}
