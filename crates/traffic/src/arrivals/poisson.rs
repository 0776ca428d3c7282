//! A Poisson process.

use hopscope_kernel::{Exponential, RandomStream};
use hopscope_units::{Span, Time};

use super::ArrivalProcess;

/// Gaps of exponential length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poisson {
    gap: Exponential,
}

impl Poisson {
    /// Gaps of this mean.
    pub fn new(mean: Span) -> Self {
        Self { gap: Exponential::new(mean) }
    }
}

impl ArrivalProcess for Poisson {
    #[inline]
    fn next(&mut self, now: Time, random: &mut RandomStream) -> Time {
        now.after(self.gap.sample(random))
    }
}
