//! The distributions of flows, by class of size and by group.

use hopscope_units::{Span, Time};

use crate::batch_means::Batch;
use crate::histogram::Histogram;
use crate::monitor::{Distribution, Distributions, MOST_BATCHES, MOST_DISTRIBUTIONS};
use crate::time_batches::{TimeBatch, TimeBatches};
use crate::{EVERY_CLASS, Estimate, Metric, Observed};

/// Number and sum of the values of each channel.
#[derive(Clone, Debug)]
struct Sums(Vec<(u64, u128)>);

impl TimeBatch for Sums {
    fn next(&self) -> Self {
        Self(vec![(0, 0); self.0.len()])
    }

    fn merge(&mut self, later: Self) {
        for ((count, sum), (more, further)) in self.0.iter_mut().zip(later.0) {
            *count += more;
            *sum += further;
        }
    }
}

/// Quantities reported by mean, quantiles and greatest value, each a channel: sums and histograms by batches of time.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    sums: TimeBatches<Sums>,
    distributions: TimeBatches<Distributions>,
}

/// The name of a quantity in the report.
pub(super) struct Label<'a> {
    pub name: &'a str,
    pub class: &'a str,
    pub unit: &'a str,
    /// The divisor that converts a value to the unit.
    pub scale: f64,
    /// Whether values are of rounds, not of concurrent flows.
    pub rounds: bool,
}

impl Channels {
    pub fn new(now: Time, channels: usize) -> Self {
        let empty = Distributions(vec![Histogram::new(); channels]);
        Self {
            sums: TimeBatches::new(now, MOST_BATCHES, Sums(vec![(0, 0); channels])),
            distributions: TimeBatches::new(now, MOST_DISTRIBUTIONS, empty),
        }
    }

    pub fn record(&mut self, now: Time, channel: usize, value: u64) {
        self.sums.roll(now);
        self.distributions.roll(now);
        let (count, sum) = &mut self.sums.current().0[channel];
        *count += 1;
        *sum += u128::from(value);
        self.distributions.current().0[channel].record(Span::from_ps(value));
    }

    /// The number of values in some channels.
    pub fn count(&self, now: Time, channels: &[usize]) -> u64 {
        let of = |sums: &Sums| channels.iter().map(|&channel| sums.0[channel].0).sum::<u64>();
        self.sums.iter(now).map(|(sums, _)| of(sums)).sum()
    }

    /// Adds mean, median, 99th percentile and greatest value over some channels; nothing if they are empty. Notes say
    /// which intervals have no upper end.
    pub fn tell(&self, now: Time, channels: &[usize], label: &Label<'_>, told: &mut Told<'_>) {
        let n = self.count(now, channels);
        if n == 0 {
            return;
        }
        let mut add = |statistic: &str, estimate: Option<Estimate>| {
            let estimate = estimate.map(|estimate| estimate.in_units_of(label.scale));
            told.metrics
                .push(Metric::new(label.name, label.class, (statistic, label.unit), estimate).of_delay());
        };
        let batch = |sums: &Sums| {
            let of = channels.iter().map(|&channel| sums.0[channel]);
            let (count, sum) = of.fold((0, 0), |(n, s), (more, further)| (n + more, s + further));
            Batch { sum: sum as f64, weight: count as f64 }
        };
        let batches: Vec<Batch> = self.sums.iter(now).map(|(sums, _)| batch(sums)).collect();
        // Rounds follow one another, so each is an independent observation, however few there are. They repeat the
        // same work, so those of a whole job are a sample of what a longer one would have.
        let (observed, observations) =
            if label.rounds { (Observed::Sample, u64::MAX) } else { (told.observed, n) };
        add("mean", observed.mean(&batches, observations, n));
        let distribution = Distribution::of(&self.distributions, now, channels);
        let mut open = false;
        let quantiles = if label.rounds { &[][..] } else { &[("p50", 0.5), ("p99", 0.99)][..] };
        for &(statistic, share) in quantiles {
            let quantile = distribution.quantile(share, observed);
            open |= quantile.is_some_and(|quantile| quantile.open_above);
            add(statistic, quantile.map(|quantile| quantile.estimate));
        }
        add("max", distribution.max());
        if open {
            told.open_above.push(if label.class == EVERY_CLASS {
                label.name.to_owned()
            } else {
                format!("{}[{}]", label.name, label.class)
            });
        }
    }
}

/// The metrics and notes that a statement adds to a report.
pub(super) struct Told<'a> {
    pub metrics: &'a mut Vec<Metric>,
    /// What the window holds of the flows.
    pub observed: Observed,
    /// Quantities with a quantile whose interval has no upper end.
    pub open_above: Vec<String>,
}
