//! The sums of one batch of time, exact.

use crate::batch_means::Batch;
use crate::time_batches::TimeBatch;

/// The place of a sum in a batch. A batch is one row of integers, so that adding and pairing up are loops over a slice:
/// offered messages and bits; messages given up; count and sum of each further series; then for each class its
/// messages, bits, latency and stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) stages: usize,
    pub(super) classes: usize,
    pub(super) series: usize,
}

const OFFERED_MESSAGES: usize = 0;
const OFFERED_BITS: usize = 1;
const GIVEN_UP: usize = 2;
const FIRST_SERIES: usize = 3;

/// Offsets within the columns of a class.
pub(super) const MESSAGES: usize = 0;
pub(super) const BITS: usize = 1;
pub(super) const LATENCY: usize = 2;
pub(super) const STAGES: usize = 3;

impl Columns {
    pub(super) const fn of_series(series: usize) -> usize {
        FIRST_SERIES + 2 * series
    }

    #[inline]
    pub(super) const fn of_class(self, class: usize) -> usize {
        Self::of_series(self.series) + class * (STAGES + self.stages)
    }

    const fn width(self) -> usize {
        self.of_class(self.classes)
    }
}

/// The sums of one batch of time, exact: messages, bits and picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Sums(Box<[u128]>);

impl Sums {
    pub(super) fn new(columns: Columns) -> Self {
        Self(vec![0; columns.width()].into())
    }

    #[inline]
    pub(super) fn offer(&mut self, bits: u64) {
        self.0[OFFERED_MESSAGES] += 1;
        self.0[OFFERED_BITS] += u128::from(bits);
    }

    pub(super) fn give_up(&mut self) {
        self.0[GIVEN_UP] += 1;
    }

    #[inline]
    pub(super) fn sample(&mut self, series: usize, ps: u64) {
        let column = Columns::of_series(series);
        self.0[column] += 1;
        self.0[column + 1] += u128::from(ps);
    }

    /// The columns of a class.
    #[inline]
    pub(super) fn class_mut(&mut self, columns: Columns, class: usize) -> &mut [u128] {
        &mut self.0[columns.of_class(class)..columns.of_class(class + 1)]
    }

    /// A sum over some classes of the column at this offset within each.
    pub(super) fn over(&self, columns: Columns, classes: &[usize], offset: usize) -> u128 {
        classes.iter().map(|&class| self.0[columns.of_class(class) + offset]).sum()
    }

    pub(super) fn offered_messages(&self) -> u128 {
        self.0[OFFERED_MESSAGES]
    }

    pub(super) fn given_up(&self) -> u128 {
        self.0[GIVEN_UP]
    }

    pub(super) fn offered_bits(&self) -> u128 {
        self.0[OFFERED_BITS]
    }

    /// Sum and count of a further series.
    pub(super) fn series(&self, series: usize) -> Batch {
        let column = Columns::of_series(series);
        Batch { sum: self.0[column + 1] as f64, weight: self.0[column] as f64 }
    }
}

impl TimeBatch for Sums {
    fn next(&self) -> Self {
        Self(vec![0; self.0.len()].into())
    }

    fn merge(&mut self, later: Self) {
        for (sum, more) in self.0.iter_mut().zip(&later.0) {
            *sum += more;
        }
    }
}
