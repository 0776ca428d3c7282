//! Geometric numbers of trials.

use super::exponential;
use crate::RandomStream;

/// The number of independent trials up to and including the first success: 1, 2, 3, ...
#[derive(Clone, Copy, Debug)]
pub struct Geometric {
    /// -ln(1 - p): the rate of the exponential distribution whose samples, rounded up, are these.
    rate: f64,
}

impl Geometric {
    /// Trials that succeed with probability `p` each; the mean is 1/p. Panics unless 0 < p <= 1.
    #[must_use]
    pub fn new(p: f64) -> Self {
        assert!(p > 0.0 && p <= 1.0, "trials that succeed with probability {p}");
        Self { rate: -libm::log1p(-p) }
    }

    /// A number of trials.
    #[inline]
    pub fn sample(&self, stream: &mut RandomStream) -> u64 {
        // A number of trials beyond 64 bits is cut to `u64::MAX`.
        ((exponential::standard(stream) / self.rate) as u64).saturating_add(1)
    }
}
