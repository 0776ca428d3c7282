//! Adaptive session-level pacing: each response says how large the next window may be.

use super::paced::Paced;
use super::{Answer, Numbers, Recovery, SendingRule};

/// Adaptive session-level pacing: as the fixed one, but the receiver says with each response how large the next window
/// is, by its free buffers.
///
/// Source: IBM, z/OS Communications Server, SNA Network Implementation Guide, session-level pacing.
#[derive(Clone, Copy, Debug)]
pub struct AdaptivePacing {
    most: u64,
    window: u64,
    paced: Paced,
}

impl AdaptivePacing {
    /// A session that begins with a window of one, as nobody has told it of a larger one, and never uses more than
    /// `most`. Panics at 0.
    #[must_use]
    pub fn new(most: u64) -> Self {
        assert!(most > 0, "a window has room for a message");
        Self { most, window: 1, paced: Paced::new(1) }
    }
}

impl SendingRule for AdaptivePacing {
    fn numbers(&self) -> &Numbers {
        &self.paced.numbers
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        &mut self.paced.numbers
    }

    fn asks(&self, number: u64) -> bool {
        self.paced.asks(number)
    }

    fn answered(&mut self, answer: Answer, _: bool) -> Recovery {
        let Answer::Response { request, window, .. } = answer else { return Recovery::Nothing };
        self.paced.answered(request);
        self.window = window.unwrap_or(self.window).clamp(1, self.most);
        self.paced.open(self.window);
        Recovery::Nothing
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn bound(&self) -> u64 {
        2 * self.most - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receiver_says_how_large_the_next_window_is() {
        let mut pacing = AdaptivePacing::new(7);
        let mut windows = Vec::new();
        for window in [4, 9, 0, 2] {
            let first = pacing.send();
            assert!(first.request);
            while pacing.allowance() > 0 {
                assert!(!pacing.send().request);
            }
            let answer = Answer::Response {
                request: first.number,
                congested: false,
                reset: false,
                window: Some(window),
            };
            pacing.answered(answer, true);
            windows.push(pacing.window());
        }
        assert_eq!(windows, [4, 7, 1, 2], "never more than the maximum, and never none");
    }
}
