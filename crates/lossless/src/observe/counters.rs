//! The counters of ports, as a device of the kind would show them.

use hopscope_fabric::Slot;
use hopscope_measure::{Journal, PortCount, PortCounts, PortTally};
use hopscope_topology::{Endpoint, Node};
use hopscope_units::Time;

use crate::machine::Lossless;

/// What ports had sent when the measurement began; what they count begins anew then.
#[derive(Clone, Debug)]
pub(crate) struct CountedBefore {
    bits: Vec<u64>,
    packets: Vec<u64>,
    held_ps: Vec<u64>,
    failures: Vec<u64>,
    discards: Vec<u64>,
    downed: Vec<u64>,
}

impl CountedBefore {
    pub fn new(slots: usize) -> Self {
        let none = || vec![0; slots];
        Self {
            bits: none(),
            packets: none(),
            held_ps: none(),
            failures: none(),
            discards: none(),
            downed: none(),
        }
    }
}

impl<J: Journal> Lossless<J> {
    /// Keeps what ports have counted by now.
    pub(crate) fn keep_counted(&mut self, now: Time) {
        for slot in 0..self.ports.len() {
            let (held, failures) = (self.held_by_now(slot as Slot, now), self.failures(slot as Slot));
            let (port, before) = (&self.ports[slot], &mut self.counted_before);
            before.bits[slot] += port.bits;
            before.packets[slot] += u64::from(port.frames);
            (before.held_ps[slot], before.failures[slot]) = (held, failures);
            if let Some(outages) = &self.outages {
                (before.discards[slot], before.downed[slot]) = outages.counted(slot as Slot);
            }
        }
    }

    /// How long a port has been without credit or paused in any of its lanes since the run began: of several lanes the
    /// mean.
    fn held_by_now(&self, slot: Slot, now: Time) -> u64 {
        let lanes = self.frames_plan().lanes;
        let first = self.frames_plan().queue(slot, 0);
        let held: u64 = self.queues[first..first + lanes].iter().map(|queue| queue.held_in_all(now)).sum();
        held / lanes as u64
    }

    fn failures(&self, slot: Slot) -> u64 {
        self.faulty.retrying.get(&slot).map_or(0, |link| link.failures)
    }

    /// The counters of both ends of every link, when the measurement began and now.
    pub(crate) fn port_counts(&self, now: Time) -> PortCounts {
        let slots = &self.plan.slots;
        let of_end = |end: Endpoint| {
            let slot = slots.of(end.node, end.port, 0);
            let (port, before) = (&self.ports[slot as usize], &self.counted_before);
            let at = slot as usize;
            let begun = PortTally {
                bits: before.bits[at],
                packets: before.packets[at],
                held_ps: before.held_ps[at],
                failures: before.failures[at],
                discards: before.discards[at],
                downed: before.downed[at],
            };
            let (discards, downed) = self.outages.as_ref().map_or((0, 0), |outages| outages.counted(slot));
            let ended = PortTally {
                bits: begun.bits + port.bits,
                packets: begun.packets + u64::from(port.frames),
                held_ps: self.held_by_now(slot, now),
                failures: self.failures(slot),
                discards,
                downed,
            };
            PortCount { is_host: matches!(end.node, Node::Host(_)), begun, ended }
        };
        PortCounts {
            begun_s: self.tally.window_start.as_seconds(),
            ended_s: now.as_seconds(),
            links: self.plan.network.links().iter().map(|link| link.ends.map(of_end)).collect(),
        }
    }
}
