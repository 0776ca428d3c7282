//! Means of delays by cell, such as a pair of sites.

use hopscope_units::{Span, Time};

use crate::Estimate;
use crate::batch_means::{Batch, CONFIDENCE, mean_of_batches};
use crate::time_batches::{TimeBatch, TimeBatches};

/// Batches of time; every cell has its sums in each.
const MOST_BATCHES: usize = 32;

/// Delays in one cell.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u64,
    sum_ps: u128,
}

/// All cells in one batch of time.
#[derive(Clone, Debug)]
struct Tallies(Vec<Tally>);

impl TimeBatch for Tallies {
    fn next(&self) -> Self {
        Self(vec![Tally::default(); self.0.len()])
    }

    fn merge(&mut self, later: Self) {
        for (tally, more) in self.0.iter_mut().zip(later.0) {
            tally.count += more.count;
            tally.sum_ps += more.sum_ps;
        }
    }
}

/// Mean delays in many cells, such as the pairs of sites of a network, and in any cells taken together.
///
/// Sums are kept by batches of time, so that each mean has its confidence interval. Memory is that of the cells,
/// whatever the length of the run.
#[derive(Clone, Debug)]
pub struct CellMeans {
    batches: TimeBatches<Tallies>,
}

impl CellMeans {
    /// This many empty cells, from now on.
    #[must_use]
    pub fn new(now: Time, cells: usize) -> Self {
        Self { batches: TimeBatches::new(now, MOST_BATCHES, Tallies(vec![Tally::default(); cells])) }
    }

    /// Adds a delay to a cell.
    #[inline]
    pub fn add(&mut self, now: Time, cell: usize, delay: Span) {
        if now >= self.batches.ends() {
            self.batches.roll(now);
        }
        let tally = &mut self.batches.current().0[cell];
        tally.count += 1;
        tally.sum_ps += u128::from(delay.ps());
    }

    /// The number of delays in these cells together.
    #[must_use]
    pub fn count(&self, now: Time, cells: &[usize]) -> u64 {
        self.batches.iter(now).map(|(batch, _)| sum(batch, cells).count).sum()
    }

    /// The mean over all delays in these cells, in picoseconds; nothing if there are none. Its interval is unbounded if
    /// there are too few.
    #[must_use]
    pub fn mean(&self, now: Time, cells: &[usize]) -> Option<Estimate> {
        let batch = |(batch, _): (&Tallies, Span)| {
            let tally = sum(batch, cells);
            Batch { sum: tally.sum_ps as f64, weight: tally.count as f64 }
        };
        estimate(&self.batches.iter(now).map(batch).collect::<Vec<_>>(), self.count(now, cells))
    }

    /// The number of delays per second in these cells.
    #[must_use]
    pub fn rate(&self, now: Time, cells: &[usize]) -> Option<Estimate> {
        let batch = |(batch, covered): (&Tallies, Span)| Batch {
            sum: sum(batch, cells).count as f64,
            weight: covered.as_seconds(),
        };
        estimate(&self.batches.iter(now).map(batch).collect::<Vec<_>>(), self.count(now, cells))
    }
}

fn sum(batch: &Tallies, cells: &[usize]) -> Tally {
    cells.iter().fold(Tally::default(), |together, &cell| Tally {
        count: together.count + batch.0[cell].count,
        sum_ps: together.sum_ps + batch.0[cell].sum_ps,
    })
}

fn estimate(batches: &[Batch], n: u64) -> Option<Estimate> {
    if let Some(mean) = mean_of_batches(batches, n, CONFIDENCE) {
        return Some(mean.estimate(n));
    }
    let [sum, weight] = [|batch: &Batch| batch.sum, |batch: &Batch| batch.weight]
        .map(|part| batches.iter().map(part).sum::<f64>());
    (n > 0 && weight > 0.0).then(|| Estimate {
        value: sum / weight,
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        n,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_together_weigh_by_their_delays(
            delays in prop::collection::vec((0usize..4, 1u64..1 << 40, 0u64..1 << 30), 1..300),
        ) {
            let mut means = CellMeans::new(Time::ZERO, 4);
            let mut now = Time::ZERO;
            for &(cell, gap, delay) in &delays {
                now += Span::from_ps(gap);
                means.add(now, cell, Span::from_ps(delay));
            }
            for cells in [&[0usize][..], &[1, 3], &[0, 1, 2, 3]] {
                let of: Vec<u64> =
                    delays.iter().filter(|(cell, ..)| cells.contains(cell)).map(|&(.., delay)| delay).collect();
                prop_assert_eq!(means.count(now, cells), of.len() as u64);
                let Some(mean) = means.mean(now, cells) else {
                    prop_assert!(of.is_empty());
                    continue;
                };
                let exact = of.iter().sum::<u64>() as f64 / of.len() as f64;
                prop_assert!((mean.value - exact).abs() <= 1e-9 * exact, "{} instead of {exact}", mean.value);
                prop_assert!(mean.low <= mean.value && mean.value <= mean.high);
                let rate = means.rate(now, cells).expect("something was seen");
                let a_second = of.len() as f64 / now.since(Time::ZERO).as_seconds();
                prop_assert!((rate.value - a_second).abs() <= 1e-9 * a_second);
            }
        }
    }
}
