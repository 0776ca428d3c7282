//! The places of packets in FIFOs behind the heads.

use hopscope_units::Time;

use hopscope_kernel::Arena;

/// No entry behind.
pub(crate) const NO_ENTRY: u32 = u32::MAX;

/// A packet's place in one FIFO behind its head. A long packet is in several FIFOs at once, so its places are stored
/// apart from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FifoEntry {
    pub packet: u32,
    /// The entry behind this one.
    pub next: u32,
    /// When the packet's first byte came.
    pub first_in: Time,
}

/// The places behind the heads of all FIFOs.
pub(crate) type FifoEntries = Arena<FifoEntry>;
