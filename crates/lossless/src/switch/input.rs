//! The frames of an input lane in the buffer of its switch.

use crate::frame::NO_FRAME;

/// The state of an input lane.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Input {
    /// Bits of frames that came by it and have not left.
    pub held: u64,
    /// Those of them that came after XOFF, and are in the headroom.
    pub headroom: u64,
    /// The slot that it is at.
    pub slot: u32,
    /// The maximum of both since the restart.
    pub peak: u64,
    pub headroom_peak: u64,
    /// The FIFO of an input lane, without its head; nothing with pause frames.
    pub first: u32,
    pub last: u32,
    /// The head of the FIFO.
    pub head: u32,
    /// The turn counter among next hops.
    turns: u32,
    /// XOFFs sent since the restart.
    pub xoffs: u32,
    /// Whether the sender is to be paused.
    pub stopped: bool,
    /// Whether a pause frame waits to begin, which will carry the state at that time.
    pub tells: bool,
    /// The phase of frames that come by it, for the routes.
    pub phase: u8,
}

const _: () = assert!(size_of::<Input>() == 64);

impl Input {
    /// Inputs begin their turns at different next hops.
    pub fn new(slot: u32, phase: u8, turns: u32) -> Self {
        Self {
            held: 0,
            headroom: 0,
            slot,
            peak: 0,
            headroom_peak: 0,
            first: NO_FRAME,
            last: NO_FRAME,
            head: NO_FRAME,
            turns,
            xoffs: 0,
            stopped: false,
            tells: false,
            phase,
        }
    }

    #[inline]
    pub fn next_turn(&mut self) -> u32 {
        self.turns = self.turns.wrapping_add(1);
        self.turns
    }
}
