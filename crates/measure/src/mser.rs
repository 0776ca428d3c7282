//! The end of the warm-up by the MSER-5 rule.
//!
//! Source: K. P. White, M. J. Cobb and S. C. Spratt, "A Comparison of Five Steady-State Truncation Heuristics for
//! Simulation", Proc. Winter Simulation Conference 2000. Observations are averaged in groups of five; the start is cut
//! where the estimated standard error of the mean of what remains is least.

/// Observations that are averaged first.
const GROUP: usize = 5;

/// Groups that the online form keeps before it pairs them up.
const MOST_GROUPS: usize = 4096;

/// Where a series is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Observations to drop from the start.
    pub drop: usize,
    /// Whether the cut lies in the first half. Where it does not, the transient fills the series and a longer one is
    /// needed.
    pub settled: bool,
}

/// The cut of a series of single observations. A series of less than ten groups is never settled.
///
/// ```
/// let ramp_then_level: Vec<f64> = (0..1000).map(|i| (i as f64).min(200.0) + (i % 7) as f64).collect();
/// let cut = hopscope_measure::mser_5(&ramp_then_level);
/// assert!(cut.settled && (190..=215).contains(&cut.drop));
/// ```
#[must_use]
pub fn mser_5(series: &[f64]) -> Cut {
    let groups: Vec<f64> =
        series.chunks_exact(GROUP).map(|group| group.iter().sum::<f64>() / GROUP as f64).collect();
    let cut = mser(&groups);
    Cut { drop: cut.drop * GROUP, ..cut }
}

/// The cut of a series of group means.
///
/// Near the end of a series the rule fails, for a handful of values that happen to lie close together look like a
/// perfect mean. So the last quarter is no candidate; and a cut in the third quarter counts as not settled.
fn mser(groups: &[f64]) -> Cut {
    let last = groups.len() * 3 / 4;
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    let mut least = f64::INFINITY;
    let mut drop = last;
    // From the end, so that one pass gives the sums of every remainder (Welford's update of mean and squares).
    for (position, &value) in groups.iter().enumerate().rev() {
        count += 1.0;
        let step = value - mean;
        mean += step / count;
        squares += step * (value - mean);
        let error = squares / (count * count);
        // On a tie the earlier cut wins: it keeps more.
        if position <= last && error <= least {
            (least, drop) = (error, position);
        }
    }
    Cut { drop, settled: groups.len() >= 10 && drop <= groups.len() / 2 }
}

/// The rule applied as observations come in, in bounded memory: beyond 4096 groups, neighbours are averaged.
#[derive(Clone, Debug)]
pub struct SettlingSeries {
    groups: Vec<f64>,
    group: usize,
    sum: u128,
    in_sum: usize,
}

impl Default for SettlingSeries {
    fn default() -> Self {
        Self::new()
    }
}

impl SettlingSeries {
    /// A series without observations.
    #[must_use]
    pub const fn new() -> Self {
        Self { groups: Vec::new(), group: GROUP, sum: 0, in_sum: 0 }
    }

    /// One observation, in any unit.
    #[inline]
    pub fn push(&mut self, value: u64) {
        self.sum += u128::from(value);
        self.in_sum += 1;
        if self.in_sum == self.group {
            self.close_group();
        }
    }

    fn close_group(&mut self) {
        self.groups.push(self.sum as f64 / self.group as f64);
        (self.sum, self.in_sum) = (0, 0);
        if self.groups.len() == MOST_GROUPS {
            self.groups = self.groups.chunks_exact(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
            self.group *= 2;
        }
    }

    /// The cut of the series so far.
    #[must_use]
    pub fn cut(&self) -> Cut {
        let cut = mser(&self.groups);
        Cut { drop: cut.drop * self.group, ..cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::first_order::FirstOrder;

    #[test]
    fn cuts_an_initial_ramp_and_little_more() {
        for seed in 0..20 {
            let noise: Vec<f64> = FirstOrder::new(seed, 0.5).take(10_000).collect();
            let series: Vec<f64> =
                noise.iter().enumerate().map(|(i, e)| e + (2_000.0 - i as f64).max(0.0) / 50.0).collect();
            let cut = mser_5(&series);
            assert!(cut.settled && (1_800..=2_600).contains(&cut.drop), "seed {seed}: {cut:?}");
        }
    }

    #[test]
    fn a_series_that_only_rises_is_not_settled() {
        let ramp: Vec<f64> = (0..5_000).map(f64::from).collect();
        assert!(!mser_5(&ramp).settled);
    }

    #[test]
    fn keeps_nearly_all_of_a_settled_series() {
        let kept_most = (0..100).filter(|&seed| {
            let series: Vec<f64> = FirstOrder::new(seed, 0.5).take(5_000).collect();
            mser_5(&series).drop < 1_000
        });
        assert!(kept_most.count() >= 90);
    }

    #[test]
    fn a_constant_series_is_kept_whole() {
        assert_eq!(mser_5(&[4.0; 100]), Cut { drop: 0, settled: true });
        assert!(!mser_5(&[4.0; 20]).settled);
    }

    #[test]
    fn the_online_form_agrees_with_the_series_and_forgets_detail_beyond_its_bound() {
        let values: Vec<u64> = FirstOrder::new(5, 0.7).take(20_000).map(|x| (x * 1e6 + 1e7) as u64).collect();
        let series: Vec<f64> = values.iter().map(|&value| value as f64).collect();
        let mut online = SettlingSeries::new();
        for (count, &value) in values.iter().enumerate() {
            if count == 10_000 {
                assert_eq!(online.cut(), mser_5(&series[..10_000]));
            }
            online.push(value);
        }
        assert_eq!((online.groups.len(), online.group), (4_000, 5));
        values.iter().for_each(|&value| online.push(value));
        assert_eq!((online.groups.len(), online.group), (4_000, 10));
    }
}
