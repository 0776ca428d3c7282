//! A histogram of delays with bounded memory, for quantiles.

use hopscope_units::Span;

/// Picoseconds in the finest step of the histogram.
const STEP_PS: u64 = 100;

/// Up to this many delays are kept in a list, which is faster to create, fill and merge than the thousands of steps of
/// the counts.
const FEW: usize = 256;

/// Counts of delays, to three significant digits (steps of 100 ps below 0.2 us), with the exact minimum and maximum.
#[derive(Clone, Debug)]
pub struct Histogram {
    steps: Steps,
    least: Span,
    greatest: Span,
}

/// Delays in steps of [`STEP_PS`].
#[derive(Clone, Debug)]
enum Steps {
    /// At most [`FEW`] delays, in order of arrival.
    Listed(Vec<u64>),
    /// Counts of delays, to three significant digits.
    Counted(Counts),
}

type Counts = hdrhistogram::Histogram<u32>;

/// The base-2 logarithm of the number of steps for three significant digits.
const EXACT_STEPS_LOG: u32 = 11;

/// The greatest delay that has the same three significant digits.
fn last_alike(step: u64) -> u64 {
    let alike = step.checked_ilog2().map_or(0, |log| (log + 1).saturating_sub(EXACT_STEPS_LOG));
    step | ((1 << alike) - 1)
}

impl Steps {
    fn count(&mut self, step: u64) {
        match self {
            Self::Listed(list) if list.len() < FEW => list.push(step),
            Self::Listed(_) => self.counts().record(step).expect("the histogram grows with its values"),
            Self::Counted(counts) => counts.record(step).expect("the histogram grows with its values"),
        }
    }

    /// The counts, from now on.
    fn counts(&mut self) -> &mut Counts {
        if let Self::Listed(list) = self {
            *self = Self::Counted(counted(list));
        }
        match self {
            Self::Counted(counts) => counts,
            Self::Listed(_) => unreachable!("the list has become counts"),
        }
    }
}

fn counted(list: &[u64]) -> Counts {
    let mut counts = Counts::new(3).expect("three digits is a precision that exists");
    for &step in list {
        counts.record(step).expect("the histogram grows with its values");
    }
    counts
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
        Self { steps: Steps::Listed(Vec::new()), least: Span::MAX, greatest: Span::ZERO }
    }

    /// An empty histogram that is asked for many quantiles.
    pub(crate) fn counting() -> Self {
        Self { steps: Steps::Counted(counted(&[])), ..Self::new() }
    }

    /// An empty histogram with room for the same values, so that it need not grow again.
    #[must_use]
    pub fn with_room_of(other: &Self) -> Self {
        let steps = match &other.steps {
            Steps::Listed(_) => Steps::Listed(Vec::new()),
            Steps::Counted(counts) => Steps::Counted(Counts::new_from(counts)),
        };
        Self { steps, ..Self::new() }
    }

    /// Counts one delay.
    #[inline]
    pub fn record(&mut self, value: Span) {
        self.steps.count(value.ps() / STEP_PS);
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        match &other.steps {
            Steps::Listed(list) => list.iter().for_each(|&step| self.steps.count(step)),
            Steps::Counted(counts) => {
                self.steps.counts().add(counts).expect("the histogram grows with its values");
            }
        }
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }

    /// How many delays have been counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        match &self.steps {
            Steps::Listed(list) => list.len() as u64,
            Steps::Counted(counts) => counts.len(),
        }
    }

    /// Whether none has been counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The greatest delay, exactly; nothing where none has been counted.
    #[must_use]
    pub fn max(&self) -> Option<Span> {
        (!self.is_empty()).then_some(self.greatest)
    }

    /// The delay that this share of all delays does not exceed, to the resolution of the steps; nothing if none has
    /// been counted.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Reading> {
        if self.is_empty() {
            return None;
        }
        let step = match &self.steps {
            Steps::Listed(list) => Reading::of(&counted(list), share),
            Steps::Counted(counts) => Reading::of(counts, share),
        };
        let seen = |span: Span| span.clamp(self.least, self.greatest);
        Some(Reading { low: seen(step.low), middle: seen(step.middle), high: seen(step.high) })
    }

    /// The number of delays that do not exceed this one, to the precision of the histogram.
    #[must_use]
    pub fn count_up_to(&self, value: Span) -> u64 {
        let step = value.ps() / STEP_PS;
        match &self.steps {
            Steps::Listed(list) => list.iter().filter(|&&each| each <= last_alike(step)).count() as u64,
            Steps::Counted(counts) => counts.count_between(0, step),
        }
    }
}

/// A quantile to the resolution of a histogram: it lies from `low` to `high`, the ends of its step, but never beyond
/// the minimum and maximum of the counted delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The lower end of the step.
    pub low: Span,
    /// The middle of the step.
    pub middle: Span,
    /// The upper end of the step.
    pub high: Span,
}

impl Reading {
    /// The step at which this share of what is counted is reached.
    fn of(counts: &Counts, share: f64) -> Self {
        let step = counts.value_at_quantile(share);
        let (low, width) = (counts.lowest_equivalent(step), counts.equivalent_range(step));
        let at = |ps: u64| Span::from_ps(low * STEP_PS + ps);
        // A delay that fills the step would be the first of the next.
        Self { low: at(0), middle: at(width * STEP_PS / 2), high: at(width * STEP_PS - 1) }
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
        let exactly = Span::from_ps(987_654_321);
        let reading = Reading { low: exactly, middle: exactly, high: exactly };
        assert_eq!(histogram.quantile(0.5), Some(reading));
        assert_eq!(histogram.max(), Some(Span::from_ps(987_654_321)));
        assert_eq!(Histogram::new().quantile(0.5), None);
        assert_eq!(Histogram::new().max(), None);
    }

    /// Lists and counts tell the same, whichever is merged into the other.
    fn check_list(values: &[u64], share: f64) {
        let spans: Vec<Span> = values.iter().map(|&value| Span::from_ps(value)).collect();
        let (list, rest) = spans.split_at(spans.len() / 2);
        let of = |spans: &[Span]| {
            let mut histogram = Histogram::new();
            spans.iter().for_each(|&span| histogram.record(span));
            histogram
        };
        let mut counted = of(list);
        counted.steps.counts();
        let mut merged = [(of(list), of(rest)), (of(rest), counted.clone()), (counted, of(rest))]
            .map(|(mut first, second)| {
                first.merge(&second);
                first
            })
            .to_vec();
        merged.push(of(&spans));
        let told = |histogram: &Histogram| {
            let up_to = spans.iter().map(|&span| histogram.count_up_to(span)).collect::<Vec<_>>();
            (histogram.count(), histogram.quantile(share), histogram.max(), up_to)
        };
        merged.iter().for_each(|histogram| assert_eq!(told(histogram), told(&merged[0])));
    }

    proptest! {
        #[test]
        fn a_list_tells_what_counts_tell(
            values in prop::collection::vec((0u32..50).prop_flat_map(|log| 0..1_u64 << log), 2..2 * FEW),
            share in 0.0f64..=1.0,
        ) {
            check_list(&values, share);
        }

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
            let middle = found.middle.ps() as f64;
            prop_assert!((middle - exact).abs() <= 100.0 + exact * 1e-3, "{found:?} for {exact}");
            prop_assert!(found.low.ps() as f64 <= exact && exact <= found.high.ps() as f64, "{found:?} for {exact}");
            let seen = Span::from_ps(sorted[0])..=Span::from_ps(sorted[sorted.len() - 1]);
            prop_assert!([found.low, found.middle, found.high].iter().all(|end| seen.contains(end)), "{found:?}");
            prop_assert_eq!(first.count(), values.len() as u64);
            prop_assert_eq!(first.count_up_to(Span::from_ps(sorted[values.len() - 1])), values.len() as u64);
        }
    }
}
