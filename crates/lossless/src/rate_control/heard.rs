//! What a sender hears of its frames.

use hopscope_units::{Span, Time};

/// What one switch on the way tells of itself (in-band telemetry): the output that sent the frame, as it began to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// The output, by any number that is its own.
    pub output: u32,
    /// Its rate, kbit/s.
    pub rate: u64,
    /// Bits that waited in the frame's queue behind it.
    pub queued: u64,
    /// Bits sent since the run began, the frame's among them.
    pub sent: u64,
    /// When the frame began to leave.
    pub at: Time,
}

/// How much switches put on the frames that pass them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telemetry {
    /// Nothing.
    None,
    /// That they were passed.
    Count,
    /// A [`Hop`] each.
    Hops,
}

/// What an acknowledgment tells the sender of a flow.
#[derive(Debug)]
pub(crate) struct Heard<'a> {
    pub now: Time,
    /// From the first bit of the frame to its acknowledgment.
    pub round_trip: Span,
    /// Bits that are now known to have arrived.
    pub bits: u64,
    /// Whether a switch marked the frame.
    pub marked: bool,
    /// Bits that the flow had sent when the frame was, with it.
    pub reached: u64,
    /// Bits that the flow has sent by now.
    pub sent: u64,
    /// Switches on the way, where the law wants them counted.
    pub switches: u32,
    /// What they told, where the law wants it. The law may keep what is here.
    pub hops: &'a mut Vec<Hop>,
}

/// How a sender learns that frames are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// An acknowledgment told so.
    Told,
    /// Nothing was heard for as long as the sender waits.
    TimedOut,
}

/// Frames of a flow are missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slip {
    pub now: Time,
    pub how: Missing,
    /// As of the acknowledgment that told; by a timer, all that was sent.
    pub reached: u64,
    /// Bits that the flow has sent by now.
    pub sent: u64,
}
