//! A histogram of delays with bounded memory, for quantiles.

use hopscope_units::Span;

/// Picoseconds in the finest step of the histogram.
const STEP_PS: u64 = 100;

/// How often each delay occurred, to three significant digits (steps of 100 ps below 0.2 us), with the exact least and
/// greatest.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: hdrhistogram::Histogram<u32>,
    least: Span,
    greatest: Span,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram.
    #[must_use]
    pub fn new() -> Self {
        let counts = hdrhistogram::Histogram::new(3).expect("three digits is a precision that exists");
        Self { counts, least: Span::MAX, greatest: Span::ZERO }
    }

    /// An empty histogram with room for the same values, so that it need not grow again.
    #[must_use]
    pub fn with_room_of(other: &Self) -> Self {
        Self {
            counts: hdrhistogram::Histogram::new_from(&other.counts),
            least: Span::MAX,
            greatest: Span::ZERO,
        }
    }

    /// Counts one delay.
    #[inline]
    pub fn record(&mut self, value: Span) {
        self.counts.record(value.ps() / STEP_PS).expect("the histogram grows with its values");
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        if !other.is_empty() {
            self.counts.add(&other.counts).expect("the histogram grows with its values");
            self.least = self.least.min(other.least);
            self.greatest = self.greatest.max(other.greatest);
        }
    }

    /// How many delays have been counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.len()
    }

    /// Whether none has been counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The greatest delay, exactly; nothing where none has been counted.
    #[must_use]
    pub fn max(&self) -> Option<Span> {
        (!self.is_empty()).then_some(self.greatest)
    }

    /// The delay that this share of all delays does not exceed: the middle of its step, but never beyond the least and
    /// greatest.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Span> {
        if self.is_empty() {
            return None;
        }
        let step = self.counts.value_at_quantile(share);
        let (low, width) = (self.counts.lowest_equivalent(step), self.counts.equivalent_range(step));
        let middle = Span::from_ps(low * STEP_PS + width * STEP_PS / 2);
        Some(middle.clamp(self.least, self.greatest))
    }

    /// How many delays do not exceed this one, to the precision of the histogram.
    #[must_use]
    pub fn count_up_to(&self, value: Span) -> u64 {
        if self.is_empty() { 0 } else { self.counts.count_between(0, value.ps() / STEP_PS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_constant_is_reported_exactly() {
        let mut histogram = Histogram::new();
        for _ in 0..5 {
            histogram.record(Span::from_ps(987_654_321));
        }
        assert_eq!(histogram.quantile(0.5), Some(Span::from_ps(987_654_321)));
        assert_eq!(histogram.max(), Some(Span::from_ps(987_654_321)));
        assert_eq!(Histogram::new().quantile(0.5), None);
        assert_eq!(Histogram::new().max(), None);
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_values(
            values in prop::collection::vec(0u64..10_000_000_000, 1..300),
            share in 0.01f64..1.0,
        ) {
            let (mut first, mut second) = (Histogram::new(), Histogram::new());
            for (i, &value) in values.iter().enumerate() {
                if i % 3 == 0 { first.record(Span::from_ps(value)) } else { second.record(Span::from_ps(value)) }
            }
            first.merge(&second);
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let exact = sorted[((share * values.len() as f64).ceil() as usize - 1).min(values.len() - 1)] as f64;
            let found = first.quantile(share).unwrap();
            prop_assert!((found.ps() as f64 - exact).abs() <= 100.0 + exact * 1e-3, "{found:?} for {exact}");
            prop_assert_eq!(first.count(), values.len() as u64);
            prop_assert_eq!(first.count_up_to(Span::from_ps(sorted[values.len() - 1])), values.len() as u64);
        }
    }
}
