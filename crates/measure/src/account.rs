//! The delay ledger of one message.

use hopscope_units::{Span, Time};

/// The delay ledger of one message: its life so far as an unbroken sequence of stages, kept as a sum for each stage.
///
/// `N` is the number of stages of the model. The sums add up to the age of the message at the last `close`, exactly,
/// because each `close` charges all the time since the one before.
/// The order in memory is fixed, so that a model with eight stages can have the sums in a cache line of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Account<const N: usize> {
    spent_ps: [u64; N],
    born: Time,
    since: Time,
}

impl<const N: usize> Account<N> {
    /// The account of a message generated now.
    #[inline]
    #[must_use]
    pub const fn open(now: Time) -> Self {
        Self { born: now, since: now, spent_ps: [0; N] }
    }

    /// Ends the stage that began at the last `close` (or at generation) and charges its time to `stage`.
    ///
    /// Returns how long it lasted. Panics where time ran backwards or `stage` is not below `N`.
    #[inline]
    pub fn close(&mut self, stage: usize, now: Time) -> Span {
        let spent = now.since(self.since);
        self.spent_ps[stage] += spent.ps();
        self.since = now;
        spent
    }

    /// When the message was generated.
    #[inline]
    #[must_use]
    pub const fn born(&self) -> Time {
        self.born
    }

    /// When the running stage began.
    #[inline]
    #[must_use]
    pub const fn since(&self) -> Time {
        self.since
    }

    /// Picoseconds spent in each stage.
    #[inline]
    #[must_use]
    pub const fn spent_ps(&self) -> &[u64; N] {
        &self.spent_ps
    }

    /// The sum over all stages.
    #[inline]
    #[must_use]
    pub fn total(&self) -> Span {
        Span::from_ps(self.spent_ps.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn charges_each_stage_with_the_time_since_the_last() {
        let mut account = Account::<3>::open(Time::from_ps(100));
        assert_eq!(account.close(1, Time::from_ps(150)), Span::from_ps(50));
        assert_eq!(account.close(2, Time::from_ps(150)), Span::ZERO);
        assert_eq!(account.close(1, Time::from_ps(157)), Span::from_ps(7));
        assert_eq!(account.spent_ps(), &[0, 57, 0]);
        assert_eq!((account.born(), account.since()), (Time::from_ps(100), Time::from_ps(157)));
    }

    proptest! {
        #[test]
        fn stages_add_up_to_the_age(
            born in 0u64..1 << 40,
            steps in prop::collection::vec((0usize..4, 0u64..1 << 40), 0..40),
        ) {
            let mut now = Time::from_ps(born);
            let mut account = Account::<4>::open(now);
            for (stage, gap) in steps {
                now += Span::from_ps(gap);
                account.close(stage, now);
            }
            prop_assert_eq!(account.total(), now.since(account.born()));
        }
    }
}
