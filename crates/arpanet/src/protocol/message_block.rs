//! Transmit and receive blocks of version 3: a pair of hosts needs one at either IMP before it can send.
//!
//! Kleinrock and Opderbeck, section VI. The pair is set up by an exchange of control messages on first use. What
//! happens when all are taken is not published beyond "an initial setup delay": here the pair that has been idle
//! longest gives its blocks up at once, and where every pair is active the new one waits.

use std::collections::VecDeque;

use hopscope_measure::Pool;
use hopscope_units::Time;

/// How far a pair of hosts is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setup {
    /// No blocks.
    Absent,
    /// The source has a transmit block and has asked, or waits to ask, for the receive block.
    Asked,
    /// Both blocks exist.
    Established,
}

/// The blocks of one kind at one IMP, and who waits for one.
#[derive(Clone, Debug)]
pub struct MessageBlocks {
    /// The blocks.
    pub pool: Pool,
    waiting: VecDeque<u32>,
}

impl MessageBlocks {
    /// This many free blocks.
    #[must_use]
    pub const fn new(blocks: u64) -> Self {
        Self { pool: Pool::bounded(blocks), waiting: VecDeque::new() }
    }

    /// Takes a block for a sequence, where one is free.
    pub fn take(&mut self, now: Time) -> bool {
        let free = self.pool.free() > 0;
        if free {
            self.pool.acquire(now, 1);
        }
        free
    }

    /// A sequence joins the queue for a block.
    pub fn wait(&mut self, now: Time, sequence: u32) {
        self.pool.start_waiting(now);
        self.waiting.push_back(sequence);
    }

    /// A block becomes free; the sequence that has waited longest has it then.
    pub fn release(&mut self, now: Time) -> Option<u32> {
        self.pool.release(now, 1);
        let next = self.waiting.pop_front()?;
        self.pool.stop_waiting(now);
        self.pool.acquire(now, 1);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_block_goes_to_whoever_has_waited_longest() {
        let mut blocks = MessageBlocks::new(1);
        assert!(blocks.take(Time::ZERO) && !blocks.take(Time::ZERO));
        blocks.wait(Time::ZERO, 4);
        blocks.wait(Time::ZERO, 2);
        assert_eq!([0; 3].map(|_| blocks.release(Time::ZERO)), [Some(4), Some(2), None]);
        assert_eq!((blocks.pool.held(), blocks.pool.waiting()), (0, 0));
    }
}
