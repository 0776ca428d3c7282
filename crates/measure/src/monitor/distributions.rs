//! The distributions of delays over batches of time.

use hopscope_units::Time;

use crate::batch_means::{Batch, CONFIDENCE, mean_of_batches};
use crate::histogram::Histogram;
use crate::time_batches::{TimeBatch, TimeBatches};
use crate::{Estimate, Observed};

/// Standard deviations on each side that hold 95 % of a normal distribution.
const NORMAL: f64 = 1.96;

/// The half width of the interval of a proportion of few independent observations, from a normal distribution: their
/// batches may be equal by chance.
fn of_few(share: f64, n: u64) -> f64 {
    NORMAL * (share * (1.0 - share) / n as f64).sqrt()
}

/// The distributions of one batch of time: a histogram for each channel (a class's latency, a class's lifetime, a
/// further series).
#[derive(Clone, Debug)]
pub(crate) struct Distributions(pub(crate) Vec<Histogram>);

impl TimeBatch for Distributions {
    fn next(&self) -> Self {
        Self(self.0.iter().map(Histogram::with_room_of).collect())
    }

    fn merge(&mut self, later: Self) {
        for (histogram, more) in self.0.iter_mut().zip(&later.0) {
            histogram.merge(more);
        }
    }
}

/// A quantile with its interval.
#[derive(Clone, Copy)]
pub(crate) struct Quantile {
    pub(crate) estimate: Estimate,
    /// Whether the interval reaches beyond the greatest value, so that its upper end is unknown.
    pub(crate) open_above: bool,
    /// Whether there are too few observations: all may lie below the quantile.
    pub(crate) too_few: bool,
}

/// One distribution over several batches of time, put together from some channels.
pub(crate) struct Distribution {
    batches: Vec<Histogram>,
    whole: Histogram,
}

impl Distribution {
    pub(crate) fn of(batches: &TimeBatches<Distributions>, now: Time, channels: &[usize]) -> Self {
        let together = |batch: &Distributions| {
            let mut histogram = batch.0[channels[0]].clone();
            channels[1..].iter().for_each(|&channel| histogram.merge(&batch.0[channel]));
            histogram
        };
        let batches: Vec<Histogram> = batches.iter(now).map(|(batch, _)| together(batch)).collect();
        let mut whole = Histogram::counting();
        batches.iter().for_each(|batch| whole.merge(batch));
        Self { batches, whole }
    }

    /// The greatest value that was seen, in picoseconds.
    pub(crate) fn max(&self) -> Option<Estimate> {
        self.whole.max().map(|max| Estimate::exact(max.ps() as f64, self.whole.count()))
    }

    /// A quantile in picoseconds. Its interval is that of the proportion below it, by batch means, converted to delays
    /// by the distribution itself, from the start of one step to the end of another; nothing if there are too few
    /// batches. A quantile of all values that there are has no interval.
    pub(crate) fn quantile(&self, share: f64, observed: Observed) -> Option<Quantile> {
        let n = self.whole.count();
        let value = self.whole.quantile(share)?.middle;
        if observed == Observed::Whole {
            let estimate = Estimate::exact(value.ps() as f64, n);
            return Some(Quantile { estimate, open_above: false, too_few: false });
        }
        let below =
            |batch: &Histogram| Batch { sum: batch.count_up_to(value) as f64, weight: batch.count() as f64 };
        let batches: Vec<Batch> = self.batches.iter().map(below).collect();
        // With few observations even the largest may lie below the quantile.
        let too_few = share.powf(n as f64) > 1.0 - CONFIDENCE;
        let told = mean_of_batches(&batches, n, CONFIDENCE)?.half_width;
        let half_width = if too_few { told.max(of_few(share, n)) } else { told };
        let at = |share: f64| self.whole.quantile(share.clamp(0.0, 1.0));
        let low = at(share - half_width)?.low.ps() as f64;
        let high = at(share + half_width)?.high.ps() as f64;
        let estimate = Estimate { value: value.ps() as f64, low, high, n };
        Some(Quantile { estimate, open_above: share + half_width > 1.0, too_few })
    }
}
