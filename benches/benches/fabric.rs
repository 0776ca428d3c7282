//! The fabric: the time a packet takes to cross one switch, ledger on, beside a bare event loop.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hopscope_an1::{An1, An1Params, An1Plan};
use hopscope_benches::{HeapQueue, Pattern, ProcessorTime, measured, time_for};
use hopscope_fabric::{Arbiter, Rule};
use hopscope_lossless::rate_control::{Dctcp, OwnRule};
use hopscope_lossless::{
    Balancing, CreditParams, DcqcnParams, DctcpParams, DropParams, EcnParams, FlowControl, FrameParams,
    HpccParams, Lossless, LosslessParams, LosslessPlan, PullParams, RateControlParams, RecoveryParams,
    SwiftParams, TimelyParams,
};
use hopscope_topology::{FatTree, Mstage, NetworkSpec};
use hopscope_traffic::{Load, OfferSpec, Pattern as Traffic, Sizes, TrafficSpec};
use hopscope_units::{Data, Rate, Span};

/// A network under steady traffic of 1000-byte packets.
struct Subject {
    name: &'static str,
    network: NetworkSpec,
    rule: Rule,
    pattern: Traffic,
    load: f64,
}

/// AN1's Mstage at load 0.5, and fat trees of 64, 1,024 and 65,536 hosts at load 0.3.
fn subjects() -> Vec<Subject> {
    let fat_tree = |name, radix, hosts_per_edge| Subject {
        name,
        network: NetworkSpec::FatTree(FatTree { radix, hosts_per_edge, ..FatTree::default() }),
        rule: Rule::Shortest,
        pattern: Traffic::Uniform,
        load: 0.3,
    };
    let mstage = Subject {
        name: "mstage",
        network: NetworkSpec::Mstage(Mstage::default()),
        rule: Rule::UpDown,
        pattern: Traffic::ClientServer,
        load: 0.5,
    };
    vec![
        mstage,
        fat_tree("fat tree of 64 hosts", 8, Some(2)),
        fat_tree("fat tree of 1,024 hosts", 16, None),
        fat_tree("fat tree of 65,536 hosts", 64, None),
    ]
}

/// A three-tier fat tree of 1,024 hosts with links of 100 Gbit/s and 100 m that moves frames of 1000 bytes.
fn frame_fabrics() -> Vec<(&'static str, FrameParams, f64)> {
    let pfc = FrameParams { balancing: Balancing::Spray, ..FrameParams::default() };
    let flow_hash = FrameParams { balancing: Balancing::FlowHash, ..pfc.clone() };
    let credits = CreditParams { lanes: 2, ..CreditParams::default() };
    let credits = FrameParams { flow_control: FlowControl::Credits(credits), ..pfc.clone() };
    let dcqcn = FrameParams {
        ecn: Some(EcnParams::default()),
        dcqcn: Some(DcqcnParams::default()),
        ..flow_hash.clone()
    };
    let mut all = vec![
        ("PFC, spray, load 0.3", pfc.clone(), 0.3),
        ("PFC, spray, load 0.8", pfc, 0.8),
        ("PFC, flow hash, load 0.5", flow_hash.clone(), 0.5),
        ("PFC, ECN and DCQCN, load 0.5", dcqcn, 0.5),
        ("credits, two lanes, load 0.5", credits, 0.5),
    ];
    // Every law beside the same fabric without one.
    let laws = [
        ("DCTCP", RateControlParams::Dctcp(DctcpParams::default())),
        (
            "DCTCP as a rule of one's own",
            RateControlParams::Own(OwnRule::of::<Dctcp>("own", DctcpParams::default())),
        ),
        ("TIMELY", RateControlParams::Timely(TimelyParams::default())),
        ("HPCC", RateControlParams::Hpcc(HpccParams::default())),
        ("Swift", RateControlParams::Swift(SwiftParams::default())),
        ("pulls", RateControlParams::Pull(PullParams::default())),
    ];
    let ecn = Some(EcnParams::default());
    let flow_hash = FrameParams { mtu: FRAME, ..flow_hash };
    all.push(("long messages, no law", FrameParams { ecn: ecn.clone(), ..flow_hash.clone() }, 0.5));
    for (name, law) in laws {
        let rate_control = Some(law);
        all.push((name, FrameParams { rate_control, ecn: ecn.clone(), ..flow_hash.clone() }, 0.5));
    }
    let recovery = Some(RecoveryParams::default());
    let flow_control = FlowControl::TailDrop(DropParams::default());
    all.push(("tail drop and selective repeat", FrameParams { flow_control, recovery, ..flow_hash }, 0.5));
    all
}

/// Messages of one frame of 1000 bytes, or of 64 such frames where frames are no longer: for laws to matter.
fn frame_traffic(frames: &FrameParams, load: f64) -> TrafficSpec {
    let bytes = if frames.mtu == FRAME { 64_000 } else { 1_000 };
    TrafficSpec { sizes: Sizes::Fixed(Data::from_bytes(bytes)), ..messages(Traffic::Uniform, load) }
}

/// A frame of the fabrics with laws.
const FRAME: Data = Data::from_bytes(1000);

fn frame_hops(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("frame-hop, 1,024 hosts");
    for (name, frames, load) in frame_fabrics() {
        let traffic = frame_traffic(&frames, load);
        let network = NetworkSpec::FatTree(FatTree { radix: 16, ..FatTree::default() });
        let network = network.build().expect("a network");
        let mut params = LosslessParams { frames, ..LosslessParams::default() };
        params.fabric.routing.rule = Rule::Shortest;
        (params.fabric.link.rate, params.fabric.link.delay) =
            (Rate::from_mbit_s(100_000), Span::from_ns(500));
        let offer = OfferSpec::Traffic(traffic);
        let plan = LosslessPlan::new(network, params, offer).expect("a valid scenario");
        let mut simulation = Arc::new(plan).simulation(1, ());
        simulation.run_events(500_000);
        group.bench_function(name, |bench| {
            bench.iter_custom(|hops| time_for(&mut simulation, hops, Lossless::packet_hops));
        });
    }
    group.finish();
}

/// Messages of 1000 bytes.
fn messages(pattern: Traffic, load: f64) -> TrafficSpec {
    TrafficSpec {
        pattern,
        load: Load::Fraction(load),
        sizes: Sizes::Fixed(Data::from_bytes(1000)),
        bursts: None,
        observed: Default::default(),
        arrivals: Default::default(),
    }
}

fn packet_hops(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("packet-hop");
    for subject in subjects() {
        let network = subject.network.build().expect("a network");
        let mut params = An1Params::default();
        params.fabric.routing.rule = subject.rule;
        let hosts = network.hosts().len() as u64;
        let traffic = messages(subject.pattern, subject.load);
        let plan = Arc::new(An1Plan::new(network, params, traffic).expect("a valid scenario"));
        let mut simulation = plan.simulation(1, ());
        // A few packets from every host: past the first filling of queues and memory.
        simulation.run_events(100 * hosts);
        group.bench_function(subject.name, |bench| {
            bench.iter_custom(|hops| time_for(&mut simulation, hops, An1::packet_hops));
        });
    }
    group.finish();
}

/// Pairs of arbiters on the same fabrics: the default, and `random`, which draws wherever several ask.
fn arbiters(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("arbiter");
    let pair = [("oldest", Arbiter::Oldest), ("random", Arbiter::Random)];
    for load in [0.2, 0.5] {
        for (name, arbiter) in pair {
            let mut params = An1Params::default();
            params.switch.arbiter = arbiter;
            let network = NetworkSpec::Mstage(Mstage::default()).build().expect("a network");
            let plan = An1Plan::new(network, params, messages(Traffic::ClientServer, load));
            let mut simulation = Arc::new(plan.expect("a valid scenario")).simulation(1, ());
            simulation.run_events(50_000);
            group.bench_function(BenchmarkId::new(format!("mstage, load {load}"), name), |bench| {
                bench.iter_custom(|hops| time_for(&mut simulation, hops, An1::packet_hops));
            });
        }
    }
    for (name, arbiter) in pair {
        let frames = FrameParams { balancing: Balancing::Spray, arbiter, ..FrameParams::default() };
        let network = NetworkSpec::FatTree(FatTree { radix: 8, ..FatTree::default() });
        let mut params = LosslessParams { frames, ..LosslessParams::default() };
        params.fabric.routing.rule = Rule::Shortest;
        params.fabric.link.rate = Rate::from_mbit_s(100_000);
        let offer = OfferSpec::Traffic(messages(Traffic::Uniform, 0.5));
        let plan = LosslessPlan::new(network.build().expect("a network"), params, offer);
        let mut simulation = Arc::new(plan.expect("a valid scenario")).simulation(1, ());
        simulation.run_events(50_000);
        group.bench_function(BenchmarkId::new("frames, 128 hosts, load 0.5", name), |bench| {
            bench.iter_custom(|hops| time_for(&mut simulation, hops, Lossless::packet_hops));
        });
    }
    group.finish();
}

/// The least that any simulator of packets could do: four events a hop through a binary heap, and nothing else.
fn bare_loop(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("four bare events");
    for pending in [300, 200_000] {
        group.bench_function(BenchmarkId::new("BinaryHeap", pending), |bench| {
            let mut pattern = Pattern::network();
            let mut queue: HeapQueue = pattern.fill(pending);
            bench.iter(|| (0..4).for_each(|_| _ = pattern.hold(&mut queue)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = measured(20, Duration::from_secs(2));
    targets = packet_hops, frame_hops, arbiters, bare_loop
}
criterion_main!(benches);
