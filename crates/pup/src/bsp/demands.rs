//! A sender's demands for acknowledgments: which one is awaited, until when, and how long answers take.

use hopscope_units::{Span, Time};

use super::RetransmissionTimer;
use super::sending_rule::Demanding;
use super::sequence::precedes;

/// A demand for an acknowledgment that is under way.
#[derive(Clone, Copy, Debug)]
struct Demand {
    /// The end of what it covers.
    end: u32,
    sent: Time,
    /// Whether it is the first for its clump, so that the answer is its own.
    first: bool,
}

/// The demands of one sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demands {
    demanding: Demanding,
    /// The last demand, as long as nothing has come back for it.
    awaited: Option<Demand>,
    /// The shortest time from a demand to its answer, of those that left no doubt which answer it was.
    shortest: Option<Span>,
    deadline: Option<Time>,
    timer: RetransmissionTimer,
}

impl Demands {
    /// A sender that has demanded nothing yet.
    pub const fn new(demanding: Demanding, timer: RetransmissionTimer) -> Self {
        Self { demanding, awaited: None, shortest: None, deadline: None, timer }
    }

    /// Whether a demand is awaited.
    pub const fn awaiting(&self) -> bool {
        self.awaited.is_some()
    }

    /// When to give up waiting.
    pub const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// A demand for everything before `end` is sent; `again` where another one was for the same Pups.
    pub fn sent(&mut self, now: Time, end: u32, again: bool) {
        let (times, restarts) = match self.demanding {
            Demanding::Last => (true, true),
            Demanding::Each => (self.awaited.is_none() && !again, self.deadline.is_none()),
        };
        if times {
            self.awaited = Some(Demand { end, sent: now, first: !again });
        }
        if restarts {
            self.run_anew(now);
        }
    }

    /// Whether an acknowledgment of nothing new cannot be the answer to the last demand: there is none, or it is the
    /// first of its clump and no answer to such a one has ever come so fast.
    ///
    /// A sender that acted on it would repeat the clump, the repetition would be acknowledged twice, and so on with
    /// every clump without end: one needless probe would be enough.
    pub fn too_early(&self, now: Time) -> bool {
        let too_fast = |demand: Demand| {
            demand.first && self.shortest.is_some_and(|shortest| now.since(demand.sent) < shortest)
        };
        match self.demanding {
            Demanding::Last => self.awaited.is_none_or(too_fast),
            Demanding::Each => false,
        }
    }

    /// An acknowledgment of everything before `wanted` has come, which is `news` where less was acknowledged before.
    /// Where it answers the awaited demand, the round trip is measured, and it returns true.
    pub fn answered(&mut self, now: Time, wanted: u32, news: bool) -> bool {
        let covers = |demand: &Demand| match self.demanding {
            Demanding::Last => true,
            Demanding::Each => !precedes(wanted, demand.end),
        };
        let Some(demand) = self.awaited.filter(covers) else { return false };
        let round_trip = now.since(demand.sent);
        self.timer.measured(round_trip);
        if demand.first && news {
            self.shortest = Some(self.shortest.map_or(round_trip, |shortest| shortest.min(round_trip)));
        }
        true
    }

    /// The demand is not awaited any more: it is answered, or its answer would not identify the copy.
    pub fn forget(&mut self) {
        self.awaited = None;
    }

    /// An acknowledgment has been taken in; `outstanding` where it leaves Pups under way.
    pub fn after_acknowledgment(&mut self, now: Time, outstanding: bool) {
        self.deadline = match self.demanding {
            Demanding::Last => None,
            Demanding::Each => outstanding.then(|| self.timer.deadline(now)),
        };
    }

    /// The deadline runs anew.
    pub fn run_anew(&mut self, now: Time) {
        self.deadline = Some(self.timer.deadline(now));
    }

    /// Whether the deadline has passed; if so, it runs no longer.
    pub fn expired(&mut self, now: Time) -> bool {
        self.deadline.take_if(|deadline| now >= *deadline).is_some()
    }
}
