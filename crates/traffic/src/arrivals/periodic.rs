//! Once in every period, at a random instant of its beginning.

use hopscope_kernel::RandomStream;
use hopscope_units::{Span, Time};

use super::ArrivalProcess;

/// Once in every period, uniformly within a time from its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Periodic {
    every: Span,
    within: Span,
    /// Periods that are over.
    periods: u64,
}

impl Periodic {
    /// Periods of this length, each with one arrival within this time.
    pub fn new(every: Span, within: Span) -> Self {
        Self { every, within, periods: 0 }
    }
}

impl ArrivalProcess for Periodic {
    #[inline]
    fn next(&mut self, _: Time, random: &mut RandomStream) -> Time {
        let start = Time::ZERO.after(self.every.times(self.periods));
        self.periods += 1;
        let within = random.below(self.within.ps().saturating_add(1));
        if start == Time::NEVER { start } else { start.after(Span::from_ps(within)) }
    }
}
