//! A window that is acknowledged at its end only.

use super::{Answer, Numbers, Recovery, SendingRule};

/// A window of which the last unit alone is acknowledged: it is sent whole, then the sender waits. Schwartz (1982)
/// compares virtual-route pacing with it.
#[derive(Clone, Copy, Debug)]
pub struct EndAcknowledged {
    window: u64,
    numbers: Numbers,
}

impl EndAcknowledged {
    /// A window of this number of units. Panics at 0.
    #[must_use]
    pub fn new(window: u64) -> Self {
        Self { window, numbers: Numbers::new(window) }
    }
}

impl SendingRule for EndAcknowledged {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        &mut self.numbers
    }

    fn asks(&self, number: u64) -> bool {
        number + 1 == self.numbers.end
    }

    fn answered(&mut self, answer: Answer, _: bool) -> Recovery {
        if let Answer::Response { request, .. } = answer {
            assert!(self.asks(request), "the end of a window is answered");
            self.numbers.slide(request + 1, self.window);
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
    fn the_last_of_a_window_asks_and_nothing_goes_until_it_is_answered() {
        let mut rule = EndAcknowledged::new(3);
        let asked: Vec<bool> = (0..3).map(|_| rule.send().request).collect();
        assert_eq!(asked, [false, false, true]);
        assert_eq!((rule.allowance(), rule.outstanding()), (0, 3));
        rule.answered(Answer::Response { request: 2, congested: false, reset: false, window: None }, true);
        assert_eq!((rule.allowance(), rule.outstanding()), (3, 0));
    }
}
