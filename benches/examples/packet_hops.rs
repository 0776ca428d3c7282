//! The time of a packet-hop on one of AN1's fabrics, to be run in turns with an older build, or counted by callgrind.
//!
//! `target/release/examples/packet_hops "fat tree of 64 hosts" 1000000`; without arguments it lists the fabrics. Runs
//! of which the last line is the same have handled the same events.
#![allow(clippy::print_stdout, reason = "it is a program")]

use hopscope_an1::An1;
use hopscope_benches::{subjects, time_for};

/// The packet-hops are measured in this number of parts, of which the quickest counts: other work on the machine only
/// adds.
const PARTS: u64 = 5;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let subject =
        subjects().into_iter().find(|subject| asked.first().is_some_and(|name| name == subject.name));
    let Some(subject) = subject else {
        subjects().iter().for_each(|subject| println!("{}", subject.name));
        return;
    };
    let hops = asked.get(1).and_then(|hops| hops.parse().ok()).unwrap_or(1_000_000);
    let mut simulation = subject.simulation();
    let part = (hops / PARTS).max(1);
    let times = (0..PARTS).map(|_| time_for(&mut simulation, part, An1::packet_hops));
    let least = times.min().expect("there are parts");
    println!("{}: {:.1} ns a packet-hop", subject.name, least.as_nanos() as f64 / part as f64);
    println!("{} events until {} ps", simulation.events_handled(), simulation.now().ps());
}
