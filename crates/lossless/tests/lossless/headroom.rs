//! Headroom over everything that a scenario accepts: no frame is lost, whatever the link, the frames and the buffer.

use std::sync::Arc;

use hopscope_lossless::{BufferParams, FlowControl, FrameParams, LosslessParams, LosslessPlan, PfcParams};
use hopscope_measure::Problem;
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::OfferSpec;
use hopscope_traffic::flows::FlowGroup;
use hopscope_units::{Data, Rate, Span};
use proptest::prelude::*;

use crate::universe::{at_once, fabric, listed};

/// Any magnitude up to this one, each as likely as any other.
fn magnitude(most: u64) -> impl Strategy<Value = u64> {
    (0..=most.ilog2(), 0.0..1.0f64).prop_map(move |(bits, within)| {
        let least = 1u64 << bits;
        (least + (least as f64 * within) as u64).min(most)
    })
}

/// Three switches in a row, with two hosts at either end: pauses go both ways over both links.
fn row() -> Network {
    let mut builder = NetworkBuilder::new();
    let switches = ["x", "y", "z"].map(|name| builder.add_switch(name));
    builder.add_link(switches[0], switches[1], None, None);
    builder.add_link(switches[1], switches[2], None, None);
    for (name, switch) in [("a", 0), ("b", 0), ("c", 2), ("d", 2), ("e", 1)] {
        builder.add_host(name, switches[switch], Role::Any);
    }
    builder.build().expect("a row is a network")
}

/// Flows of every priority both ways, which meet at hosts.
fn crowd(priorities: u8, bytes: u64) -> Vec<FlowGroup> {
    let pairs = [("a", "c"), ("b", "c"), ("e", "c"), ("c", "a"), ("d", "a"), ("e", "a")];
    let of_priority = |priority: u8| {
        let flows = pairs.map(|(from, to)| listed(from, to, bytes));
        at_once(&format!("priority {priority}"), flows.to_vec())
    };
    (0..priorities).map(of_priority).collect()
}

/// The fabric, with the least buffer that it is accepted with where it needs more than it was given.
fn plan(mut params: LosslessParams, groups: &[FlowGroup]) -> Result<LosslessPlan, Vec<Problem>> {
    let on =
        |params: &LosslessParams| LosslessPlan::new(row(), params.clone(), OfferSpec::Flows(groups.to_vec()));
    let refused = match on(&params) {
        Ok(plan) => return Ok(plan),
        Err(problems) => problems,
    };
    let [Problem { path, expected, .. }] = &refused[..] else { return Err(refused) };
    let bytes = expected.strip_prefix("at least ").and_then(|text| text.strip_suffix(" B"));
    match bytes.and_then(|text| text.parse().ok()).filter(|_| path == "frames.buffer.size") {
        Some(bytes) => {
            params.frames.buffer.size = Data::from_bytes(bytes);
            on(&params)
        }
        None => Err(refused),
    }
}

/// Runs it; the machine asserts that no headroom overflows, and at the end nothing is left.
fn run(plan: LosslessPlan, events: u64) -> Result<(), TestCaseError> {
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.model.run_out();
    if simulation.run_events(events) < events {
        prop_assert_eq!(simulation.model.buffered_bits(), 0);
        prop_assert_eq!(simulation.model.frames_in_flight().0, 0);
    }
    Ok(())
}

/// Small frames, thresholds that every frame crosses, and a shared buffer: pauses end and begin again before the first
/// pause frame has gone.
#[test]
fn pauses_that_follow_each_other_at_once_lose_nothing() {
    let pfc = PfcParams { xoff: Data::from_bytes(64), xon: Some(Data::ZERO), priorities: 1, headroom: None };
    let frames = FrameParams {
        mtu: Data::from_bytes(64),
        flow_control: FlowControl::Pfc(pfc),
        buffer: BufferParams { size: Data::from_bytes(100_000), alpha: Some(0.5) },
        ..FrameParams::default()
    };
    let plan = plan(fabric(frames), &crowd(1, 100_000)).expect("a valid scenario");
    run(plan, 2_000_000).expect("nothing is lost");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_frame_is_lost_over_the_accepted_range(
        mtu in magnitude(65_536 * 8), kbit_s in magnitude(4_000_000_000), delay_ps in magnitude(1_000_000_000_000),
        latency_ps in magnitude(1_000_000_000_000), priorities in 1u8..=8, xoff in magnitude(1 << 33),
        below in 0.0..=1.0f64, alpha in prop::option::of((-4.0..1.8f64).prop_map(|power| 10f64.powf(power))),
        size in magnitude(1 << 33), short in any::<bool>(),
    ) {
        // Half of the links are short, as in a fabric: pauses are then told as fast as they change.
        let shorten = |ps: u64| if short { ps % 1_000_000 } else { ps };
        let xoff = Data::from_bits(xoff);
        let xon = Data::from_bits((xoff.bits() as f64 * below) as u64);
        let pfc = PfcParams { xoff, xon: Some(xon.min(xoff)), priorities, headroom: None };
        let frames = FrameParams {
            mtu: Data::from_bits(mtu),
            latency: Span::from_ps(shorten(latency_ps)),
            flow_control: FlowControl::Pfc(pfc),
            buffer: BufferParams { size: Data::from_bits(size), alpha },
            ..FrameParams::default()
        };
        let mut params = fabric(frames);
        params.fabric.link.rate = Rate::from_bit_s(kbit_s * 1_000);
        params.fabric.link.delay = Span::from_ps(shorten(delay_ps));
        // Some hundred frames each, whatever their length.
        let groups = crowd(priorities, (mtu * 300 / 8).clamp(1_000, 1 << 30));
        // What needs more than the largest buffer stays refused.
        prop_assume!(plan(params.clone(), &groups).is_ok());
        run(plan(params, &groups).expect("asked before"), 300_000)?;
    }
}
