//! The shared buffer of a switch: how much it holds, and of that how much is in no headroom.

use hopscope_fabric::Slot;
use hopscope_kernel::RandomStream;
use hopscope_topology::Port;
use hopscope_units::Time;

/// A switch: its shared buffer.
#[derive(Debug)]
pub(crate) struct SwitchState {
    /// Bits in the buffer that are not in anybody's headroom.
    pub shared: u64,
    /// All bits in the buffer, and the most of them since the restart.
    pub held: u64,
    pub peak: u64,
    /// Bits times picoseconds since the restart, up to when they last changed.
    pub integral: u128,
    pub changed: Time,
    /// Picks next hops, frames to mark, and who of several is first.
    pub random: RandomStream,
    /// The slot of port 0.
    pub base: Slot,
    /// The port after the one that came first when last several asked at one instant.
    pub turn: Port,
    /// Frames dropped here since the restart because their time to live had expired.
    pub expired: u64,
    /// The seed of its flow hash.
    pub hash_seed: u32,
}

impl SwitchState {
    /// The buffer holds so much from now on.
    #[inline]
    pub fn hold(&mut self, now: Time, held: u64) {
        self.integral += u128::from(self.held) * u128::from(now.since(self.changed).ps());
        (self.held, self.changed, self.peak) = (held, now, self.peak.max(held));
    }
}
