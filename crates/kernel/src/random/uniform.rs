//! Uniform spans of time.

use hopscope_units::Span;

use crate::RandomStream;

/// A span uniform over the whole picoseconds from a least to a greatest, both included.
#[derive(Clone, Copy, Debug)]
pub struct UniformSpan {
    least: Span,
    greatest: Span,
}

impl UniformSpan {
    /// Uniform from `least` to `greatest`. Panics where `least` is the greater, or the range has all 2^64 values.
    #[must_use]
    pub fn new(least: Span, greatest: Span) -> Self {
        assert!(least <= greatest, "a uniform span from {least} to {greatest}");
        assert!(greatest - least < Span::MAX, "a uniform span over every span there is");
        Self { least, greatest }
    }

    /// A span.
    #[inline]
    pub fn sample(&self, stream: &mut RandomStream) -> Span {
        self.least + Span::from_ps(stream.below((self.greatest - self.least).ps() + 1))
    }
}
