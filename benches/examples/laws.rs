//! What every law of rates and windows costs, as a ratio to the same fabric without one. The fabrics take turns, so
//! that other work on the machine slows all of them alike; of each the median turn counts.
//!
//! `cargo run --release -p hopscope-benches --example laws`, or with the names of some laws.
#![allow(clippy::print_stdout, reason = "it is a program")]

use hopscope_benches::{frame_fabric, laws, time_for};
use hopscope_lossless::Lossless;

/// How often each fabric has its turn.
const TURNS: usize = 21;

/// Frame-hops of a turn.
const HOPS: u64 = 100_000;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |at: usize, name: &str| at == 0 || asked.is_empty() || asked.iter().any(|law| law == name);
    let mut fabrics: Vec<_> = laws()
        .into_iter()
        .enumerate()
        .filter(|(at, (name, _))| is_asked(*at, name))
        .map(|(_, (name, frames))| (name, frame_fabric(frames, 0.5), Vec::new()))
        .collect();
    for _ in 0..TURNS {
        for (_, simulation, turns) in &mut fabrics {
            turns.push(time_for(simulation, HOPS, Lossless::packet_hops).as_secs_f64());
        }
    }
    let mut medians = fabrics.into_iter().map(|(name, _, mut turns)| {
        turns.sort_by(f64::total_cmp);
        (name, turns[TURNS / 2] / HOPS as f64 * 1e9)
    });
    let (name, without) = medians.next().expect("the fabric without a law comes first");
    println!("{name}: {without:.0} ns a frame-hop");
    for (name, with) in medians {
        println!(
            "{name}: {with:.0} ns a frame-hop, {:.0} % of the frame-hops without",
            100.0 * without / with
        );
    }
}
