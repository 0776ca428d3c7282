//! What a measured window holds of the messages that there are.

use crate::Estimate;
use crate::batch_means::{Batch, CONFIDENCE, mean_of_all, mean_of_batches};

/// What a measured window holds of the messages that there are: this decides whether figures have intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// A part of traffic that goes on: figures are estimates, with intervals.
    Sample,
    /// All messages of a finite workload, each from its start to its end. Its figures are what happened: no other
    /// message could have been observed, so there is no interval.
    Whole,
}

impl Observed {
    /// The mean over batches of this many observations, of which `n` are given as behind it. That of a sample has an
    /// interval by batch means, and does not exist where there are too few observations.
    pub(crate) fn mean(self, batches: &[Batch], observations: u64, n: u64) -> Option<Estimate> {
        match self {
            Self::Sample => mean_of_batches(batches, observations, CONFIDENCE).map(|mean| mean.estimate(n)),
            Self::Whole => mean_of_all(batches).map(|mean| Estimate::exact(mean, n)),
        }
    }
}
