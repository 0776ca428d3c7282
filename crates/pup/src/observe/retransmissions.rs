//! How often Pups of streams had to be sent again, with its uncertainty.

use hopscope_measure::{Batch, CONFIDENCE, Estimate, mean_of_batches};

/// The most batches; when they are full, neighbours pair up.
const MOST_BATCHES: usize = 128;

/// Times that acknowledged Pups were sent again, summed by batches of Pups in the order of their acknowledgment.
#[derive(Clone, Debug)]
pub(crate) struct Retransmissions {
    batches: Vec<u64>,
    /// Pups in a full batch.
    size: u64,
    current: u64,
    in_current: u64,
    pups: u64,
}

impl Retransmissions {
    pub const fn new() -> Self {
        Self { batches: Vec::new(), size: 1, current: 0, in_current: 0, pups: 0 }
    }

    /// A Pup is acknowledged that was sent again so many times.
    pub fn add(&mut self, again: u32) {
        self.current += u64::from(again);
        self.in_current += 1;
        self.pups += 1;
        if self.in_current < self.size {
            return;
        }
        self.batches.push(std::mem::take(&mut self.current));
        self.in_current = 0;
        if self.batches.len() == MOST_BATCHES {
            self.batches = self.batches.chunks(2).map(|pair| pair.iter().sum()).collect();
            self.size *= 2;
        }
    }

    /// Retransmissions for a thousand Pups; nothing where too few are acknowledged for an interval.
    pub fn per_thousand(&self) -> Option<Estimate> {
        let batch = |sum: u64, weight: u64| Batch { sum: 1e3 * sum as f64, weight: weight as f64 };
        let full = self.batches.iter().map(|&sum| batch(sum, self.size));
        let batches: Vec<Batch> = full.chain([batch(self.current, self.in_current)]).collect();
        mean_of_batches(&batches, self.pups, CONFIDENCE).map(|mean| mean.estimate(self.pups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pup_in_four_sent_again_twice_makes_five_hundred_in_a_thousand() {
        let mut counted = Retransmissions::new();
        assert_eq!(counted.per_thousand(), None);
        (0..40_003u32).for_each(|n| counted.add(if n % 4 == 1 { 2 } else { 0 }));
        let found = counted.per_thousand().expect("there are plenty");
        assert_eq!(found.n, 40_003);
        assert!((found.value - 500.0).abs() < 0.1 && found.covers(500.0), "{found:?}");
        assert!(counted.batches.len() < MOST_BATCHES, "memory is bounded");
    }
}
