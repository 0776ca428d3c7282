//! Fetching states ahead of their events.
//!
//! In a large fabric nearly all of an event's cost is waiting for memory: for a port, then for the packet found there,
//! then for the switch and the output. Of a batch of events whose order is known the states can be read together, and
//! the processor waits for them side by side. Nothing depends on what is read.

use std::hint::black_box;

/// From so many slots and packets on, looking ahead saves more time than it takes: measured in fat trees of 1,024 to
/// 8,192 hosts (`benches/README.md`).
const LARGE: usize = 32_768;

/// Whether the states of so many slots and packets do not stay in a processor's own cache, so that looking ahead pays.
/// Never in a page, where such fabrics are rare: every page would carry the code.
#[inline]
#[must_use]
pub fn is_large(slots: usize, packets: usize) -> bool {
    !cfg!(target_family = "wasm") && slots + packets >= LARGE
}

/// Reads for all events what they name, then what is found there, then what is likely to be chosen by that: each round
/// when what tells where to read is likely to have come.
#[inline]
pub fn read_in_rounds<E>(
    events: impl Iterator<Item = E> + Clone,
    named: impl Fn(E) -> u64,
    found: impl Fn(E) -> u64,
    chosen: impl Fn(E) -> u64,
) {
    let named = events.clone().fold(0, |seen, event| seen ^ named(event));
    let found = events.clone().fold(0, |seen, event| seen ^ found(event));
    let chosen = events.fold(0, |seen, event| seen ^ chosen(event));
    black_box(named ^ found ^ chosen);
}
