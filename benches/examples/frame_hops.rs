//! One fabric of frames of 1000 bytes at 100 Gbit/s for a number of frame-hops: to be counted by callgrind, sampled by
//! a profiler, or run in turns with another build of itself.
//!
//! `cargo run --release -p hopscope-benches --example frame_hops -- fat-tree-1024 credits 0.5 2000000`; the network is
//! `torus-64` or `fat-tree-` with 128, 1024, 3456, 8192 or 65536 hosts, the fabric `pauses`, `flow-hash`, `dcqcn` or
//! `credits`. Events and time say whether two builds have done the same.
#![allow(clippy::print_stdout, reason = "it is a program")]

use std::sync::Arc;

use hopscope_benches::{messages, time_for};
use hopscope_fabric::Rule;
use hopscope_kernel::Simulation;
use hopscope_lossless::{
    Balancing, CreditParams, DcqcnParams, EcnParams, FlowControl, FrameParams, Lossless, LosslessParams,
    LosslessPlan,
};
use hopscope_topology::{FatTree, Grid, NetworkSpec};
use hopscope_traffic::{OfferSpec, Pattern};
use hopscope_units::{Rate, Span};

/// Events of each host before anything is measured: past the first filling of queues and memory.
const SETTLING: u64 = 300;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let asked = |at: usize, otherwise: &'static str| asked.get(at).map_or(otherwise, String::as_str);
    let (network, fabric) = (asked(0, "fat-tree-1024"), asked(1, "pauses"));
    let load = asked(2, "0.3").parse().expect("a load");
    let hops: u64 = asked(3, "1000000").parse().expect("a number of frame-hops");
    let mut simulation = begin(network, fabric, load);
    let before = simulation.events_handled();
    let took = time_for(&mut simulation, hops, Lossless::packet_hops);
    let events = simulation.events_handled() - before;
    println!(
        "{network}, {fabric}, load {load}: {:.1} ns and {:.3} events a frame-hop; {events} events, {} hops, {} ps",
        took.as_secs_f64() * 1e9 / hops as f64,
        events as f64 / hops as f64,
        simulation.model.packet_hops(),
        simulation.now().ps(),
    );
}

fn begin(network: &str, fabric: &str, load: f64) -> Simulation<Lossless> {
    let fat_tree = |radix| NetworkSpec::FatTree(FatTree { radix, ..FatTree::default() });
    let (network, rule) = match network {
        // Two lanes are what the order of dimensions needs there. Pause frames have none, and at low loads no deadlock.
        "torus-64" => {
            let rule = if fabric == "credits" { Rule::DimensionOrder } else { Rule::Shortest };
            (NetworkSpec::Torus(Grid { width: 4, servers: 0, ..Grid::default() }), rule)
        }
        "fat-tree-128" => (fat_tree(8), Rule::Shortest),
        "fat-tree-3456" => (fat_tree(24), Rule::Shortest),
        "fat-tree-8192" => (fat_tree(32), Rule::Shortest),
        "fat-tree-65536" => (fat_tree(64), Rule::Shortest),
        _ => (fat_tree(16), Rule::Shortest),
    };
    let network = network.build().expect("a network");
    let hosts = network.hosts().len() as u64;
    let frames = FrameParams { balancing: Balancing::Spray, ..FrameParams::default() };
    let frames = match fabric {
        "credits" => {
            let credits = CreditParams { lanes: 2, ..CreditParams::default() };
            FrameParams { flow_control: FlowControl::Credits(credits), ..frames }
        }
        "flow-hash" => FrameParams { balancing: Balancing::FlowHash, ..frames },
        "dcqcn" => FrameParams {
            balancing: Balancing::FlowHash,
            ecn: Some(EcnParams::default()),
            dcqcn: Some(DcqcnParams::default()),
            ..frames
        },
        _ => frames,
    };
    let mut params = LosslessParams { frames, ..LosslessParams::default() };
    params.fabric.routing.rule = rule;
    (params.fabric.link.rate, params.fabric.link.delay) = (Rate::from_mbit_s(100_000), Span::from_ns(500));
    let offer = OfferSpec::Traffic(messages(Pattern::Uniform, load));
    let plan = LosslessPlan::new(network, params, offer).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_events(SETTLING * hosts);
    simulation
}
