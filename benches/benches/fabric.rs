//! The fabric: the time a packet takes to cross one switch, ledger on, beside a bare event loop.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hopscope_an1::An1;
use hopscope_benches::{
    HeapQueue, Pattern, ProcessorTime, arbiters, frame_fabric, laws, measured, subjects, time_for,
    without_laws,
};
use hopscope_fabric::Arbiter;
use hopscope_lossless::Lossless;

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
        let mut simulation = subject.simulation();
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
