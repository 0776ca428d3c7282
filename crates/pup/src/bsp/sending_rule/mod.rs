//! When a sender sends, and what it sends again: one trait, and one file for each rule that Pup stations had or might
//! have had.
//!
//! A rule has no clock, no network and no bytes. It decides whether another Pup may be written, and gets the events; it
//! returns the Pups to send again, and the sender sends them.

mod burst;
mod clump;
mod sliding;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use burst::Burst;
use clump::Clump;
use sliding::Sliding;

/// When a sender sends, and what it sends again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SenderRule {
    /// The Mesa sender: a clump as large as the window, then nothing until all of it is acknowledged. An acknowledgment
    /// of less makes it send everything again that is not acknowledged.
    #[default]
    Clump,
    /// The BCPL sender: as the clump, but of what is not acknowledged it sends again only what went before the last
    /// demand for an acknowledgment, and fills the window in the same burst.
    Burst,
    /// A sliding window, which the Pup stations did not have: every Pup demands an acknowledgment, the window is always
    /// full, and only the oldest Pup is sent again.
    Sliding,
}

/// Which Pups demand an acknowledgment. The rest follows: what is timed, how long the timer runs, which acknowledgments
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demanding {
    /// The last of those that are sent together. Each demand is timed and starts the timer anew, and its answer stops
    /// it.
    Last,
    /// Each. One Pup at a time is timed, none that was sent twice, and the timer runs for the oldest.
    Each,
}

/// What an acknowledgment has brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledgment {
    /// Pups acknowledged that were not before.
    pub released: usize,
    /// Whether Pups are under way that it does not acknowledge.
    pub outstanding: bool,
    /// Pups written and not acknowledged.
    pub in_window: usize,
    /// Whether it answers the demand that was awaited.
    pub answered: bool,
}

/// What to do about Pups that may be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    /// Nothing: there is no sign that any is.
    Nothing,
    /// Send everything again that has been sent.
    Everything,
    /// Send everything again that has been sent and begins before this byte.
    Before(u32),
    /// Send the oldest Pup again.
    Oldest,
    /// Send a Pup without data that demands an acknowledgment.
    Probe,
}

/// A sender's rule.
pub(super) trait SendingRule {
    /// Which Pups demand an acknowledgment.
    fn demanding(&self) -> Demanding;

    /// Whether another Pup may be written to a window of `window` Pups that has room. `awaiting`: a demand has not been
    /// answered.
    fn admits(&self, window: usize, awaiting: bool) -> bool;

    /// A Pup has been written.
    fn written(&mut self);

    /// A demand has been sent for the acknowledgment of everything before `end`.
    fn demanded(&mut self, end: u32);

    /// An acknowledgment has come.
    fn acknowledged(&mut self, acknowledgment: &Acknowledgment) -> Recovery;

    /// The timer has run out.
    fn timed_out(&mut self) -> Recovery;
}

/// The rule that one sender follows.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChosenRule {
    Clump(Clump),
    Burst(Burst),
    Sliding(Sliding),
}

impl SenderRule {
    /// The rule at the start of a stream whose first byte has this number.
    pub(super) const fn begin(self, first: u32) -> ChosenRule {
        match self {
            Self::Clump => ChosenRule::Clump(Clump::new()),
            Self::Burst => ChosenRule::Burst(Burst::new(first)),
            Self::Sliding => ChosenRule::Sliding(Sliding::new()),
        }
    }
}

/// Calls the chosen rule.
macro_rules! chosen {
    ($self:ident, $rule:ident => $said:expr) => {
        match $self {
            ChosenRule::Clump($rule) => $said,
            ChosenRule::Burst($rule) => $said,
            ChosenRule::Sliding($rule) => $said,
        }
    };
}

impl SendingRule for ChosenRule {
    fn demanding(&self) -> Demanding {
        chosen!(self, rule => rule.demanding())
    }

    fn admits(&self, window: usize, awaiting: bool) -> bool {
        chosen!(self, rule => rule.admits(window, awaiting))
    }

    fn written(&mut self) {
        chosen!(self, rule => rule.written());
    }

    fn demanded(&mut self, end: u32) {
        chosen!(self, rule => rule.demanded(end));
    }

    fn acknowledged(&mut self, acknowledgment: &Acknowledgment) -> Recovery {
        chosen!(self, rule => rule.acknowledged(acknowledgment))
    }

    fn timed_out(&mut self) -> Recovery {
        chosen!(self, rule => rule.timed_out())
    }
}
