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
