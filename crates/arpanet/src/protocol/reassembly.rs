//! Reassembly buffers of a destination IMP: promised by allocations, filled by packets, emptied into hosts.

use hopscope_measure::{Pool, StagedPool};
use hopscope_units::Time;

use crate::protocol::stage::Phase;

/// The reassembly buffers of one IMP.
#[derive(Clone, Debug)]
pub struct Reassembly {
    pool: StagedPool<{ Phase::COUNT }>,
    filled: u64,
}

impl Reassembly {
    /// This many buffers, all free.
    #[must_use]
    pub fn new(buffers: u64) -> Self {
        Self { pool: StagedPool::new(Pool::bounded(buffers)), filled: 0 }
    }

    /// Buffers that are neither filled nor promised.
    #[inline]
    #[must_use]
    pub fn free(&self) -> u64 {
        self.pool.pool().free()
    }

    /// Buffers that hold packets.
    #[must_use]
    pub const fn filled(&self) -> u64 {
        self.filled
    }

    /// Buffers that are promised, but not filled: the IMP must reserve this number of its buffers.
    #[inline]
    #[must_use]
    pub fn promised(&self) -> u64 {
        self.pool.pool().held() - self.filled
    }

    /// Promises buffers, unassigned or for a message of this phase.
    pub fn promise(&mut self, now: Time, buffers: u64, phase: Phase) {
        self.pool.acquire(now, phase as usize, buffers);
    }

    /// Buffers go from one phase to another.
    pub fn advance(&mut self, now: Time, from: Phase, to: Phase, buffers: u64) {
        self.pool.advance(now, from as usize, to as usize, buffers);
    }

    /// A packet fills a promised buffer.
    pub fn fill(&mut self) {
        self.filled += 1;
        assert!(self.filled <= self.pool.pool().held(), "a packet fills a buffer that nobody promised");
    }

    /// Packets have left their buffers for the host, or were deleted.
    pub fn empty(&mut self, now: Time, buffers: u64, phase: Phase) {
        assert!(buffers <= self.filled, "a buffer is emptied that was not filled");
        self.filled -= buffers;
        self.pool.release(now, phase as usize, buffers);
    }

    /// Promised buffers that are not needed return.
    pub fn take_back(&mut self, now: Time, buffers: u64, phase: Phase) {
        self.pool.release(now, phase as usize, buffers);
        assert!(self.filled <= self.pool.pool().held(), "filled buffers are taken back");
    }

    /// The buffers as a pool.
    #[must_use]
    pub const fn pool(&self) -> &StagedPool<{ Phase::COUNT }> {
        &self.pool
    }

    /// The buffers as a pool, to count who waits and to restart.
    pub const fn pool_mut(&mut self) -> &mut StagedPool<{ Phase::COUNT }> {
        &mut self.pool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_four_buffers_take_four_messages_and_two_packets() {
        let mut reassembly = Reassembly::new(34);
        for _ in 0..4 {
            reassembly.promise(Time::ZERO, 8, Phase::Unassigned);
        }
        assert_eq!((reassembly.free(), reassembly.promised()), (2, 32));
        reassembly.advance(Time::ZERO, Phase::Unassigned, Phase::Reassembly, 8);
        reassembly.fill();
        assert_eq!(reassembly.promised(), 31);
        reassembly.take_back(Time::ZERO, 7, Phase::Reassembly); // a message of one packet needs no more
        reassembly.empty(Time::ZERO, 1, Phase::Reassembly);
        assert_eq!((reassembly.free(), reassembly.promised()), (10, 24));
    }

    #[test]
    #[should_panic(expected = "nobody promised")]
    fn a_packet_needs_a_promise() {
        Reassembly::new(34).fill();
    }
}
