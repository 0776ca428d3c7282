//! The same rule as one of hopscope's and as one of one's own, to be counted by callgrind: other work on the machine
//! does not move instructions.
//!
//! `valgrind --tool=callgrind target/release/examples/own_rule builtin`, then `own`, then `none`.
#![allow(clippy::print_stdout, reason = "it is a program")]

use std::sync::Arc;

use hopscope_fabric::Rule;
use hopscope_lossless::rate_control::{Dctcp, OwnRule};
use hopscope_lossless::{
    DctcpParams, EcnParams, FrameParams, LosslessParams, LosslessPlan, RateControlParams,
};
use hopscope_topology::{FatTree, NetworkSpec};
use hopscope_traffic::{Load, OfferSpec, Pattern, Sizes, TrafficSpec};
use hopscope_units::{Data, Rate};

/// Events of a run: about 60,000 frame-hops.
const EVENTS: u64 = 200_000;

fn main() {
    let dctcp = DctcpParams::default();
    let rate_control = match std::env::args().nth(1).as_deref() {
        Some("builtin") => Some(RateControlParams::Dctcp(dctcp)),
        Some("own") => Some(RateControlParams::Own(OwnRule::of::<Dctcp>("own", dctcp))),
        _ => None,
    };
    let frame = Data::from_bytes(1000);
    let frames =
        FrameParams { mtu: frame, rate_control, ecn: Some(EcnParams::default()), ..FrameParams::default() };
    let mut params = LosslessParams { frames, ..LosslessParams::default() };
    params.fabric.routing.rule = Rule::Shortest;
    params.fabric.link.rate = Rate::from_mbit_s(100_000);
    let traffic = TrafficSpec {
        pattern: Pattern::Uniform,
        load: Load::Fraction(0.5),
        sizes: Sizes::Fixed(Data::from_bytes(64_000)),
        bursts: None,
        observed: Default::default(),
        arrivals: Default::default(),
    };
    let network =
        NetworkSpec::FatTree(FatTree { radix: 8, ..FatTree::default() }).build().expect("a network");
    let plan = LosslessPlan::new(network, params, OfferSpec::Traffic(traffic)).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_events(EVENTS);
    println!("{} frame-hops", simulation.model.packet_hops());
}
