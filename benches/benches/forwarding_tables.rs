//! Forwarding tables of a three-tier fat tree of 320 switches and 1,024 hosts: reading the fabric, computing its
//! tables, checking them and writing them.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use hopscope_benches::{ProcessorTime, measured};
use hopscope_formats::fabric::ibnetdiscover;
use hopscope_formats::tables::Lfts;
use hopscope_formats::{CabledNetwork, LinkDefaults, WrittenForm, write_fabric};
use hopscope_topology::{
    DestinationTables, FatTree, NetworkSpec, TableCheck, TableEngine, ports_to_switches,
};
use hopscope_units::{Rate, Span};

fn fat_tree() -> CabledNetwork {
    let spec = NetworkSpec::FatTree(FatTree { radix: 16, ..FatTree::default() });
    CabledNetwork::numbered(spec.build().expect("a network"))
}

fn forwarding_tables(criterion: &mut Criterion<ProcessorTime>) {
    let fabric = fat_tree();
    let links = LinkDefaults { rate: Rate::from_mbit_s(100_000), delay: Span::from_ns(50) };
    let text = write_fabric(&fabric, WrittenForm::Discovered, links).expect("plain names");
    let mut group = criterion.benchmark_group("320 switches, 1,024 hosts");
    group.bench_function("read", |bench| bench.iter(|| ibnetdiscover::read(&text).expect("a fabric")));
    let network = &fabric.network;
    let engines = [("up-down", TableEngine::UpDown { roots: Vec::new() }), ("d-mod-k", TableEngine::DModK)];
    for (name, engine) in engines {
        let compute = || DestinationTables::compute(network, &engine).expect("an engine for a tree");
        group.bench_function(format!("compute {name}"), |bench| bench.iter(compute));
        let tables = compute();
        group.bench_function(format!("check {name}"), |bench| {
            bench.iter(|| TableCheck::new(network, &tables, &[]));
        });
        let to_switches = ports_to_switches(network, &engine).expect("ports");
        group.bench_function(format!("write {name}"), |bench| {
            let mut lfts = Lfts::new(fabric.clone(), tables.clone(), to_switches.clone()).expect("few nodes");
            bench.iter(|| (0..lfts.switch_count()).map(|switch| lfts.section(switch).len()).sum::<usize>());
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = measured(10, Duration::from_secs(2));
    targets = forwarding_tables
}
criterion_main!(benches);
