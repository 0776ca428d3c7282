//! Fabrics of frames, with and without a law of rates and windows.

use std::sync::Arc;

use hopscope_fabric::Rule;
use hopscope_kernel::Simulation;
use hopscope_lossless::rate_control::{Dctcp, OwnRule};
use hopscope_lossless::{
    Balancing, CreditParams, DcqcnParams, DctcpParams, DropParams, EcnParams, FlowControl, FrameParams,
    HpccParams, Lossless, LosslessParams, LosslessPlan, NsccParams, PullParams, RateControlParams,
    RecoveryParams, SwiftParams, TimelyParams,
};
use hopscope_topology::{FatTree, NetworkSpec};
use hopscope_traffic::{Load, OfferSpec, Pattern, Sizes, TrafficSpec};
use hopscope_units::{Data, Rate, Span};

/// A frame of the fabrics with laws.
const FRAME: Data = Data::from_bytes(1000);

/// Kinds of flow control and loads, in messages of one frame.
#[must_use]
pub fn without_laws() -> Vec<(&'static str, FrameParams, f64)> {
    let pfc = FrameParams { balancing: Balancing::Spray, ..FrameParams::default() };
    let flow_hash = FrameParams { balancing: Balancing::FlowHash, ..pfc.clone() };
    let credits = CreditParams { lanes: 2, ..CreditParams::default() };
    let credits = FrameParams { flow_control: FlowControl::Credits(credits), ..pfc.clone() };
    let dcqcn = FrameParams {
        ecn: Some(EcnParams::default()),
        dcqcn: Some(DcqcnParams::default()),
        ..flow_hash.clone()
    };
    vec![
        ("PFC, spray, load 0.3", pfc.clone(), 0.3),
        ("PFC, spray, load 0.8", pfc, 0.8),
        ("PFC, flow hash, load 0.5", flow_hash, 0.5),
        ("PFC, ECN and DCQCN, load 0.5", dcqcn, 0.5),
        ("credits, two lanes, load 0.5", credits, 0.5),
    ]
}

/// Every law beside the same fabric without one, which comes first; for load 0.5, in messages of 64 frames.
#[must_use]
pub fn laws() -> Vec<(&'static str, FrameParams)> {
    let laws = [
        ("DCTCP", RateControlParams::Dctcp(DctcpParams::default())),
        (
            "DCTCP as a rule of one's own",
            RateControlParams::Own(OwnRule::of::<Dctcp>("own", DctcpParams::default())),
        ),
        ("TIMELY", RateControlParams::Timely(TimelyParams::default())),
        ("HPCC", RateControlParams::Hpcc(HpccParams::default())),
        ("Swift", RateControlParams::Swift(SwiftParams::default())),
        ("NSCC", RateControlParams::Nscc(NsccParams::default())),
        ("pulls", RateControlParams::Pull(PullParams::default())),
    ];
    let none = FrameParams { balancing: Balancing::FlowHash, mtu: FRAME, ..FrameParams::default() };
    let marking = FrameParams { ecn: Some(EcnParams::default()), ..none.clone() };
    let with = |law| FrameParams { rate_control: Some(law), ..marking.clone() };
    let mut all = vec![("long messages, no law", marking.clone())];
    all.extend(laws.map(|(name, law)| (name, with(law))));
    let dcqcn = FrameParams { dcqcn: Some(DcqcnParams::default()), ..marking.clone() };
    all.push(("DCQCN", dcqcn));
    let (recovery, flow_control) =
        (Some(RecoveryParams::default()), FlowControl::TailDrop(DropParams::default()));
    all.push(("tail drop and selective repeat", FrameParams { flow_control, recovery, ..none }));
    all
}

/// A three-tier fat tree of 1,024 hosts with links of 100 Gbit/s and 100 m that moves frames of 1000 bytes, past its
/// first half a million events. Messages are of one frame, or of 64 where frames are no longer: for laws to matter.
///
/// # Panics
/// Never: the scenario is valid.
#[must_use]
pub fn frame_fabric(frames: FrameParams, load: f64) -> Simulation<Lossless> {
    let bytes = if frames.mtu == FRAME { 64_000 } else { 1_000 };
    let traffic =
        TrafficSpec { sizes: Sizes::Fixed(Data::from_bytes(bytes)), ..messages(Pattern::Uniform, load) };
    let network = NetworkSpec::FatTree(FatTree { radix: 16, ..FatTree::default() });
    let network = network.build().expect("a network");
    let mut params = LosslessParams { frames, ..LosslessParams::default() };
    params.fabric.routing.rule = Rule::Shortest;
    (params.fabric.link.rate, params.fabric.link.delay) = (Rate::from_mbit_s(100_000), Span::from_ns(500));
    let plan = LosslessPlan::new(network, params, OfferSpec::Traffic(traffic)).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_events(500_000);
    simulation
}

/// Messages of 1000 bytes.
#[must_use]
pub fn messages(pattern: Pattern, load: f64) -> TrafficSpec {
    TrafficSpec {
        pattern,
        load: Load::Fraction(load),
        sizes: Sizes::Fixed(Data::from_bytes(1000)),
        bursts: None,
        observed: Default::default(),
        arrivals: Default::default(),
    }
}
