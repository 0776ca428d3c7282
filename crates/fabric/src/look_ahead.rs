//! Fetching states ahead of their events.
//!
//! In a large fabric nearly all of an event's cost is waiting for memory: for a port, then for the packet found there,
//! then for the switch and the output. Of a batch of events whose order is known the states can be read together, and
//! the processor waits for them side by side. Nothing depends on what is read.

use std::hint::black_box;

use hopscope_kernel::Foresight;

/// From so many slots and packets on, looking ahead in the presorted lists saves time: measured with 64 to 3,456 hosts
/// (`benches/README.md`).
const MEDIUM: usize = 8_192;

/// From so many on, sorting all events to look ahead saves more: measured with 1,024 to 65,536 hosts.
const LARGE: usize = 32_768;

/// How a machine with so many slots and packets looks ahead.
///
/// Never in a page, where such fabrics are rare: every page would carry the code.
#[inline]
#[must_use]
pub fn foresight(slots: usize, packets: usize) -> Foresight {
    match slots + packets {
        _ if cfg!(target_family = "wasm") => Foresight::Nothing,
        states if states < MEDIUM => Foresight::Nothing,
        states if states < LARGE => Foresight::Lists,
        _ => Foresight::Everything,
    }
}

/// Reads for all events what they name; of sorted events then what is found there, and what is likely to be chosen by
/// that: each round when what tells where to read is likely to have come.
#[inline]
pub fn read_in_rounds<E>(
    foresight: Foresight,
    events: impl Iterator<Item = E> + Clone,
    named: impl Fn(E) -> u64,
    found: impl Fn(E) -> u64,
    chosen: impl Fn(E) -> u64,
) {
    black_box(events.clone().fold(0, |seen, event| seen ^ named(event)));
    if foresight == Foresight::Everything {
        black_box(events.clone().fold(0, |seen, event| seen ^ found(event)));
        black_box(events.fold(0, |seen, event| seen ^ chosen(event)));
    }
}
