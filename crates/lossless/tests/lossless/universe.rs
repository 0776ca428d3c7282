//! Networks, parameters and runs that the tests of frames share.

use std::sync::Arc;

use hopscope_fabric::Rule;
use hopscope_kernel::Simulation;
use hopscope_lossless::{
    BufferParams, CreditParams, FlowControl, FrameParams, Lossless, LosslessParams, LosslessPlan, PfcParams,
};
use hopscope_measure::{JourneyRow, Report, Subject};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::flows::{FlowGroup, FlowList, FlowPattern, ListedFlow};
use hopscope_traffic::{Load, OfferSpec, Sizes, TrafficSpec};
use hopscope_units::{Data, Rate, Span, Time};

use crate::networks::report_after;

/// Frames of 1000 bytes at 80 ns each on links of 100 Gbit/s, with 100 ns a cable and 300 ns a switch.
pub fn fabric(frames: FrameParams) -> LosslessParams {
    let mut params = LosslessParams { frames, ..LosslessParams::default() };
    params.fabric.routing.rule = Rule::Shortest;
    (params.fabric.link.rate, params.fabric.link.delay) = (Rate::from_mbit_s(100_000), Span::from_ns(100));
    params
}

pub fn frames() -> FrameParams {
    FrameParams { mtu: Data::from_bytes(1000), latency: Span::from_ns(300), ..FrameParams::default() }
}

/// Buffers that never stop anybody.
pub fn boundless() -> FrameParams {
    let pfc = PfcParams { xoff: Data::from_bytes(30_000_000), ..PfcParams::default() };
    let buffer = BufferParams { size: Data::from_bytes(1 << 30), alpha: None };
    FrameParams { flow_control: FlowControl::Pfc(pfc), buffer, ..frames() }
}

pub fn credits(lanes: u8, frames_a_lane: u64) -> FrameParams {
    let buffer_per_lane = Data::from_bytes(1000 * frames_a_lane);
    FrameParams { flow_control: FlowControl::Credits(CreditParams { lanes, buffer_per_lane }), ..frames() }
}

pub fn priorities(priorities: u8) -> FrameParams {
    FrameParams {
        flow_control: FlowControl::Pfc(PfcParams { priorities, ..PfcParams::default() }),
        ..frames()
    }
}

/// Switches x and y; a and b on x; c, d, e and f on y.
pub fn dumbbell() -> Network {
    let mut builder = NetworkBuilder::new();
    let (x, y) = (builder.add_switch("x"), builder.add_switch("y"));
    builder.add_link(x, y, None, None);
    for (name, switch) in [("a", x), ("b", x), ("c", y), ("d", y), ("e", y), ("f", y)] {
        builder.add_host(name, switch, Role::Any);
    }
    builder.build().expect("two switches are a network")
}

/// One flow of a list.
pub fn listed(from: &str, to: &str, bytes: u64) -> ListedFlow {
    let (from, to, size) = (from.to_owned(), to.to_owned(), Data::from_bytes(bytes));
    ListedFlow { from, to, size, start: Span::ZERO, name: None, after: Vec::new(), after_any: None }
}

/// A group of its own.
pub fn group(name: &str, pattern: FlowPattern) -> FlowGroup {
    FlowGroup {
        name: Some(name.to_owned()),
        pattern,
        hosts: Default::default(),
        start: Span::ZERO,
        rounds: 1,
        every: None,
        pause: Span::ZERO,
    }
}

/// A group of flows that begin at once.
pub fn at_once(name: &str, flows: Vec<ListedFlow>) -> FlowGroup {
    group(name, FlowPattern::List(FlowList { path: None, flows }))
}

/// Messages of this many bytes, always one more, or a load.
pub fn messages(bytes: u64, load: Load) -> TrafficSpec {
    let (pattern, arrivals, observed) = Default::default();
    TrafficSpec {
        pattern,
        load,
        sizes: Sizes::Fixed(Data::from_bytes(bytes)),
        arrivals,
        bursts: None,
        observed,
    }
}

pub fn plan(network: Network, params: LosslessParams, traffic: TrafficSpec) -> Arc<LosslessPlan> {
    Arc::new(LosslessPlan::new(network, params, OfferSpec::Traffic(traffic)).expect("a valid scenario"))
}

/// A run of these flows.
pub fn flows(network: Network, frames: FrameParams, groups: Vec<FlowGroup>) -> Simulation<Lossless> {
    let plan =
        LosslessPlan::new(network, fabric(frames), OfferSpec::Flows(groups)).expect("a valid scenario");
    Arc::new(plan).simulation(1, ())
}

pub fn at_us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// The report at the end of a run, or of this much of it.
pub fn report_at(simulation: &mut Simulation<Lossless>, until: Time) -> Report {
    simulation.run_until(until);
    let now = simulation.now();
    simulation.model.report(now)
}

/// Runs messages for a number of events after a fifth as many of warm-up.
pub fn run(network: Network, params: LosslessParams, traffic: &TrafficSpec, events: u64) -> Report {
    report_after(plan(network, params, traffic.clone()).simulation(1, ()), events)
}

/// The lives of the flows that arrived: from, to in nanoseconds and the place of every stage that took time.
pub fn ladder(report: &Report) -> String {
    let ns = |ps: u64| ps as f64 * 1e-3;
    let row = |row: JourneyRow<'_>| {
        let (from, to) = (ns(row.from_ps), ns(row.to_ps));
        format!("{} {from:6.0} .. {to:6.0}  {:<12} {}\n", row.message, row.stage, row.place)
    };
    report.journeys.iter().map(row).collect()
}
