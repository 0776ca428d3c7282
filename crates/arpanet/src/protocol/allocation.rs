//! Allocations that have come to a source IMP and that no message has used yet.
//!
//! An allocation not used within 125 ms (1973) or 250 ms (October 1974) is given back, the oldest first (Kleinrock and
//! Opderbeck, section II; RFC 619).

use std::collections::VecDeque;

use hopscope_units::{Span, Time};

/// Unused allocations of one IMP, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Allocations {
    unused: VecDeque<(u32, Time)>,
}

impl Allocations {
    /// An allocation for a sequence has come.
    pub fn add(&mut self, now: Time, sequence: u32) {
        self.unused.push_back((sequence, now));
    }

    /// Takes an allocation of a sequence, where there is one.
    pub fn take(&mut self, sequence: u32) -> bool {
        let found = self.unused.iter().position(|&(of, _)| of == sequence);
        found.map(|place| self.unused.remove(place)).is_some()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.unused.is_empty()
    }

    /// Whether a sequence has an allocation here.
    #[must_use]
    pub fn has(&self, sequence: u32) -> bool {
        self.unused.iter().any(|&(of, _)| of == sequence)
    }

    /// The sequence of the oldest allocation and when it must be given back.
    #[must_use]
    pub fn oldest(&self, limit: Span) -> Option<(u32, Time)> {
        self.unused.front().map(|&(sequence, since)| (sequence, since + limit))
    }

    /// Removes the oldest.
    pub fn drop_oldest(&mut self) {
        self.unused.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_given_back_first() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut allocations = Allocations::default();
        allocations.add(at(10), 3);
        allocations.add(at(20), 4);
        allocations.add(at(30), 3);
        assert_eq!(allocations.oldest(Span::from_ms(250)), Some((3, at(260))));
        assert!(allocations.take(3) && !allocations.take(5));
        assert_eq!(allocations.oldest(Span::from_ms(250)), Some((4, at(270))));
        allocations.drop_oldest();
        assert!(allocations.take(3) && !allocations.take(3));
    }
}
