//! Priorities of a port: strict, and by weights, against the shares that they promise.

use hopscope_lossless::{BufferParams, CreditParams, FlowControl, FrameParams, PfcParams, Scheduling};
use hopscope_measure::Report;
use hopscope_traffic::flows::FlowGroup;
use hopscope_units::Data;

use crate::networks::mean;
use crate::universe::{at_once, at_us, dumbbell, flows, frames, listed, report_at};

/// Two priorities, or two lanes, with room for every frame.
fn two(scheduling: &Scheduling) -> [FrameParams; 2] {
    let xoff = Data::from_bytes(10_000_000);
    let pfc = FlowControl::Pfc(PfcParams { priorities: 2, xoff, ..PfcParams::default() });
    let credits =
        FlowControl::Credits(CreditParams { lanes: 2, buffer_per_lane: Data::from_bytes(10_000_000) });
    let big = BufferParams { size: Data::from_bytes(1 << 30), alpha: None };
    [(pfc, big), (credits, BufferParams::default())].map(|(flow_control, buffer)| FrameParams {
        flow_control,
        buffer,
        scheduling: scheduling.clone(),
        ..frames()
    })
}

/// a and b each send to a host of y, in a class each; how long the classes take over the one link, in us.
fn classes(frames: FrameParams, bytes: [u64; 2]) -> [f64; 2] {
    let groups: Vec<FlowGroup> = vec![
        at_once("one", vec![listed("a", "c", bytes[0])]),
        at_once("two", vec![listed("b", "d", bytes[1])]),
    ];
    let report: Report = report_at(&mut flows(dumbbell(), frames, groups), at_us(10_000));
    ["one", "two"].map(|class| mean(&report, &format!("latency[{class}].max")))
}

/// A megabyte takes 80 us on the link. Served in turn both take twice that; with strict priorities the first takes as
/// long as alone (and a frame of the second that is under way), the second all of it.
#[test]
fn the_first_priority_goes_first() {
    for frames in two(&Scheduling::Strict) {
        let [first, second] = classes(frames, [1_000_000, 1_000_000]);
        assert!((first - 81.14).abs() < 0.2, "{first}");
        assert!((second - 161.14).abs() < 0.2, "{second}");
    }
    for frames in two(&Scheduling::RoundRobin) {
        let [first, second] = classes(frames, [1_000_000, 1_000_000]);
        assert!((first - 161.14).abs() < 0.3 && (second - 161.14).abs() < 0.3, "{first} {second}");
    }
}

/// Weights 3 and 1: the first has three quarters of the link until its megabyte is through, at 80 us / 0.75; then the
/// second has it alone. All together is 160 us.
#[test]
fn weights_divide_the_link() {
    for frames in two(&Scheduling::Weighted(vec![3, 1])) {
        let [first, second] = classes(frames, [1_000_000, 1_000_000]);
        assert!((first - (80.0 / 0.75 + 1.14)).abs() < 0.5, "{first}");
        assert!((second - 161.14).abs() < 0.5, "{second}");
    }
}

/// By bytes, not by frames: frames of 100 bytes have the same share as frames of 1000 under equal weights, where they
/// would have a tenth of it in turn.
#[test]
fn weights_count_bytes() {
    let small = |scheduling: Scheduling| {
        let [frames, _] = two(&scheduling);
        let many: Vec<_> = (0..2_000).map(|_| listed("a", "c", 100)).collect();
        let groups = vec![at_once("one", many), at_once("two", vec![listed("b", "d", 2_000_000)])];
        let report = report_at(&mut flows(dumbbell(), frames, groups), at_us(10_000));
        mean(&report, "latency[one].max")
    };
    // 200 kB take 16 us alone, half of the link 32 us; a frame each in turn 2000 (8 + 80) ns = 176 us.
    let (weighted, in_turn) = (small(Scheduling::Weighted(vec![1, 1])), small(Scheduling::RoundRobin));
    assert!((weighted - 33.2).abs() < 1.5, "{weighted}");
    assert!((in_turn - 177.0).abs() < 15.0, "{in_turn}");
}
