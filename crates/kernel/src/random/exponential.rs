//! Exponential spans of time.

use hopscope_units::Span;

use crate::RandomStream;

/// A span of the exponential distribution, rounded to the nearest picosecond.
#[derive(Clone, Copy, Debug)]
pub struct Exponential {
    mean_ps: f64,
}

impl Exponential {
    /// Exponential with this mean. A sample longer than [`Span::MAX`] is cut to it.
    #[must_use]
    pub fn new(mean: Span) -> Self {
        Self { mean_ps: mean.ps() as f64 }
    }

    /// A span.
    #[inline]
    pub fn sample(&self, stream: &mut RandomStream) -> Span {
        Span::from_ps((standard(stream) * self.mean_ps).round_ties_even() as u64)
    }
}

/// A sample of mean 1, by inversion. 1 - unit lies in (0, 1], so the logarithm is finite and the sample at most 37.
#[inline]
pub(super) fn standard(stream: &mut RandomStream) -> f64 {
    -libm::log(1.0 - stream.unit())
}
