//! The window of an X.25 virtual circuit, with receive ready and receive not ready.

use super::{Answer, Numbers, Recovery, SendingRule};

/// The window of an X.25 virtual circuit: every packet is acknowledged by receive ready (RR), or by receive not ready
/// (RNR), after which nothing may be sent until the receiver is ready again.
///
/// Source: CCITT recommendation X.25 (1980), packet level, window size W; the default is 2.
#[derive(Clone, Copy, Debug)]
pub struct X25 {
    window: u64,
    numbers: Numbers,
    ready: bool,
}

impl X25 {
    /// A circuit with this window. Panics at 0.
    #[must_use]
    pub fn new(window: u64) -> Self {
        Self { window, numbers: Numbers::new(window), ready: true }
    }
}

impl SendingRule for X25 {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        &mut self.numbers
    }

    fn allowance(&self) -> u64 {
        if self.ready { self.numbers.allowance() } else { 0 }
    }

    fn answered(&mut self, answer: Answer, _: bool) -> Recovery {
        if let Answer::Acknowledge { next, ready } = answer {
            self.numbers.slide(next, self.window);
            self.ready = ready;
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
    fn not_ready_acknowledges_and_stops() {
        let mut rule = X25::new(2);
        rule.send();
        rule.answered(Answer::Acknowledge { next: 1, ready: false }, false);
        assert_eq!((rule.outstanding(), rule.allowance()), (0, 0));
        rule.answered(Answer::Acknowledge { next: 1, ready: true }, true);
        assert_eq!(rule.allowance(), 2);
    }
}
