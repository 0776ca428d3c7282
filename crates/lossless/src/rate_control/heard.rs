//! What a sender hears of its frames.

use hopscope_units::{Span, Time};

/// What one switch on the way tells of itself (in-band telemetry): the output that sent the frame, as it began to. Half
/// a cache line: five switches write on every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct Hop {
    /// The output, by any number that is its own.
    pub output: u32,
    /// Its rate, kbit/s.
    pub rate: u32,
    /// Bits that waited in the frame's queue behind it.
    pub queued: u64,
    /// Bits sent since the run began, the frame's among them.
    pub sent: u64,
    /// When the frame began to leave.
    pub at: Time,
}

const _: () = assert!(size_of::<Hop>() == 32);

/// How much switches put on the frames that pass them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telemetry {
    /// Nothing.
    None,
    /// That they were passed.
    Count,
    /// A [`Hop`] each.
    Hops,
}

/// What an acknowledgment tells the sender of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// The instant.
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
    /// What they told, where the law wants it.
    pub hops: &'a [Hop],
}

#[cfg(test)]
impl<'a> Heard<'a> {
    /// An acknowledgment of so many bits, unmarked, which tells nothing else.
    pub(crate) fn of(bits: u64, now: Time, round_trip: Span, hops: &'a [Hop]) -> Self {
        Self { now, round_trip, bits, marked: false, reached: 0, sent: 0, switches: 0, hops }
    }
}

/// How a sender learns that frames are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// An acknowledgment told so.
    Told,
    /// Nothing was heard for as long as the sender waits.
    TimedOut,
}

/// Frames of a flow are missing.
#[derive(Clone, Copy, Debug)]
pub struct Slip {
    /// The instant.
    pub now: Time,
    /// How the sender learns of it.
    pub how: Missing,
    /// As of the acknowledgment that told; by a timer, all that was sent.
    pub reached: u64,
    /// Bits that the flow has sent by now.
    pub sent: u64,
}
