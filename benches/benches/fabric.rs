//! The fabric: the time a packet takes to cross one switch, ledger on, beside a bare event loop.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hopscope_an1::{An1, An1Params, An1Plan};
use hopscope_benches::{
    HeapQueue, Pattern, ProcessorTime, arbiters, frame_fabric, laws, measured, messages, time_for,
    without_laws,
};
use hopscope_fabric::{Arbiter, Rule};
use hopscope_lossless::Lossless;
use hopscope_topology::{FatTree, Mstage, NetworkSpec};
use hopscope_traffic::Pattern as Traffic;

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

fn frame_hops(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("frame-hop, 1,024 hosts");
    let fabrics =
        without_laws().into_iter().chain(laws().into_iter().map(|(name, frames)| (name, frames, 0.5)));
    for (name, frames, load) in fabrics {
        let mut simulation = frame_fabric(frames, load);
        group.bench_function(name, |bench| {
            bench.iter_custom(|hops| time_for(&mut simulation, hops, Lossless::packet_hops));
        });
    }
    group.finish();
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
fn by_arbiter(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("arbiter");
    let pair = [("oldest", Arbiter::Oldest), ("random", Arbiter::Random)];
    for (name, arbiter) in pair {
        for load in [0.2, 0.5] {
            let mut simulation = arbiters::mstage(arbiter, load);
            group.bench_function(BenchmarkId::new(format!("mstage, load {load}"), name), |bench| {
                bench.iter_custom(|hops| time_for(&mut simulation, hops, An1::packet_hops));
            });
        }
        let mut simulation = arbiters::frames(arbiter, 0.5);
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
    targets = packet_hops, frame_hops, by_arbiter, bare_loop
}
criterion_main!(benches);
