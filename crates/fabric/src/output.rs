use hopscope_units::Time;

use crate::slots::{NO_SLOT, Slot};

/// An output port: held by at most one packet, from the grant until its last byte has left.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The FIFO or send queue whose head packet holds it.
    pub holder: Slot,
    /// Whether the receiver at the far end has told it to stop.
    pub stopped: bool,
    /// How many heads of FIFOs wait for an output among which is this one.
    pub waiting: u32,
    /// When it was granted.
    pub held_since: Time,
    /// Since when it has been held without sending: stopped, or run dry.
    pub idle_since: Time,
    /// What it has done since the restart.
    pub use_: OutputUse,
}

/// What an output has done since the measurement began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OutputUse {
    /// Time held, in picoseconds.
    pub held_ps: u64,
    /// Of it, time held while stopped by the receiver.
    pub stopped_ps: u64,
    /// Of it, time held while the packet's rest had not come.
    pub dry_ps: u64,
    /// Time that packets waited for this output before it was granted to them.
    pub wait_ps: u64,
    /// Time that packets spent in the FIFO at the far end behind others.
    pub fifo_wait_ps: u64,
    /// Time that packets spent in the FIFO at the far end, from first byte in to last byte out.
    pub fifo_held_ps: u64,
    /// Packets sent.
    pub packets: u64,
    /// Bits sent.
    pub bits: u64,
}

impl Output {
    pub fn new() -> Self {
        Self {
            holder: NO_SLOT,
            stopped: false,
            waiting: 0,
            held_since: Time::ZERO,
            idle_since: Time::NEVER,
            use_: OutputUse::default(),
        }
    }

    /// Whether it can be granted.
    pub fn is_idle(&self) -> bool {
        self.holder == NO_SLOT && !self.stopped
    }
}
