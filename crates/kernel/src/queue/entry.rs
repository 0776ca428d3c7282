//! An event with its place in the canonical order.

use core::cmp::Ordering;

/// An event and its place in the canonical order.
#[derive(Clone, Copy)]
pub(super) struct Entry<E> {
    pub time: u64,
    pub order: u64,
    pub event: E,
}

impl<E> Entry<E> {
    #[inline]
    pub fn key(&self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.order)
    }

    /// Becomes another entry, word by word: its words are in registers, and a copy of the whole would wait until they
    /// are in memory.
    #[inline]
    pub fn set(&mut self, to: Self) {
        self.time = to.time;
        self.order = to.order;
        self.event = to.event;
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}
