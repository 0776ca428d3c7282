//! The sliding window: every unit is acknowledged.

use super::{Answer, Numbers, Recovery, SendingRule, Unit};

/// A sliding window: every unit is acknowledged, and lets another one go. It is the rule that others are compared with;
/// saturated, it is a closed queueing network (Reiser 1979).
#[derive(Clone, Copy, Debug)]
pub struct Sliding {
    window: u64,
    numbers: Numbers,
}

impl Sliding {
    /// A window of so many units. Panics at 0.
    #[must_use]
    pub fn new(window: u64) -> Self {
        assert!(window > 0, "a window has room for a unit");
        Self { window, numbers: Numbers::default() }
    }
}

impl SendingRule for Sliding {
    fn allowance(&self) -> u64 {
        self.window - self.numbers.outstanding()
    }

    fn send(&mut self) -> Unit {
        assert!(self.allowance() > 0, "a unit is sent within its window");
        Unit { number: self.numbers.take(), request: true }
    }

    fn answered(&mut self, answer: Answer, _: bool) -> Recovery {
        if let Answer::Acknowledge { next, .. } = answer {
            self.numbers.acknowledge(next);
        }
        Recovery::Nothing
    }

    fn outstanding(&self) -> u64 {
        self.numbers.outstanding()
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn bound(&self) -> u64 {
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_acknowledgment_lets_as_many_go_as_it_names() {
        let mut sliding = Sliding::new(3);
        while sliding.allowance() > 0 {
            sliding.send();
        }
        sliding.answered(Answer::Acknowledge { next: 2, ready: true }, true);
        assert_eq!((sliding.allowance(), sliding.outstanding()), (2, 1));
        sliding.answered(Answer::Acknowledge { next: 1, ready: true }, true);
        assert_eq!(sliding.allowance(), 2, "an answer that was overtaken says nothing new");
    }
}
