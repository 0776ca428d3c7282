//! Lines that fail, die and come back.
//!
//! A line that fails loses what is put on it. When it has been silent for long enough the IMPs at its ends declare it
//! dead: their estimates over it are at their worst, and what has waited for it or has not been accepted at its far end
//! goes another way. When it comes back, both use it again.

use hopscope_kernel::Order;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::protocol::packet::PacketKind;
use crate::scenario::outages::{Change, DEAD_AFTER};
use crate::scenario::params::TICK;
use crate::subnet::event::Event;
use crate::subnet::{Queue, Subnet};

/// Changes of lines come before everything else of their instant but looks for overdue packets.
const fn order(change: u32) -> Order {
    Order::new(0, change + 1)
}

/// Whether a line works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Health {
    /// It works.
    #[default]
    Works,
    /// What has been put on it since then is lost.
    Fails(Time),
    /// Nothing is put on it.
    Dead,
}

impl<J: Journal> Subnet<J> {
    /// Schedules what happens to lines.
    pub(crate) fn start_outages(&self, queue: &mut Queue) {
        for (index, change) in (0..).zip(&self.plan.line_changes) {
            queue.schedule(change.at, order(index), Event::LineChange(index));
        }
    }

    /// Whether an outage lasts, or has ended so short a time ago that it may hold something up.
    pub(crate) fn is_held_up(&self, now: Time, patience: Span) -> bool {
        let is_down = self.lines.iter().any(|line| line.health != Health::Works);
        is_down || (self.outage_ended > Time::ZERO && now.since(self.outage_ended) < patience)
    }

    fn set_health(&mut self, both: [u16; 2], health: Health) {
        for line in both {
            self.lines[usize::from(line)].health = health;
        }
    }

    /// Something happens to a line.
    pub(super) fn line_changes(&mut self, now: Time, index: u32, queue: &mut Queue) {
        let change = self.plan.line_changes[index as usize];
        let both = [change.line, change.line + 1];
        match change.change {
            Change::Fails => self.set_health(both, Health::Fails(now)),
            Change::Dies => self.line_dies(now, both, index, queue),
            Change::Returns => {
                let was_dead = self.is_dead_line(change.line);
                self.set_health(both, Health::Works);
                self.outage_ended = now;
                for line in both {
                    self.pump(now, line, queue);
                    if was_dead {
                        // What had not been taken back yet may be overdue before the next look for that.
                        self.look_after_line(now, line, queue);
                    }
                    let imp = self.plan.lines[usize::from(line)].from;
                    self.released(now, imp, queue);
                }
            }
        }
    }

    /// The IMPs at the ends of a line declare it dead. What is still on it or in the hands of an IMP comes to its end
    /// first.
    fn line_dies(&mut self, now: Time, both: [u16; 2], index: u32, queue: &mut Queue) {
        // It may have come back while something was still in transit, and failed again.
        let has_come_back = both.iter().any(|&line| match self.lines[usize::from(line)].health {
            Health::Works => true,
            Health::Fails(since) => now < since + DEAD_AFTER,
            Health::Dead => false,
        });
        if has_come_back {
            return;
        }
        self.set_health(both, Health::Dead);
        let under_way = both.iter().any(|&line| {
            let l = &self.lines[usize::from(line)];
            l.busy_until > now || l.sender.has_under_way(l.receiver)
        });
        if under_way {
            return queue.schedule(now + TICK, order(index), Event::LineChange(index));
        }
        for line in both {
            self.withdraw(now, line);
            let plan = self.plan.lines[usize::from(line)];
            self.imps[usize::from(plan.from)].routes.line_died(plan.port);
        }
        for line in both {
            let imp = self.plan.lines[usize::from(line)].from;
            self.released(now, imp, queue);
        }
    }

    /// Takes back what a dead line has not brought to its far end: it is sent another way.
    fn withdraw(&mut self, now: Time, line: u16) {
        let imp = self.plan.lines[usize::from(line)].from;
        let l = &mut self.lines[usize::from(line)];
        let held = u64::from(l.sender.occupied());
        let packets = l.sender.withdraw(l.receiver);
        l.channels.release(now, held);
        let state = &mut self.imps[usize::from(imp)];
        state.store.release(now, held);
        state.buffers.release(now, held);
        for packet in packets {
            let p = &mut self.packets[packet];
            p.visited &= !(1 << imp);
            self.statistics.hops -= 1;
            if p.kind == PacketKind::Data && p.index == 0 {
                let hops = &mut self.messages[p.of].hops;
                *hops = hops.saturating_sub(1);
            }
            state.outbox.push_back(packet);
        }
    }

    /// Whether a line is dead: nothing is queued for it.
    pub(super) fn is_dead_line(&self, line: u16) -> bool {
        self.lines[usize::from(line)].health == Health::Dead
    }

    /// With lines that fail, waiting packets in an IMP check again when a route has changed.
    pub(super) fn routes_changed(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        if !self.plan.line_changes.is_empty() {
            self.released(now, imp, queue);
        }
    }
}
