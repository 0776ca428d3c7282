//! Who may send next: one trait, and one file for each rule.
//!
//! A rule has no clock, no network and no bytes. It numbers the units sent, limits those sent before an answer, and
//! gets the answers; it returns the units to send again, and the model sends them. The other end of all of them is the
//! [`Receiver`].

mod adaptive_pacing;
mod end_acknowledged;
mod hdlc;
mod paced;
mod pacing;
mod receiver;
mod sliding;
mod stop_and_wait;
mod x25;

pub use adaptive_pacing::AdaptivePacing;
pub use end_acknowledged::EndAcknowledged;
pub use hdlc::{Hdlc, Reject};
pub use pacing::Pacing;
pub use receiver::{Answering, Arrival, Ordering, Receiver};
pub use sliding::Sliding;
pub use stop_and_wait::StopAndWait;
pub use x25::X25;

/// What a unit carries for the rule's other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its number, from 0. Units that are sent again keep theirs. (On a line the numbers are modulo 8 or more; windows
    /// are smaller than that, so that nothing is ambiguous.)
    pub number: u64,
    /// Whether it asks for an answer that opens the next window.
    pub request: bool,
}

/// What comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Everything before `next` has arrived: an acknowledgment, RR, or RNR where the receiver is not ready.
    Acknowledge {
        /// The first unit that has not arrived.
        next: u64,
        /// Whether more may be sent.
        ready: bool,
    },
    /// A pacing response to the unit that carried the request.
    Response {
        /// The number of that unit.
        request: u64,
        /// Whether a unit of the window was marked for congestion in transit (change-window reply indicator, CWRI).
        congested: bool,
        /// Whether the response passed a severely congested node on its return path (reset-window indicator, RWI).
        reset: bool,
        /// The next window, where the receiver says how large it may be (adaptive session-level pacing).
        window: Option<u64>,
    },
    /// Everything from this number on must be sent again (REJ); what comes before it has arrived.
    Reject(u64),
    /// This unit alone must be sent again (SREJ).
    SelectiveReject(u64),
}

/// What must be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing.
    Nothing,
    /// Everything outstanding from this number on.
    From(u64),
    /// One unit.
    One(u64),
}

/// A rule that says who may send next. What a rule does not say itself follows from its numbers.
pub trait SendingRule {
    /// What has been sent and acknowledged, and what may be sent.
    fn numbers(&self) -> &Numbers;

    /// The same, to send.
    fn numbers_mut(&mut self) -> &mut Numbers;

    /// Whether the unit of this number asks for an answer.
    fn asks(&self, _: u64) -> bool {
        true
    }

    /// How many units may be sent before another answer has come.
    fn allowance(&self) -> u64 {
        self.numbers().allowance()
    }

    /// The next unit is sent. Panics unless the allowance is above 0.
    fn send(&mut self) -> Unit {
        assert!(self.allowance() > 0, "a unit is sent within its window");
        let number = self.numbers_mut().take();
        Unit { number, request: self.asks(number) }
    }

    /// An answer has come. `held` is whether a unit has been waiting for it.
    fn answered(&mut self, answer: Answer, held: bool) -> Recovery;

    /// Nothing has come for as long as the sender waits.
    fn timed_out(&mut self) -> Recovery {
        Recovery::Nothing
    }

    /// Units that have been sent and are not known to have arrived.
    fn outstanding(&self) -> u64 {
        self.numbers().outstanding()
    }

    /// The window as it is now, units.
    fn window(&self) -> u64;

    /// The most units that can ever be outstanding.
    fn bound(&self) -> u64 {
        self.window()
    }
}

/// The numbers that every rule keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The first unit not known to have arrived.
    base: u64,
    /// The next unit to be sent.
    next: u64,
    /// The first unit that may not be sent yet.
    end: u64,
}

impl Numbers {
    /// Nothing is sent, and the first window may be. Panics where that is 0.
    fn new(window: u64) -> Self {
        assert!(window > 0, "a window has room for a unit");
        Self { base: 0, next: 0, end: window }
    }

    const fn allowance(&self) -> u64 {
        self.end - self.next
    }

    const fn outstanding(&self) -> u64 {
        self.next - self.base
    }

    fn take(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Everything before `next` has arrived. An answer that was overtaken by a later one says nothing new. Panics where
    /// what was never sent is acknowledged.
    fn acknowledge(&mut self, next: u64) {
        assert!(next <= self.next, "unit {next} was acknowledged before it was sent");
        self.base = self.base.max(next);
    }

    /// The same of a window that slides: as many more may be sent.
    fn slide(&mut self, next: u64, window: u64) {
        self.acknowledge(next);
        self.end = self.base + window;
    }
}

/// The rule that one sender follows.
#[derive(Clone, Copy, Debug)]
pub enum ChosenRule {
    /// Virtual-route pacing, or fixed session-level pacing.
    Pacing(Pacing),
    /// Adaptive session-level pacing.
    AdaptivePacing(AdaptivePacing),
    /// A sliding window.
    Sliding(Sliding),
    /// A window acknowledged at its end.
    EndAcknowledged(EndAcknowledged),
    /// One message at a time.
    StopAndWait(StopAndWait),
    /// X.25.
    X25(X25),
    /// HDLC.
    Hdlc(Hdlc),
}

/// Calls the chosen rule.
macro_rules! chosen {
    ($self:ident, $rule:ident => $said:expr) => {
        match $self {
            ChosenRule::Pacing($rule) => $said,
            ChosenRule::AdaptivePacing($rule) => $said,
            ChosenRule::Sliding($rule) => $said,
            ChosenRule::EndAcknowledged($rule) => $said,
            ChosenRule::StopAndWait($rule) => $said,
            ChosenRule::X25($rule) => $said,
            ChosenRule::Hdlc($rule) => $said,
        }
    };
}

impl SendingRule for ChosenRule {
    fn numbers(&self) -> &Numbers {
        chosen!(self, rule => rule.numbers())
    }

    fn numbers_mut(&mut self) -> &mut Numbers {
        chosen!(self, rule => rule.numbers_mut())
    }

    fn asks(&self, number: u64) -> bool {
        chosen!(self, rule => rule.asks(number))
    }

    fn allowance(&self) -> u64 {
        chosen!(self, rule => rule.allowance())
    }

    fn answered(&mut self, answer: Answer, held: bool) -> Recovery {
        chosen!(self, rule => rule.answered(answer, held))
    }

    fn timed_out(&mut self) -> Recovery {
        chosen!(self, rule => rule.timed_out())
    }

    fn window(&self) -> u64 {
        chosen!(self, rule => rule.window())
    }

    fn bound(&self) -> u64 {
        chosen!(self, rule => rule.bound())
    }
}
