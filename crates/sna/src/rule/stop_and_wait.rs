//! One at a time: the ARPANET host that waits for its RFNM.

use super::{Answer, Numbers, Recovery, SendingRule, Sliding};

/// One unit at a time: the next one is sent when the last one is acknowledged, as an ARPANET host does that waits for
/// each RFNM.
#[derive(Clone, Copy, Debug)]
pub struct StopAndWait(Sliding);

impl StopAndWait {
    /// A sender of which nothing is outstanding.
    #[must_use]
    pub fn new() -> Self {
        Self(Sliding::new(1))
    }
}

impl Default for StopAndWait {
    fn default() -> Self {
        Self::new()
    }
}

impl SendingRule for StopAndWait {
    fn numbers(&self) -> &Numbers {
        self.0.numbers()
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        self.0.numbers_mut()
    }

    fn answered(&mut self, answer: Answer, held: bool) -> Recovery {
        self.0.answered(answer, held)
    }

    fn window(&self) -> u64 {
        self.0.window()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Unit;

    #[test]
    fn the_second_waits_for_the_first_to_be_acknowledged() {
        let mut rule = StopAndWait::new();
        assert_eq!(rule.send(), Unit { number: 0, request: true });
        assert_eq!(rule.allowance(), 0);
        rule.answered(Answer::Acknowledge { next: 1, ready: true }, true);
        assert_eq!(rule.allowance(), 1);
    }
}
