//! A frame in the network.

use hopscope_measure::Account;

use crate::observe::stage::FrameStage;

/// No frame.
pub(crate) const NO_FRAME: u32 = u32::MAX;

/// The number that stands for no message.
pub(crate) const NO_NUMBER: u64 = u64::MAX;

/// The group of lanes of a frame of which only the header is left.
pub(crate) const HEADER_SERVICE: u8 = u8::MAX;

/// A frame in the network, or the ledger of its message while that waits in the host: two cache lines, the ledger's
/// sums and the rest. The look-ahead reads a field of each: hence the fixed order.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Frame {
    /// The ledger of its message so far, if this frame completes it.
    pub account: Account<{ FrameStage::COUNT }>,
    /// The total time for which its queue had been stopped when it joined; before that, with cut-through, when it will
    /// be complete.
    pub mark: u64,
    /// The number of its message, for journeys; [`NO_NUMBER`] unless it is the message's last frame.
    pub number: u64,
    /// Its flow.
    pub flow: u32,
    /// The receiving host.
    pub to: u32,
    /// Its length.
    pub bits: u32,
    /// The next frame in the same queue; while it waits to be complete, its chosen channel.
    pub next: u32,
    /// The lane of the input by which it came, as an index among inputs.
    pub input: u32,
    /// The hash of its flow.
    pub hash: u32,
    /// Its index among the frames of its message.
    pub sequence: u32,
    /// Its lane on the link that it is on or was last on.
    pub lane: u8,
    /// The group of lanes of its class.
    pub service: u8,
    /// The number of switches that it may still pass, if bounded.
    pub ttl: u8,
    /// Whether a switch has marked it.
    pub marked: bool,
}

const _: () = assert!(size_of::<Frame>() == 128);
