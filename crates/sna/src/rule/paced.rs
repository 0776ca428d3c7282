//! Windows that responses open one behind the other: the first unit of each carries the pacing request.

use super::Numbers;

/// The numbers of a sender that is paced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paced {
    pub numbers: Numbers,
    /// The first unit of the window that was opened last, which carries the request.
    start: u64,
}

impl Paced {
    /// The first window is open.
    pub fn new(window: u64) -> Self {
        Self { numbers: Numbers::new(window), start: 0 }
    }

    pub const fn asks(&self, number: u64) -> bool {
        number == self.start
    }

    /// The last request is answered. Panics where another one is, or one that was not sent.
    pub fn answered(&mut self, request: u64) {
        assert!(
            self.asks(request) && request < self.numbers.next,
            "a response answers the last request, once it was sent"
        );
        self.numbers.acknowledge(request + 1);
    }

    /// The next window is open, behind the last one.
    pub const fn open(&mut self, window: u64) {
        self.start = self.numbers.end;
        self.numbers.end += window;
    }
}
