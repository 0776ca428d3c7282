//! Poisson processes.

use hopscope_units::{Span, Time};

use super::exponential;
use crate::RandomStream;

/// A Poisson process: instants with independent exponential gaps.
///
/// Gaps are added up unrounded and each instant is then rounded down to its picosecond, so that the rate is exact even
/// where the gaps are no more than a few picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct PoissonProcess {
    mean_gap_ps: f64,
    last: Time,
    /// How far past `last` the last instant lies, in picoseconds; less than 1.
    fraction_ps: f64,
}

impl PoissonProcess {
    /// A process with this mean gap, whose first instant comes one gap after `start`.
    #[must_use]
    pub fn new(start: Time, mean_gap: Span) -> Self {
        Self { mean_gap_ps: mean_gap.ps() as f64, last: start, fraction_ps: 0.0 }
    }

    /// A process of this many instants a second on average. Panics unless the rate is finite and positive.
    #[must_use]
    pub fn with_rate(start: Time, per_second: f64) -> Self {
        assert!(
            per_second > 0.0 && per_second.is_finite(),
            "a Poisson process of {per_second} instants a second"
        );
        Self { mean_gap_ps: 1e12 / per_second, last: start, fraction_ps: 0.0 }
    }

    /// The next instant; [`Time::NEVER`], which cannot be scheduled, where it lies beyond simulated time.
    #[inline]
    pub fn next(&mut self, stream: &mut RandomStream) -> Time {
        let gap_ps = exponential::standard(stream) * self.mean_gap_ps + self.fraction_ps;
        let whole_ps = gap_ps as u64;
        self.fraction_ps = gap_ps - whole_ps as f64;
        self.last = self.last.after(Span::from_ps(whole_ps));
        self.last
    }
}
