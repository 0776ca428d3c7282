//! Fetching states ahead of their events.
//!
//! In a large fabric nearly all of an event's cost is waiting for memory: for a port, then for the packet found there,
//! then for the switch and the output. Of a batch of events whose order is known the states can be read together, and
//! the processor waits for them side by side. Nothing depends on what is read.

use std::hint::black_box;

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
