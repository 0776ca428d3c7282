//! Fetching states ahead of their events.
//!
//! In a large fabric nearly all of an event's cost is waiting for memory: for a port, then for the packet found there,
//! then for the switch and the output. Of a batch of events whose order is known the states can be read together, and
//! the processor waits for them side by side. Nothing depends on what is read.

use hopscope_kernel::Foresight;
use prefetch_index::prefetch_index;

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

/// Asks for what all events name; of sorted events then for what is found there, and for what is likely to be chosen by
/// that: each round when what tells where to look is likely to have come.
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

/// Asks the processor for the cache line in which a state begins. Nothing waits for it, as it would for a state that is
/// read: a processor looks only some hundred instructions beyond a read that has to wait.
#[inline(always)]
pub fn prefetch<T>(state: &T) {
    prefetch_index(std::slice::from_ref(state), 0);
}
