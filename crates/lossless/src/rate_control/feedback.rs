//! The feedback that a sender gets on its frames: acknowledgments, in-band telemetry and signs of loss.

use hopscope_units::{Span, Time};

/// The in-band telemetry of one switch: the output that sent the frame, as it began to. Half a cache line: five
/// switches write one per frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct Hop {
    /// The output, by a number that is unique to it.
    pub output: u32,
    /// Its rate.
    pub rate_kbit_s: u32,
    /// Data that waited in the frame's queue behind it.
    pub queued_bits: u64,
    /// Data sent since the run began, with the frame.
    pub sent_bits: u64,
    /// When the frame began to leave.
    pub at: Time,
}

const _: () = assert!(size_of::<Hop>() == 32);

/// How much telemetry switches write on the frames that pass them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telemetry {
    /// Nothing.
    None,
    /// The number of switches passed.
    Count,
    /// A [`Hop`] each.
    Hops,
}

/// An acknowledgment that arrives at the sender of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// The instant.
    pub now: Time,
    /// From the first bit of the frame to its acknowledgment.
    pub round_trip: Span,
    /// Data that this acknowledgment confirms.
    pub acked_bits: u64,
    /// Whether a switch marked the frame (ECN).
    pub marked: bool,
    /// Data that the flow had sent up to the end of the acknowledged frame.
    pub frame_end_bits: u64,
    /// Data that the flow has sent by now.
    pub sent_bits: u64,
    /// The number of switches on the path, if the law requests it.
    pub switches: u32,
    /// Their telemetry in the order of the path, if the law requests it.
    pub hops: &'a [Hop],
}

#[cfg(test)]
impl<'a> Ack<'a> {
    /// An acknowledgment without a mark, of a flow that has sent nothing else.
    pub(crate) fn of(acked_bits: u64, now: Time, round_trip: Span, hops: &'a [Hop]) -> Self {
        Self {
            now,
            round_trip,
            acked_bits,
            marked: false,
            frame_end_bits: 0,
            sent_bits: 0,
            switches: 0,
            hops,
        }
    }
}

/// How a sender learns of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSignal {
    /// By an acknowledgment of other frames.
    Ack,
    /// No acknowledgment came before the retransmission timer expired.
    Timeout,
}

/// Frames of a flow are lost, as the sender learns.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// The instant.
    pub now: Time,
    /// How the sender learns of it.
    pub signal: LossSignal,
    /// Data that the flow had sent up to the end of the acknowledged frame; at a timeout, all that was sent.
    pub frame_end_bits: u64,
    /// Data that the flow has sent by now.
    pub sent_bits: u64,
}
