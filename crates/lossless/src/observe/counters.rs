//! The counters of ports, as a device of this kind would show them.

use std::collections::VecDeque;

use hopscope_fabric::Slot;
use hopscope_measure::{Journal, PauseTally, PortCount, PortCounts, PortReading, PortTally};
use hopscope_topology::{Endpoint, Node};
use hopscope_units::Time;

use crate::flow_control::Control;
use crate::machine::Lossless;
use crate::observe::sent::StillToSend;

/// What ports had sent when the measurement began; their counters restart then.
#[derive(Clone, Debug)]
pub(crate) struct CountedBefore {
    packets: Vec<u64>,
    held_ps: Vec<u64>,
    failures: Vec<u64>,
    discards: Vec<u64>,
    downed: Vec<u64>,
    /// Pause frames, by input.
    xoffs: Vec<u64>,
    /// The data that the frame in transmission had still to send.
    to_send: Vec<StillToSend>,
}

/// The counters at the requested instants: the future instants, and the readings taken.
#[derive(Clone, Debug)]
pub(crate) struct Readings {
    /// The next instant; never if there is none.
    pub next: Time,
    later: VecDeque<Time>,
    taken: Vec<PortReading>,
}

impl Readings {
    pub fn new(instants: &[Time]) -> Self {
        let mut later: VecDeque<Time> = instants.iter().copied().collect();
        let next = later.pop_front().unwrap_or(Time::NEVER);
        Self { next, later, taken: Vec::new() }
    }
}

impl CountedBefore {
    pub fn new(slots: usize, inputs: usize) -> Self {
        let none = || vec![0; slots];
        Self {
            packets: none(),
            held_ps: none(),
            failures: none(),
            discards: none(),
            downed: none(),
            xoffs: vec![0; inputs],
            to_send: vec![StillToSend::default(); slots],
        }
    }

    /// The data that the frame in transmission at a slot had still to send.
    pub fn to_send(&self, slot: Slot) -> StillToSend {
        self.to_send[slot as usize]
    }
}

impl<J: Journal> Lossless<J> {
    /// Keeps the present counters of ports.
    pub(crate) fn keep_counted(&mut self, now: Time) {
        for (before, input) in self.counted_before.xoffs.iter_mut().zip(&self.inputs) {
            *before += u64::from(input.xoffs);
        }
        for slot in 0..self.ports.len() {
            let (held, failures) = (self.held_by_now(slot as Slot, now), self.failures(slot as Slot));
            self.counted_before.to_send[slot] = self.still_to_send(slot as Slot, now);
            let (port, before) = (&mut self.ports[slot], &mut self.counted_before);
            port.bits_before += port.bits;
            before.packets[slot] += u64::from(port.frames);
            (before.held_ps[slot], before.failures[slot]) = (held, failures);
            before.discards[slot] = self.losses.discards(slot as Slot);
            if let Some(outages) = &self.outages {
                before.downed[slot] = outages.downed(slot as Slot);
            }
        }
    }

    /// The time for which a port has been without credit or paused since the run began: the mean over its lanes.
    fn held_by_now(&self, slot: Slot, now: Time) -> u64 {
        let lanes = self.frames_plan().lanes;
        let first = self.frames_plan().queue(slot, 0);
        let held: u64 = self.queues[first..first + lanes].iter().map(|queue| queue.held_in_all(now)).sum();
        held / lanes as u64
    }

    fn failures(&self, slot: Slot) -> u64 {
        self.degraded.retrying.get(&slot).map_or(0, |link| link.failures)
    }

    /// The counters of a port since the run began, at an instant since which nothing has happened.
    fn tally(&self, slot: Slot, at: Time) -> PortTally {
        let (port, before) = (&self.ports[slot as usize], &self.counted_before);
        let downed = self.outages.as_ref().map_or(0, |outages| outages.downed(slot));
        PortTally {
            bits: port.bits_before + port.bits,
            packets: before.packets[slot as usize] + u64::from(port.frames),
            held_ps: self.held_by_now(slot, at),
            failures: self.failures(slot),
            discards: self.losses.discards(slot),
            downed,
        }
    }

    /// The same of pause frames, by priority.
    fn pause_tallies(&self, slot: Slot, at: Time) -> Vec<PauseTally> {
        let tally = |lane: usize| {
            let index = self.frames_plan().queue(slot, lane);
            let of_inputs = self.counted_before.xoffs[index] + u64::from(self.inputs[index].xoffs);
            PauseTally {
                sent: of_inputs + self.degraded.pauses_of(slot, lane as u8),
                paused_ps: self.queues[index].held_in_all(at),
            }
        };
        (0..self.frames_plan().lanes).map(tally).collect()
    }

    /// Reads the counters at all requested instants before this one. No event has happened since the last of them
    /// except the present one.
    #[cold]
    pub(crate) fn read_ports(&mut self, before: Time) {
        while self.readings.next < before {
            let at = self.readings.next;
            let slots = &self.plan.slots;
            let links = || self.plan.network.links().iter();
            let slot = |end: Endpoint| slots.of(end.node, end.port, 0);
            let has_pauses = matches!(self.frames_plan().control, Control::Pfc(_));
            let reading = PortReading {
                at_s: at.ps() as f64 / 1e12,
                links: links().map(|link| link.ends.map(|end| self.tally(slot(end), at))).collect(),
                pauses: links()
                    .filter(|_| has_pauses)
                    .map(|link| link.ends.map(|end| self.pause_tallies(slot(end), at)))
                    .collect(),
            };
            self.readings.taken.push(reading);
            self.readings.next = self.readings.later.pop_front().unwrap_or(Time::NEVER);
        }
    }

    /// The counters of both ends of every link, when the measurement began and now.
    pub(crate) fn port_counts(&self, now: Time) -> PortCounts {
        let of_end = |end: Endpoint| {
            let slot = self.plan.slots.of(end.node, end.port, 0);
            let (before, at) = (&self.counted_before, slot as usize);
            let begun = PortTally {
                bits: self.ports[at].bits_before,
                packets: before.packets[at],
                held_ps: before.held_ps[at],
                failures: before.failures[at],
                discards: before.discards[at],
                downed: before.downed[at],
            };
            PortCount { is_host: matches!(end.node, Node::Host(_)), begun, ended: self.tally(slot, now) }
        };
        PortCounts {
            begun_s: self.tally.window_start.as_seconds(),
            ended_s: now.as_seconds(),
            links: self.plan.network.links().iter().map(|link| link.ends.map(of_end)).collect(),
            asked: self.readings.taken.clone(),
        }
    }
}
