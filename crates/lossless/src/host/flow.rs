//! An active message or flow.

use hopscope_measure::Account;
use hopscope_units::Time;

use crate::observe::stage::FrameStage;

/// The state of a flow in its sending host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Queued for the host's link, or on it.
    InLine,
    /// Waiting until its rate permits the next frame.
    Paced,
    /// Waiting until its window permits the next frame.
    Window,
    /// It has nothing to send, or not yet again.
    Idle,
    /// It is over.
    Gone,
}

/// An active message: from its generation to its last frame's arrival. Arrivals need its first cache line, in a fixed
/// order; the rest concerns the sending host alone.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct FlowState {
    /// Its number in order of generation.
    pub number: u64,
    /// Its length.
    pub bits: u64,
    /// Bits that have neither arrived nor been dropped.
    pub under_way: u64,
    /// Bits dropped.
    pub lost: u64,
    /// When its receiver last notified its sender.
    pub notified: Time,
    /// The sending host.
    pub from: u32,
    /// The receiving host.
    pub to: u32,
    /// Its hash for ECMP.
    pub hash: u32,
    /// Frames sent.
    pub frames: u32,
    /// The index of the next expected frame.
    pub expected: u32,
    /// Its state in the sending host.
    pub standing: Standing,
    /// The class under which it is reported.
    pub class: u8,
    /// The group of lanes of its class.
    pub service: u8,
    /// Its ledger in the sending host.
    pub account: Account<{ FrameStage::COUNT }>,
    /// Bits not yet sent.
    pub unsent: u64,
    /// Bits sent, including retransmissions.
    pub sent: u64,
    /// Bits sent or queued that are not acknowledged, if nothing is retransmitted.
    pub outstanding: u64,
    /// The total time for which its host's lane had been stopped when it last joined the ring.
    pub mark: u64,
    /// The instant before which its rate permits no further frame.
    pub not_before: Time,
}

const _: () = assert!(std::mem::offset_of!(FlowState, account) == 64 && size_of::<FlowState>() == 192);
