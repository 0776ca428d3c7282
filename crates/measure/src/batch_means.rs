//! Means with confidence intervals from batches of correlated observations.
//!
//! Source: A. M. Law, Simulation Modeling and Analysis, section 9.5.3 (batch means); G. S. Fishman and L. S. Yarberry,
//! "An Implementation of the Batch Means Method", INFORMS J. on Computing 9(3), 1997 (larger batches while their means
//! are correlated).
//!
//! Batches of equal time hold unequal numbers of messages, so a mean over messages is a ratio of two sums over
//! batches. Its variance comes from the residuals `y - ratio x` of the batches (the delta method; Law, section 9.5.3
//! on ratio estimators).

use crate::Estimate;
use crate::autocorrelation::residual_correlation;
use crate::student_t::student_t;

/// The confidence of every interval in a report.
pub const CONFIDENCE: f64 = 0.95;

/// Batches are not paired below this number: with fewer, Student's t widens the interval too much.
const FEWEST_BATCHES: usize = 8;

/// With at least this many batches one more pairing hardly changes Student's t, and halves the correlation that the
/// test cannot detect.
const PLENTY_OF_BATCHES: usize = 32;

/// The normal quantile of a one-sided test at 10 %, as Fishman and Yarberry recommend for the correlation of batches.
const CORRELATION_TEST: f64 = 1.28;

/// Observations that a batch must hold on average, so that its residual says something.
const OBSERVATIONS_A_BATCH: f64 = 4.0;

/// One batch: a sum over observations, and what to divide by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Batch {
    /// The sum of the observations (delays, bits, ...).
    pub sum: f64,
    /// The number of observations or the length of time that the sum is over.
    pub weight: f64,
}

/// A mean with its interval and with what the interval rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchMean {
    /// The mean: the ratio of the sums over all batches.
    pub value: f64,
    /// Half the width of the confidence interval.
    pub half_width: f64,
    /// Batches after pairing.
    pub batches: usize,
    /// Correlation of neighbouring batches when it was last tested.
    pub lag_one: f64,
    /// Whether that correlation is indistinguishable from none. If not, the interval is too narrow and the run too
    /// short.
    pub independent: bool,
}

impl BatchMean {
    /// The mean as an estimate from `n` observations.
    #[must_use]
    pub fn estimate(&self, n: u64) -> Estimate {
        Estimate {
            value: self.value,
            low: self.value - self.half_width,
            high: self.value + self.half_width,
            n,
        }
    }

    /// Half the width of the interval over the value; infinite where the value is 0 and the interval is not.
    #[must_use]
    pub fn relative_half_width(&self) -> f64 {
        self.estimate(0).relative_half_width()
    }
}

/// The mean over batches in the order of time, of which neighbours are paired until they are uncorrelated.
///
/// `observations` is the number of observations in all batches: where it is small, batches are paired until each holds
/// a few. Nothing where fewer than two batches hold anything, for then no interval can be given.
#[must_use]
pub fn mean_of_batches(batches: &[Batch], observations: u64, confidence: f64) -> Option<BatchMean> {
    let mut batches = batches.to_vec();
    let most = ((observations as f64 / OBSERVATIONS_A_BATCH) as usize).max(2);
    while batches.len() > most.max(3) {
        batches = paired(&batches);
    }
    batches.retain(|batch| batch.weight > 0.0);
    if batches.len() < 2 {
        return None;
    }
    let mut lag_one = LagOne::of(&batches);
    while batches.len() >= 2 * FEWEST_BATCHES && lag_one.significant {
        batches = paired(&batches);
        // Too few batches cannot show a correlation; the earlier result stands.
        if batches.len() >= 2 * FEWEST_BATCHES {
            lag_one = LagOne::of(&batches);
        }
    }
    if batches.len() >= PLENTY_OF_BATCHES {
        batches = paired(&batches);
    }
    let count = batches.len() as f64;
    let weight: f64 = batches.iter().map(|batch| batch.weight).sum();
    let squares: f64 = residuals(&batches).iter().map(|residual| residual * residual).sum();
    Some(BatchMean {
        value: ratio(&batches),
        half_width: student_t(confidence, batches.len() - 1) * (squares * count / (count - 1.0)).sqrt()
            / weight,
        batches: batches.len(),
        lag_one: lag_one.value,
        independent: !lag_one.significant,
    })
}

/// The mean over all batches alone; nothing where none of them holds anything.
#[must_use]
pub fn mean_of_all(batches: &[Batch]) -> Option<f64> {
    batches.iter().any(|batch| batch.weight > 0.0).then(|| ratio(batches))
}

/// The mean of a series of observations in the order of time, by batch means over at most 64 batches.
///
/// ```
/// let mean = hopscope_measure::batch_means(&[3.0, 5.0, 4.0, 4.0, 5.0, 3.0, 4.0, 4.0], 0.95).unwrap();
/// assert_eq!(mean.value, 4.0);
/// ```
#[must_use]
pub fn batch_means(series: &[f64], confidence: f64) -> Option<BatchMean> {
    let size = series.len().div_ceil(64).max(1);
    let batch = |part: &[f64]| Batch { sum: part.iter().sum(), weight: part.len() as f64 };
    let batches: Vec<Batch> = series.chunks(size).map(batch).collect();
    mean_of_batches(&batches, series.len() as u64, confidence)
}

/// Neighbours joined; the last of an odd number joins the pair before it.
fn paired(batches: &[Batch]) -> Vec<Batch> {
    let join = |part: &[Batch]| Batch {
        sum: part.iter().map(|batch| batch.sum).sum(),
        weight: part.iter().map(|batch| batch.weight).sum(),
    };
    let even = batches.len() - if batches.len() % 2 == 1 { 3 } else { 0 };
    let mut pairs: Vec<Batch> = batches[..even].chunks(2).map(join).collect();
    if even < batches.len() {
        pairs.push(join(&batches[even..]));
    }
    pairs
}

fn ratio(batches: &[Batch]) -> f64 {
    let weight: f64 = batches.iter().map(|batch| batch.weight).sum();
    batches.iter().map(|batch| batch.sum).sum::<f64>() / weight
}

fn residuals(batches: &[Batch]) -> Vec<f64> {
    let ratio = ratio(batches);
    batches.iter().map(|batch| batch.sum - ratio * batch.weight).collect()
}

/// The correlation of neighbouring batches.
#[derive(Clone, Copy)]
struct LagOne {
    value: f64,
    /// Whether it is significantly positive. Of independent batches it is -1/n on average.
    significant: bool,
}

impl LagOne {
    fn of(batches: &[Batch]) -> Self {
        let value = residual_correlation(&residuals(batches), 1);
        let count = batches.len() as f64;
        Self { value, significant: value + 1.0 / count > CORRELATION_TEST / count.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::first_order::FirstOrder;

    fn coverage(memory: f64, length: usize) -> f64 {
        let covered = (0..400).filter(|&seed| {
            let series: Vec<f64> = FirstOrder::new(seed, memory).take(length).collect();
            batch_means(&series, CONFIDENCE).unwrap().estimate(0).covers(0.0)
        });
        covered.count() as f64 / 400.0
    }

    #[test]
    fn intervals_cover_the_mean_of_correlated_series() {
        // The standard error of a coverage over 400 runs is 1.1 %.
        for (memory, length) in [(0.0, 1_000), (0.5, 2_000), (0.9, 10_000), (0.98, 50_000)] {
            let covered = coverage(memory, length);
            assert!((0.925..=0.98).contains(&covered), "memory {memory}: {covered}");
        }
    }

    #[test]
    fn says_when_a_series_is_too_short_for_its_correlation() {
        let dependent = (0..100).filter(|&seed| {
            let series: Vec<f64> = FirstOrder::new(seed, 0.999).take(4_000).collect();
            !batch_means(&series, CONFIDENCE).unwrap().independent
        });
        assert!(dependent.count() > 50);
    }

    #[test]
    fn agrees_with_the_textbook_formula_on_independent_values() {
        // Eight values of mean 4: the squares add up to 4, so the standard error is sqrt(4 / 7 / 8) and t(7) = 2.3646.
        let series: Vec<f64> =
            [3.0, 5.0, 4.0, 4.0, 5.0, 3.0, 4.0, 4.0].iter().flat_map(|&x| [x; 8]).collect();
        let batches: Vec<Batch> =
            series.chunks(8).map(|part| Batch { sum: part.iter().sum(), weight: 8.0 }).collect();
        let mean = mean_of_batches(&batches, 64, 0.95).unwrap();
        assert!((mean.half_width - 2.3646 * (4.0f64 / 56.0).sqrt()).abs() < 1e-4, "{mean:?}");
    }

    #[test]
    fn batches_of_unequal_size_count_by_their_size() {
        let batches = [
            Batch { sum: 30.0, weight: 10.0 },
            Batch { sum: 5.0, weight: 1.0 },
            Batch { sum: 0.0, weight: 0.0 },
        ];
        let mean = mean_of_batches(&batches, 100, 0.95).unwrap();
        assert!((mean.value - 35.0 / 11.0).abs() < 1e-12);
        assert_eq!(mean.batches, 2);
    }

    #[test]
    fn gives_no_interval_without_two_batches() {
        assert_eq!(batch_means(&[], 0.95), None);
        assert_eq!(batch_means(&[1.0], 0.95), None);
        assert_eq!(mean_of_batches(&[Batch { sum: 7.0, weight: 2.0 }, Batch::default()], 2, 0.95), None);
    }

    #[test]
    fn pairing_loses_nothing() {
        let batches: Vec<Batch> = (0..7).map(|i| Batch { sum: f64::from(i), weight: 1.0 }).collect();
        let pairs = paired(&batches);
        let sums: Vec<f64> = pairs.iter().map(|batch| batch.sum).collect();
        assert_eq!(sums, [1.0, 5.0, 15.0]);
        assert_eq!(pairs[2].weight, 3.0);
    }
}
