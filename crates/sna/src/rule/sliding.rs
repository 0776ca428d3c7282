//! The sliding window: every unit is acknowledged.

use super::{Answer, Numbers, Recovery, SendingRule};

/// A sliding window: every unit is acknowledged, and lets another one go. It is the rule that others are compared with;
/// saturated, it is a closed queueing network (Reiser 1979).
#[derive(Clone, Copy, Debug)]
pub struct Sliding {
    window: u64,
    numbers: Numbers,
}

impl Sliding {
    /// A window of this number of units. Panics at 0.
    #[must_use]
    pub fn new(window: u64) -> Self {
        Self { window, numbers: Numbers::new(window) }
    }
}

impl SendingRule for Sliding {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        &mut self.numbers
    }

    fn answered(&mut self, answer: Answer, _: bool) -> Recovery {
        if let Answer::Acknowledge { next, .. } = answer {
            self.numbers.slide(next, self.window);
        }
        Recovery::Nothing
    }

    fn window(&self) -> u64 {
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
