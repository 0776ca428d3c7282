//! The canonical order among events of one instant.

use core::fmt;

/// The canonical order among events of one instant: by source, then by count.
///
/// A model numbers its sources (of a network: node-major, then port), and each source counts the events it schedules.
/// The order of simultaneous events is then part of the model, the same whatever queue, machine or thread runs it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(u64);

impl Order {
    /// The order of an event of this source and count.
    #[inline]
    #[must_use]
    pub const fn new(source: u32, count: u32) -> Self {
        Self((source as u64) << 32 | count as u64)
    }

    /// The source, by which simultaneous events are ordered first.
    #[inline]
    #[must_use]
    pub const fn source(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The count within the source.
    #[inline]
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "source {} count {}", self.source(), self.count())
    }
}
