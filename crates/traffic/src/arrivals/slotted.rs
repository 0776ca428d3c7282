//! A Bernoulli process over slots.

use hopscope_kernel::{Geometric, RandomStream};
use hopscope_units::{Span, Time};

use super::ArrivalProcess;

/// In each slot with the same probability, at its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slotted {
    slot: Span,
    gap: Geometric,
    /// Slots before this one are over.
    next: u64,
}

impl Slotted {
    /// Slots of this length, each used with this probability.
    pub fn new(slot: Span, probability: f64) -> Self {
        Self { slot, gap: Geometric::new(probability), next: 0 }
    }
}

impl ArrivalProcess for Slotted {
    #[inline]
    fn next(&mut self, _: Time, random: &mut RandomStream) -> Time {
        self.next = self.next.saturating_add(self.gap.sample(random));
        Time::ZERO.after(self.slot.times(self.next - 1))
    }
}
