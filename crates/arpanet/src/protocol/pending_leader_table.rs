//! The pending leader table and the pending packet table of a source IMP.
//!
//! Every multipacket message under way, and every REQALL, has an entry of the leader table, shared by all hosts of the
//! IMP and all destinations (Kleinrock and Opderbeck, section II); every single-packet message has one of the packet
//! table, which keeps its copy (RFC 619). Entries are given in the order in which they were asked for.

use std::collections::VecDeque;

use hopscope_measure::{Pool, StagedPool};
use hopscope_units::Time;

use crate::protocol::stage::Phase;

/// Who waits for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicant {
    /// A host's message.
    Host(u32),
    /// A REQALL of this sequence and message number.
    Request(u32, u32),
}

/// A table of entries with a queue of those that wait for one.
#[derive(Clone, Debug)]
pub struct PendingTable {
    pool: StagedPool<{ Phase::COUNT }>,
    queue: VecDeque<Applicant>,
}

impl PendingTable {
    /// A table of this many free entries.
    #[must_use]
    pub fn new(entries: u64) -> Self {
        Self { pool: StagedPool::new(Pool::bounded(entries)), queue: VecDeque::new() }
    }

    /// Takes an entry if one is free and the queue is empty; otherwise joins the queue.
    pub fn apply(&mut self, now: Time, applicant: Applicant, phase: Phase) -> bool {
        if self.pool.pool().free() > 0 && self.queue.is_empty() {
            self.pool.acquire(now, phase as usize, 1);
            return true;
        }
        self.queue.push_back(applicant);
        self.pool.start_waiting(now);
        false
    }

    /// Gives a free entry to the applicant that has waited longest; `phase` returns its phase.
    pub fn grant(&mut self, now: Time, phase: impl Fn(Applicant) -> Phase) -> Option<Applicant> {
        if self.pool.pool().free() == 0 {
            return None;
        }
        let applicant = self.queue.pop_front()?;
        self.pool.stop_waiting(now);
        self.pool.acquire(now, phase(applicant) as usize, 1);
        Some(applicant)
    }

    /// The holder of an entry goes on to another phase.
    #[inline]
    pub fn advance(&mut self, now: Time, from: Phase, to: Phase) {
        self.pool.advance(now, from as usize, to as usize, 1);
    }

    /// An entry becomes free.
    #[inline]
    pub fn release(&mut self, now: Time, phase: Phase) {
        self.pool.release(now, phase as usize, 1);
    }

    /// The entries as a pool.
    #[must_use]
    pub const fn pool(&self) -> &StagedPool<{ Phase::COUNT }> {
        &self.pool
    }

    /// Forgets what has been measured.
    pub fn restart(&mut self, now: Time) {
        self.pool.restart(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delayed_request_takes_the_entry_before_its_message() {
        // Kleinrock and Opderbeck, Fig. 8, time c.
        let mut table = PendingTable::new(1);
        assert!(table.apply(Time::ZERO, Applicant::Request(0, 0), Phase::Requesting));
        assert!(!table.apply(Time::ZERO, Applicant::Request(0, 1), Phase::Requesting));
        assert!(!table.apply(Time::ZERO, Applicant::Host(9), Phase::Input));
        let grant = |table: &mut PendingTable| table.grant(Time::ZERO, |_| Phase::Requesting);
        assert_eq!(grant(&mut table), None);
        table.release(Time::ZERO, Phase::Requesting);
        assert_eq!(grant(&mut table), Some(Applicant::Request(0, 1)));
        table.release(Time::ZERO, Phase::Requesting);
        assert_eq!(grant(&mut table), Some(Applicant::Host(9)));
    }
}
