//! Fetching states ahead of their events.
//!
//! In a large fabric nearly all of an event's cost is waiting for memory: for a port, then for the packet found there,
//! then for the switch and the output. The states of a batch of events whose order is known can be fetched together, so
//! that the processor waits for them in parallel. No result depends on what is fetched.

use hopscope_kernel::Foresight;
use prefetch_index::prefetch_index;

/// From this number of slots and packets on, looking ahead in the presorted lists saves time: measured with 64 to 3,456
/// hosts (`benches/README.md`).
const MEDIUM: usize = 8_192;

/// From this number of slots and packets on, sorting all events to look ahead saves more: measured with 1,024 to 65,536
/// hosts.
const LARGE: usize = 32_768;

/// How a machine with this number of slots and packets looks ahead.
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

/// Prefetches the states that all events name; for sorted events then the states found there, and those likely to be
/// chosen next: each round when the addresses it needs are likely to have arrived.
#[inline]
pub fn fetch_in_rounds<E>(
    foresight: Foresight,
    events: impl Iterator<Item = E> + Clone,
    named: impl Fn(E),
    found: impl Fn(E),
    chosen: impl Fn(E),
) {
    events.clone().for_each(named);
    if foresight == Foresight::Everything {
        events.clone().for_each(found);
        events.for_each(chosen);
    }
}

/// Prefetches the cache line in which a state begins. Nothing waits for it, as it would for a read: a processor
/// executes only some hundred instructions beyond a read that waits for memory.
#[inline(always)]
pub fn prefetch<T>(state: &T) {
    prefetch_index(std::slice::from_ref(state), 0);
}
