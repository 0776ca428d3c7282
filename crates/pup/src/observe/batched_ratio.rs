//! A ratio of two sums over a run, such as retransmissions over Pups, with its uncertainty.

use hopscope_measure::{Batch, CONFIDENCE, Estimate, mean_of_batches};

/// The most batches; when they are full, neighbours pair up.
const MOST_BATCHES: usize = 128;

/// Both sums of the observations of one batch.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    sum: u64,
    weight: u64,
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.weight += other.weight;
    }
}

/// A sum over another one, by batches of observations in their order. Memory is bounded.
#[derive(Clone, Debug)]
pub(crate) struct BatchedRatio {
    batches: Vec<Sums>,
    /// Observations in a full batch.
    size: u64,
    current: Sums,
    in_current: u64,
    observations: u64,
}

impl BatchedRatio {
    pub const fn new() -> Self {
        let current = Sums { sum: 0, weight: 0 };
        Self { batches: Vec::new(), size: 1, current, in_current: 0, observations: 0 }
    }

    /// One more observation: what it adds to both sums.
    pub fn add(&mut self, sum: u64, weight: u64) {
        self.current += Sums { sum, weight };
        self.in_current += 1;
        self.observations += 1;
        if self.in_current < self.size {
            return;
        }
        self.batches.push(std::mem::take(&mut self.current));
        self.in_current = 0;
        if self.batches.len() == MOST_BATCHES {
            let pair = |pair: &[Sums]| {
                let mut both = pair[0];
                both += pair[1];
                both
            };
            self.batches = self.batches.chunks(2).map(pair).collect();
            self.size *= 2;
        }
    }

    /// The ratio times `scale`; nothing where too little was observed for an interval.
    pub fn estimate(&self, scale: f64) -> Option<Estimate> {
        let batch = |sums: &Sums| Batch { sum: scale * sums.sum as f64, weight: sums.weight as f64 };
        let batches: Vec<Batch> = self.batches.iter().chain([&self.current]).map(batch).collect();
        let mean = mean_of_batches(&batches, self.observations, CONFIDENCE);
        mean.map(|mean| mean.estimate(self.observations))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pup_in_four_sent_again_twice_makes_five_hundred_in_a_thousand() {
        let mut counted = BatchedRatio::new();
        assert_eq!(counted.estimate(1e3), None);
        (0..40_003u32).for_each(|n| counted.add(if n % 4 == 1 { 2 } else { 0 }, 1));
        let found = counted.estimate(1e3).expect("there are plenty");
        assert_eq!(found.n, 40_003);
        assert!((found.value - 500.0).abs() < 0.1 && found.covers(500.0), "{found:?}");
        assert!(counted.batches.len() < MOST_BATCHES, "memory is bounded");
    }

    #[test]
    fn observations_of_different_weight_make_the_ratio_of_the_sums() {
        let mut busy = BatchedRatio::new();
        (0..1_000u64).for_each(|n| busy.add(n % 3, 2 + n % 3));
        let found = busy.estimate(1.0).expect("there are plenty");
        assert!((found.value - 999.0 / 2_999.0).abs() < 1e-12, "{found:?}");
    }
}
