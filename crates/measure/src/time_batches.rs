//! Batches of time that pair up as a run grows, so that their number is bounded.

use hopscope_units::{Span, Time};

/// The width of the first batches. Pairs double it as often as the run needs.
const FIRST_WIDTH: Span = Span::from_us(1);

/// The data of one interval of time.
pub(crate) trait TimeBatch {
    /// An empty batch after this one.
    fn next(&self) -> Self;

    /// Adds the data of the batch after this one.
    fn merge(&mut self, later: Self);
}

/// A division of time into batches of equal width, of which there are never more than a given number: when they are
/// full, neighbours pair up and the width doubles.
#[derive(Clone, Debug)]
pub(crate) struct TimeBatches<B> {
    most: usize,
    start: Time,
    begins: Time,
    width: Span,
    finished: Vec<B>,
    current: B,
}

impl<B: TimeBatch> TimeBatches<B> {
    /// Starts the first batch now. `most` is even.
    pub(crate) fn new(now: Time, most: usize, current: B) -> Self {
        assert!(most.is_multiple_of(2), "batches pair up");
        Self {
            most,
            start: now,
            begins: now,
            width: FIRST_WIDTH,
            finished: Vec::with_capacity(most),
            current,
        }
    }

    /// When the current batch ends.
    pub(crate) fn ends(&self) -> Time {
        self.begins + self.width
    }

    /// The current batch, if `now` lies before its end.
    #[inline]
    pub(crate) fn current(&mut self) -> &mut B {
        &mut self.current
    }

    /// Closes batches until `now` lies in the current one.
    pub(crate) fn roll(&mut self, now: Time) {
        while now >= self.ends() {
            self.begins = self.ends();
            let next = self.current.next();
            self.finished.push(std::mem::replace(&mut self.current, next));
            if self.finished.len() == self.most {
                self.pair_up();
            }
        }
    }

    fn pair_up(&mut self) {
        let mut finished = std::mem::take(&mut self.finished).into_iter();
        self.finished.reserve(self.most);
        while let (Some(mut first), Some(second)) = (finished.next(), finished.next()) {
            first.merge(second);
            self.finished.push(first);
        }
        self.width = self.width * 2;
    }

    /// Every batch so far with the time it covers; the current one up to now.
    pub(crate) fn iter(&self, now: Time) -> impl Iterator<Item = (&B, Span)> {
        let current = (&self.current, now.since(self.begins));
        self.finished.iter().map(|batch| (batch, self.width)).chain([current])
    }

    /// When the first batch began.
    pub(crate) fn start(&self) -> Time {
        self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Seen(Vec<u64>);

    impl TimeBatch for Seen {
        fn next(&self) -> Self {
            Self::default()
        }
        fn merge(&mut self, later: Self) {
            self.0.extend(later.0);
        }
    }

    proptest! {
        #[test]
        fn every_instant_lies_in_the_batch_that_covers_it(
            start in 0u64..1 << 40,
            gaps in prop::collection::vec(0u64..1 << 30, 1..200),
        ) {
            let mut batches = TimeBatches::new(Time::from_ps(start), 16, Seen::default());
            let mut now = Time::from_ps(start);
            for gap in gaps {
                now += Span::from_ps(gap);
                batches.roll(now);
                batches.current().0.push(now.ps());
            }
            prop_assert!(batches.finished.len() < 16);
            let mut begins = batches.start();
            for (batch, covered) in batches.iter(now) {
                let ends = begins + covered;
                prop_assert!(batch.0.iter().all(|&at| begins.ps() <= at && at <= ends.ps()));
                begins = ends;
            }
            prop_assert_eq!(begins, now);
        }
    }
}
