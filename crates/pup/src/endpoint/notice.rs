//! The notices of an endpoint to its user.

use crate::wire::{ErrorReport, Port};

/// How a conversation has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Both ends have agreed on it, or the whole file has been acknowledged.
    Complete,
    /// The other end has broken it off.
    Aborted,
    /// Nothing has come back for as many repeats as there is patience for.
    NoAnswer,
    /// The other machine has no listener at that socket.
    NoSuchSocket,
}

/// Something that the user of an endpoint may want to know. `conversation` is the name that
/// [`Endpoint::call`](super::Endpoint::call) gave, or a new one if another host has called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Bytes may flow between here and there.
    Opened {
        /// Which conversation.
        conversation: u32,
        /// The other end.
        far: Port,
    },
    /// A conversation is over; what has been received can still be read.
    Ended {
        /// Which conversation.
        conversation: u32,
        /// How.
        how: Ending,
    },
    /// A mark has come, behind this many bytes of the stream.
    Mark {
        /// Which conversation.
        conversation: u32,
        /// The mark.
        mark: u8,
        /// Bytes of data before it.
        behind: u64,
    },
    /// The other end interrupts; it has been answered.
    Interrupt {
        /// Which conversation.
        conversation: u32,
    },
    /// An echo has come back.
    Echo {
        /// The identifier of the request.
        id: u32,
        /// Its data.
        data: Vec<u8>,
    },
    /// A Pup of ours was not delivered.
    Undelivered(ErrorReport),
    /// The routes have changed.
    Routes,
}

/// What comes of something that happened to a conversation.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// Pups that answer.
    pub answers: Vec<Vec<u8>>,
    pub notices: Vec<Notice>,
}
