//! Windows that responses open one behind the other: the first unit of each carries the pacing request.

use std::fmt::Debug;

use super::{Answer, Numbers, Recovery, SendingRule};

/// The contents of a pacing response about the window that it opens.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    /// Whether a unit of the window was marked for congestion in transit.
    pub(super) congested: bool,
    /// Whether the response passed a severely congested node on its return path.
    pub(super) reset: bool,
    /// The next window, where the receiver says how large it may be.
    pub(super) window: Option<u64>,
    /// Whether a unit has been waiting for the response.
    pub(super) held: bool,
}

/// How large the next window is.
pub trait NextWindow: Clone + Copy + Debug {
    /// The window that a response opens, of at most `most` units.
    fn next(&self, window: u64, most: u64, response: Response) -> u64;
}

/// A sender that is paced: its windows follow each other, and `W` says how large they are.
#[derive(Clone, Copy, Debug)]
pub struct Paced<W> {
    numbers: Numbers,
    /// The first unit of the window that was opened last, which carries the request.
    start: u64,
    window: u64,
    most: u64,
    next: W,
}

impl<W: NextWindow> Paced<W> {
    /// The first window is open.
    pub(super) fn opened(window: u64, most: u64, next: W) -> Self {
        Self { numbers: Numbers::new(window), start: 0, window, most, next }
    }
}

impl<W: NextWindow> SendingRule for Paced<W> {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        &mut self.numbers
    }

    fn asks(&self, number: u64) -> bool {
        number == self.start
    }

    /// A response opens the next window, behind the last one. Panics where it answers another request than the last,
    /// or one that was not sent.
    fn answered(&mut self, answer: Answer, held: bool) -> Recovery {
        let Answer::Response { request, congested, reset, window } = answer else { return Recovery::Nothing };
        assert!(
            self.asks(request) && request < self.numbers.next,
            "a response answers the last request, once it was sent"
        );
        self.numbers.acknowledge(request + 1);
        self.window = self.next.next(self.window, self.most, Response { congested, reset, window, held });
        self.start = self.numbers.end;
        self.numbers.end += self.window;
        Recovery::Nothing
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn bound(&self) -> u64 {
        2 * self.most - 1
    }
}
