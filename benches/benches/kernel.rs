//! The event queue: the time to pop one event and schedule another, beside a binary heap that does the same.

use std::time::Duration;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hopscope_benches::{HeapQueue, Pattern, Payload, Pending, ProcessorTime, measured};
use hopscope_kernel::EventQueue;

fn measure<Q: Pending>(
    group: &mut BenchmarkGroup<ProcessorTime>,
    name: &str,
    pending: usize,
    pattern: fn() -> Pattern,
) {
    group.bench_function(BenchmarkId::new(name, pending), |bench| {
        let mut pattern = pattern();
        let mut queue: Q = pattern.fill(pending);
        // Past the memory of the first filling.
        (0..pending).for_each(|_| _ = pattern.hold(&mut queue));
        bench.iter(|| pattern.hold(&mut queue));
    });
}

fn compare(criterion: &mut Criterion<ProcessorTime>, name: &str, sizes: &[usize], pattern: fn() -> Pattern) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(1));
    for &pending in sizes {
        measure::<EventQueue<Payload>>(&mut group, "EventQueue", pending, pattern);
        measure::<HeapQueue>(&mut group, "BinaryHeap", pending, pattern);
    }
    group.finish();
}

fn kernel(criterion: &mut Criterion<ProcessorTime>) {
    compare(criterion, "hold", &[100, 1_000, 10_000, 100_000, 1_000_000], Pattern::exponential);
    compare(criterion, "network", &[100, 1_000, 10_000], Pattern::network);
}

criterion_group! {
    name = benches;
    config = measured(20, Duration::from_secs(1));
    targets = kernel
}
criterion_main!(benches);
