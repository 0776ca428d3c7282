//! A window that is acknowledged at its end only.

use super::{Answer, Numbers, Recovery, SendingRule, Unit};

/// A window of which the last unit alone is acknowledged: it is sent whole, then the sender waits. Schwartz (1982)
/// compares virtual-route pacing with it.
#[derive(Clone, Copy, Debug)]
pub struct EndAcknowledged {
    window: u64,
    numbers: Numbers,
    /// The end of the window that is open.
    end: u64,
}

impl EndAcknowledged {
    /// A window of so many units. Panics at 0.
    #[must_use]
    pub fn new(window: u64) -> Self {
        assert!(window > 0, "a window has room for a unit");
        Self { window, numbers: Numbers::default(), end: window }
    }
}

impl SendingRule for EndAcknowledged {
    fn allowance(&self) -> u64 {
        self.end - self.numbers.next
    }

    fn send(&mut self) -> Unit {
        assert!(self.allowance() > 0, "a unit is sent within its window");
        let number = self.numbers.take();
        Unit { number, request: number + 1 == self.end }
    }

    fn answered(&mut self, answer: Answer, _: bool) -> Recovery {
        if let Answer::Response { request, .. } = answer {
            assert!(request + 1 == self.end, "the end of a window is answered");
            self.numbers.acknowledge(request + 1);
            self.end += self.window;
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
    fn the_last_of_a_window_asks_and_nothing_goes_until_it_is_answered() {
        let mut rule = EndAcknowledged::new(3);
        let asked: Vec<bool> = (0..3).map(|_| rule.send().request).collect();
        assert_eq!(asked, [false, false, true]);
        assert_eq!((rule.allowance(), rule.outstanding()), (0, 3));
        rule.answered(Answer::Response { request: 2, congested: false, reset: false, window: None }, true);
        assert_eq!((rule.allowance(), rule.outstanding()), (3, 0));
    }
}
