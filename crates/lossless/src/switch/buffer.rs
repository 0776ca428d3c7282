//! The shared buffer of a switch: its content, and the part of that outside of headrooms.

use hopscope_fabric::Slot;
use hopscope_kernel::RandomStream;
use hopscope_topology::Port;
use hopscope_units::Time;

/// A switch: its shared buffer.
#[derive(Debug)]
pub(crate) struct SwitchState {
    /// Bits in the buffer outside of headrooms.
    pub shared: u64,
    /// All bits in the buffer, and their maximum since the restart.
    pub held: u64,
    pub peak: u64,
    /// Bits times picoseconds since the restart, up to when they last changed.
    pub integral: u128,
    pub changed: Time,
    /// The random stream for next hops, marks, and the order of simultaneous requests.
    pub random: RandomStream,
    /// The slot of port 0.
    pub base: Slot,
    /// The port after the one that came first in the last simultaneous requests.
    pub turn: Port,
    /// Frames dropped here since the restart because their time to live had expired.
    pub expired: u64,
    /// The seed of its flow hash.
    pub hash_seed: u32,
}

impl SwitchState {
    /// The buffer holds this much from now on.
    #[inline]
    pub fn hold(&mut self, now: Time, held: u64) {
        self.integral += u128::from(self.held) * u128::from(now.since(self.changed).ps());
        (self.held, self.changed, self.peak) = (held, now, self.peak.max(held));
    }
}
