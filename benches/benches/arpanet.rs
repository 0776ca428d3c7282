//! The ARPANET: the time a packet takes to go from one IMP to the next, ledger on, and ten minutes of the paper's
//! experiment.

use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use hopscope_arpanet::{
    ArpanetParams, ArpanetPlan, BackgroundParams, FlowParams, HostParams, LineParams, Subnet, When,
};
use hopscope_benches::{ProcessorTime, measured, time_for};
use hopscope_units::{Data, Rate, Span, Time};

/// A ring of IMPs with a chord from each to the one a third of the ring further: lines enough for routes to matter.
fn ring(imps: usize) -> ArpanetParams {
    let name = |imp: usize| format!("imp{}", imp % imps);
    let line = |a: usize, b: usize| LineParams {
        between: [name(a), name(b)],
        rate: Rate::from_bit_s(50_000),
        delay: Span::from_ms(2),
    };
    let mut params = ArpanetParams::default();
    params.network.line = (0..imps).map(|imp| line(imp, imp + 1)).collect();
    params.network.line.extend((0..imps).step_by(8).map(|imp| line(imp, imp + imps / 3)));
    params
}

/// UCLA's PDP-11 of the paper sends full messages as fast as the network takes them.
fn experiment(hops: usize) -> ArpanetParams {
    let mut params = ring(48);
    params.host = vec![HostParams {
        name: "PDP-11".into(),
        imp: "imp1".into(),
        rate: Rate::from_bit_s(100_000),
        per_message: Span::ZERO,
        per_message_sent: Span::ZERO,
        silent: Vec::new(),
    }];
    params.flow = vec![FlowParams {
        from: "PDP-11".into(),
        to: format!("imp{}", 1 + hops),
        size: Data::from_bits(8063),
        when: When::Saturated,
        phase: None,
        class: "message".into(),
    }];
    params.duration = Some(Span::from_s(1_000_000));
    params
}

fn with_others(gap: Span) -> ArpanetParams {
    let mut params = experiment(5);
    params.background = Some(BackgroundParams {
        gap,
        except: Vec::new(),
        size: Data::from_bits(250),
        long_size: Data::from_bits(8063),
        long_share: 0.015,
    });
    params
}

fn packet_hops(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("packet-hop");
    for (name, gap) in [("busy net", Span::from_ms(400)), ("quiet net", Span::from_ms(1280))] {
        let plan = Arc::new(ArpanetPlan::new(with_others(gap)).expect("a valid scenario"));
        let mut simulation = plan.simulation(1, ());
        simulation.run_events(100_000);
        group.bench_function(name, |bench| {
            bench.iter_custom(|hops| time_for(&mut simulation, hops, Subnet::packet_hops));
        });
    }
    group.finish();
}

/// Ten minutes to one destination over an idle net: most of the work is in routing messages.
fn ten_minutes(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("ten minutes");
    for hops in [1, 5, 8] {
        let plan = Arc::new(ArpanetPlan::new(experiment(hops)).expect("a valid scenario"));
        group.bench_function(BenchmarkId::new("hops", hops), |bench| {
            bench.iter_batched(
                || plan.simulation(1, ()),
                |mut simulation| {
                    while simulation.now() < Time::ZERO + Span::from_s(600) {
                        simulation.run_events(1000);
                    }
                    simulation
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = measured(10, Duration::from_secs(2));
    targets = packet_hops, ten_minutes
}
criterion_main!(benches);
