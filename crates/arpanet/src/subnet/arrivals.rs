//! Arrivals at an IMP that are no events: packets, acknowledgments, routing messages and packets from hosts.
//!
//! When the last bit of an arrival is in, the IMP only queues it for the processor and frees what was acknowledged.
//! This has no effect before the next event of this IMP, so it is computed then, as of the instant of arrival: every
//! event of an IMP first processes earlier arrivals. A packet's own next event is that its handling ends, at the
//! earliest when an idle processor would be done. Where others wait in the IMP for what an acknowledgment frees, the
//! IMP looks at every arrival.

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::subnet::event::Event;
use crate::subnet::imp::Imp;
use crate::subnet::{Queue, Subnet};

/// What comes to an IMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The last bit of a packet, which the line sends for the first time.
    Packet { line: u16, channel: u8, acks: u8 },
    /// A null packet.
    Null { line: u16, acks: u8 },
    /// A routing message with this computation of the neighbour.
    Routing { line: u16, serial: u32 },
    /// The last bit of a packet from a host.
    FromHost(u32),
}

/// What is in transit to one IMP.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals {
    /// With the instant at which each comes, the latest first.
    coming: Vec<(Time, Arrival)>,
    /// Looks at arrivals that are scheduled: the earliest.
    look_at: Option<Time>,
}

impl Arrivals {
    /// Something will come. Of what comes at one instant, the first to set out is the first.
    #[inline]
    pub fn expect(&mut self, at: Time, arrival: Arrival) {
        self.coming.push((at, arrival));
        let coming = self.coming.as_mut_slice();
        for place in (1..coming.len()).rev() {
            if coming[place - 1].0 > at {
                break;
            }
            coming.swap(place - 1, place);
        }
    }

    /// When the next comes.
    #[inline]
    pub fn next(&self) -> Time {
        self.coming.last().map_or(Time::NEVER, |&(at, _)| at)
    }

    /// The first that has come by now.
    #[inline]
    fn take(&mut self, now: Time) -> Option<(Time, Arrival)> {
        if self.next() > now { None } else { self.coming.pop() }
    }
}

/// What every event of an IMP asks first, for all IMPs side by side in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    /// The instant of the next arrival.
    pub arrival: Time,
    /// An acknowledgment has freed what something in the IMP waits for.
    pub freed: bool,
}

impl Due {
    /// Nothing is in transit.
    pub const NOTHING: Self = Self { arrival: Time::NEVER, freed: false };
}

impl Imp {
    /// Whether something waits here for what an acknowledgment may free.
    pub fn has_waiting(&self) -> bool {
        self.blocked > 0 || !self.outbox.is_empty()
    }
}

impl<J: Journal> Subnet<J> {
    /// Something will come to an IMP.
    #[inline]
    pub(super) fn expect(&mut self, imp: u8, at: Time, arrival: Arrival, queue: &mut Queue) {
        self.imps[usize::from(imp)].arrivals.expect(at, arrival);
        let due = &mut self.due[usize::from(imp)];
        due.arrival = due.arrival.min(at);
        self.watch_arrivals(imp, queue);
    }

    /// Where something waits in an IMP, the next arrival is an event.
    #[inline]
    pub(super) fn watch_arrivals(&mut self, imp: u8, queue: &mut Queue) {
        if self.imps[usize::from(imp)].has_waiting() {
            self.watch_next_arrival(imp, queue);
        }
    }

    /// Apart, because in few IMPs something waits.
    #[inline(never)]
    fn watch_next_arrival(&mut self, imp: u8, queue: &mut Queue) {
        let arrivals = &mut self.imps[usize::from(imp)].arrivals;
        let next = arrivals.next();
        if next < Time::NEVER && arrivals.look_at.is_none_or(|at| next < at) {
            arrivals.look_at = Some(next);
            self.schedule(queue, imp, next, Event::Arrivals(imp));
        }
    }

    /// An event of an IMP begins: what has come before is taken up, and what waited for it goes on.
    #[inline]
    pub(super) fn at(&mut self, now: Time, imp: u8, queue: &mut Queue) -> &mut Self {
        self.take_arrivals(now, imp);
        if self.due[usize::from(imp)].freed {
            self.due[usize::from(imp)].freed = false;
            self.released(now, imp, queue);
        }
        self
    }

    /// An event begins in the IMP of a host.
    #[inline]
    pub(super) fn at_host(&mut self, now: Time, host: u32, queue: &mut Queue) -> &mut Self {
        self.at(now, self.plan.hosts[host as usize].imp, queue)
    }

    /// An event begins in the IMP that sends on a line.
    #[inline]
    pub(super) fn at_near_end(&mut self, now: Time, line: u16, queue: &mut Queue) -> &mut Self {
        self.at(now, self.lines[usize::from(line)].plan.from, queue)
    }

    /// An event begins in the IMP to which a line leads.
    #[inline]
    pub(super) fn at_far_end(&mut self, now: Time, line: u16, queue: &mut Queue) -> &mut Self {
        self.at(now, self.lines[usize::from(line)].plan.to, queue)
    }

    /// An event begins that is no single IMP's.
    pub(super) fn everywhere(&mut self, now: Time) -> &mut Self {
        self.take_all_arrivals(now);
        self
    }

    /// Something has come to an IMP in which something waits.
    pub(super) fn look_at_arrivals(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let arrivals = &mut self.imps[usize::from(imp)].arrivals;
        if arrivals.look_at == Some(now) {
            arrivals.look_at = None;
        }
        self.watch_arrivals(imp, queue);
    }

    /// An IMP takes up what has come by now.
    #[inline]
    pub(crate) fn take_arrivals(&mut self, now: Time, imp: u8) {
        if self.due[usize::from(imp)].arrival <= now {
            self.take_those_that_came(now, imp);
        }
    }

    fn take_those_that_came(&mut self, now: Time, imp: u8) {
        while let Some((at, arrival)) = self.imps[usize::from(imp)].arrivals.take(now) {
            match arrival {
                Arrival::Packet { line, channel, acks } => self.packet_comes(at, line, channel, acks),
                Arrival::Null { line, acks } => self.take_acks(at, line ^ 1, acks),
                Arrival::Routing { line, serial } => self.routing_comes(at, line, serial),
                Arrival::FromHost(host) => self.host_packet_comes(at, host),
            }
        }
        self.due[usize::from(imp)].arrival = self.imps[usize::from(imp)].arrivals.next();
    }

    /// All IMPs take up what has come by now.
    pub(crate) fn take_all_arrivals(&mut self, now: Time) {
        for imp in 0..self.imps.len() as u8 {
            self.take_arrivals(now, imp);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_units::Span;

    #[test]
    fn arrivals_are_taken_in_their_order() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut arrivals = Arrivals::default();
        for (ms, host) in [(5, 0), (3, 1), (9, 2), (3, 3), (5, 4)] {
            arrivals.expect(at(ms), Arrival::FromHost(host));
        }
        let mut hosts = Vec::new();
        while let Some((_, Arrival::FromHost(host))) = arrivals.take(at(8)) {
            hosts.push(host);
        }
        assert_eq!(hosts, [1, 3, 0, 4]);
        assert_eq!(arrivals.next(), at(9));
    }
}
