//! The retransmissions of something without an answer, and when it is given up.

use hopscope_units::Span;

/// Repeats after which each further one waits twice as long as the one before.
const DOUBLING_AFTER: u32 = 10;
/// The longest wait that comes of doubling.
const LONGEST: Span = Span::from_s(5);

/// Repeats in a row without an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    most: u32,
    repeats: u32,
}

impl Patience {
    /// Patience for `most` repeats.
    pub const fn new(most: u32) -> Self {
        Self { most, repeats: 0 }
    }

    /// Something has come back.
    pub fn answered(&mut self) {
        self.repeats = 0;
    }

    /// It is to be sent again. False where it has been often enough.
    pub fn again(&mut self) -> bool {
        self.repeats += 1;
        self.repeats <= self.most
    }

    /// What a wait of this length becomes by the repeats so far: after ten it doubles with each.
    pub fn stretched(&self, wait: Span) -> Span {
        let doublings = self.repeats.saturating_sub(DOUBLING_AFTER).min(16);
        (wait * (1 << doublings)).min(LONGEST.max(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_after_ten_repeats_and_ends_after_the_last() {
        let (mut patience, wait) = (Patience::new(46), Span::from_ms(650));
        let mut waits = Vec::new();
        while patience.again() {
            waits.push(patience.stretched(wait));
        }
        assert_eq!(waits.len(), 46);
        assert!(waits[..10].iter().all(|found| *found == wait));
        assert_eq!(waits[10..13], [1_300, 2_600, 5_000].map(Span::from_ms));
        assert!(waits[13..].iter().all(|found| *found == LONGEST));
        patience.answered();
        assert!(patience.again(), "an answer begins the count again");
    }
}
