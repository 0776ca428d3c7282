//! A fabric under one arbiter, to be counted by callgrind: other work on the machine does not move instructions.
//!
//! `valgrind --tool=callgrind target/release/examples/arbiters frames oldest`; the fabric is `frames` or `mstage`, the
//! arbiter `oldest`, `random`, `round-robin` or `lowest`.
#![allow(clippy::print_stdout, reason = "it is a program")]

use hopscope_an1::An1;
use hopscope_benches::arbiters::{frames, mstage};
use hopscope_fabric::Arbiter;
use hopscope_kernel::{Model, Simulation};
use hopscope_lossless::Lossless;

/// Packet-hops of a run beyond those until it has settled.
const HOPS: u64 = 200_000;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let arbiter = match asked.get(1).map(String::as_str) {
        Some("random") => Arbiter::Random,
        Some("round-robin") => Arbiter::RoundRobin,
        Some("lowest") => Arbiter::Lowest,
        _ => Arbiter::Oldest,
    };
    let hops = if asked.first().is_some_and(|fabric| fabric == "frames") {
        run(frames(arbiter, 0.5), Lossless::packet_hops)
    } else {
        run(mstage(arbiter, 0.5), An1::packet_hops)
    };
    println!("{hops} packet-hops");
}

fn run<M: Model>(mut simulation: Simulation<M>, hops: impl Fn(&M) -> u64) -> u64 {
    while hops(&simulation.model) < HOPS {
        simulation.run_events(1_000);
    }
    hops(&simulation.model)
}
