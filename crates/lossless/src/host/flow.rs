//! A message or flow under way.

use hopscope_measure::Account;
use hopscope_units::Time;

use crate::observe::stage::FrameStage;

/// Where a flow stands whose host still has to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// In line for the host's link, or on it.
    InLine,
    /// Until its rate permits the next frame.
    Paced,
    /// Until its window permits the next frame.
    Window,
    /// It has nothing to send, or not yet again.
    Idle,
    /// It is over.
    Gone,
}

/// A message under way: from its birth to its last frame's arrival. What an arrival asks for is its first cache line,
/// in a fixed order; the rest concerns the sending host alone.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct FlowState {
    /// Its number in the order of birth.
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
    /// What ECMP sees of it.
    pub hash: u32,
    /// Frames sent.
    pub frames: u32,
    /// The place of the frame that is expected next.
    pub expected: u32,
    /// Where it stands.
    pub standing: Standing,
    /// The class under which it is reported.
    pub class: u8,
    /// The group of lanes of its class.
    pub service: u8,
    /// Its life in the sending host.
    pub account: Account<{ FrameStage::COUNT }>,
    /// Bits not yet put into frames.
    pub unsent: u64,
    /// Bits sent, those sent again among them.
    pub sent: u64,
    /// Bits sent or in line that are not acknowledged, where nothing is sent again.
    pub outstanding: u64,
    /// How long its host's lane had been held back in all when it last joined the ring.
    pub mark: u64,
    /// The instant before which its rate permits no further frame.
    pub not_before: Time,
}

const _: () = assert!(std::mem::offset_of!(FlowState, account) == 64 && size_of::<FlowState>() == 192);
