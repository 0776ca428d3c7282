//! Adaptive session-level pacing: each response says how large the next window may be.

use super::paced::{NextWindow, Paced, Response};

/// Adaptive session-level pacing: as the fixed one, but the receiver says with each response how large the next window
/// is, by its free buffers.
///
/// Source: IBM, z/OS Communications Server, SNA Network Implementation Guide, session-level pacing.
pub type AdaptivePacing = Paced<AsTold>;

impl AdaptivePacing {
    /// A session that begins with a window of one, before it learns of a larger one, and never uses more than `most`.
    /// Panics at 0.
    #[must_use]
    pub fn adaptive(most: u64) -> Self {
        assert!(most > 0, "a window has room for a message");
        Self::opened(1, most, AsTold)
    }
}

/// The receiver says how large the next window is.
#[derive(Clone, Copy, Debug)]
pub struct AsTold;

impl NextWindow for AsTold {
    fn next(&self, window: u64, most: u64, told: Response) -> u64 {
        told.window.unwrap_or(window).clamp(1, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Answer, SendingRule};

    #[test]
    fn the_receiver_says_how_large_the_next_window_is() {
        let mut pacing = AdaptivePacing::adaptive(7);
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
