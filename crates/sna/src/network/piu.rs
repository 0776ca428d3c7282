//! A path information unit under way.

use hopscope_measure::Account;
use hopscope_units::{Data, Time};

use crate::rule::{Answer, Unit};
use crate::stage::STAGES;

/// What a PIU carries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cargo {
    /// A message, or a segment of one.
    Data(Segment),
    /// The activation of a virtual route, in transit to the end.
    Activation,
    /// The response to it, in transit back.
    Activated,
    /// An answer of a virtual route's end to its start.
    Answer(Answer),
    /// An answer of session-level pacing.
    SessionAnswer {
        /// The session.
        session: u32,
        /// What it says.
        answer: Answer,
    },
}

/// A message, or a segment of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// The message's number in the order of birth.
    pub message: u64,
    /// Its session.
    pub session: u32,
    /// Whether it is the last of its message, which is over with it.
    pub is_last: bool,
    /// What it carries for the end of its virtual route, from its admission on.
    pub unit: Unit,
    /// What its message carries for the end of its session.
    pub session_unit: Option<Unit>,
    /// When its virtual route let it go.
    pub admitted: Time,
}

/// A path information unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piu {
    pub cargo: Cargo,
    /// Its virtual route.
    pub route: u32,
    /// The node where it is, by its place on the route; on a line, the one where it will be.
    pub hop: u8,
    /// Its number on the transmission group.
    pub sequence: u64,
    /// Which sending of its number it is: the latest one replaces those that have not left the first node.
    pub round: u32,
    /// Whether a node has marked it for moderate congestion (CWI).
    pub told: bool,
    /// Whether it is first in its queue and waits for room in the next node.
    pub blocked: bool,
    pub length: Data,
    pub account: Account<STAGES>,
}

impl Piu {
    /// Whether it takes a buffer.
    pub const fn is_data(&self) -> bool {
        matches!(self.cargo, Cargo::Data(_))
    }

    /// Whether it goes from the end of its route back to the start.
    pub const fn goes_back(&self) -> bool {
        matches!(self.cargo, Cargo::Activated | Cargo::Answer(_) | Cargo::SessionAnswer { .. })
    }

    /// The message or segment that it carries; nothing where it is none.
    pub const fn segment(&self) -> Option<Segment> {
        match self.cargo {
            Cargo::Data(segment) => Some(segment),
            Cargo::Activation | Cargo::Activated | Cargo::Answer(_) | Cargo::SessionAnswer { .. } => None,
        }
    }
}
