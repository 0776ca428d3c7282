//! Routing messages as they are made, sent and merged.

use std::sync::Arc;

use hopscope_measure::Journal;
use hopscope_units::{Rate, Span, Time};

use crate::routing::routing_table::{NO_PORT, Port, RouteUpdate};
use crate::scenario::params::{RoutingMessages, TICK};
use crate::subnet::event::Event;
use crate::subnet::{Queue, Subnet};

/// Between two computations of an IMP: 25 ticks (the program's listing).
pub(crate) const COMPUTATION: Span = Span::from_ps(TICK.ps() * 25);

/// Between two ticks of a line's clock, by its speed (the program's listing).
pub(crate) const fn clock_period(messages: RoutingMessages, rate: Rate) -> Span {
    match (messages, rate.bit_s()) {
        (RoutingMessages::Fixed, _) => COMPUTATION,
        (_, 200_000..) => TICK,
        (_, 40_000..) => Span::from_ms(128),
        (_, 8_000..) => COMPUTATION,
        _ => Span::from_ms(1280),
    }
}

impl<J: Journal> Subnet<J> {
    /// Schedules the first ticks of the lines' clocks, or takes them down where not every tick is an event.
    pub(crate) fn start_clock(&mut self, line: u16, at: Time, queue: &mut Queue) {
        if self.every_routing_message {
            let imp = self.lines[usize::from(line)].plan.from;
            self.schedule(queue, imp, at, Event::RoutingClock(line));
        } else {
            self.lines[usize::from(line)].schedule.start(at);
        }
    }

    /// Deals with the clock ticks of a line up to now, where not every tick is an event.
    #[inline]
    pub(crate) fn catch_up(&mut self, now: Time, line: u16) {
        if self.lines[usize::from(line)].schedule.is_behind(now) {
            self.pass_routing(now, line);
        }
    }

    /// Apart from the question whether there is anything to be dealt with, which is asked far more often.
    #[inline(never)]
    fn pass_routing(&mut self, now: Time, line: u16) {
        let l = &mut self.lines[usize::from(line)];
        let serial = self.imps[usize::from(l.plan.from)].vectors.last();
        let passed_over = l.pass_routing(now, serial);
        assert!(!passed_over || self.is_over(now), "a routing message with news was passed over");
    }

    /// Ensures that a line's next routing message, with a new computation, is sent in time.
    fn watch_clock(&mut self, now: Time, line: u16, queue: &mut Queue) {
        let l = &mut self.lines[usize::from(line)];
        if !l.schedule.is_watched {
            l.schedule.is_watched = true;
            let at = l.schedule.next_look().max(l.busy_until).max(now);
            let imp = self.lines[usize::from(line)].plan.from;
            self.schedule(queue, imp, at, Event::RoutingClock(line));
        }
    }

    /// The clock of a line ticks, or is checked because its next message is a new computation.
    pub(super) fn routing_clock(&mut self, now: Time, line: u16, queue: &mut Queue) {
        let plan = self.lines[usize::from(line)].plan;
        if self.every_routing_message {
            let schedule = &mut self.lines[usize::from(line)].schedule;
            let (period, send) = (schedule.period(), schedule.tick());
            if self.is_over(now) {
                return;
            }
            if send {
                self.lines[usize::from(line)].sender.routing_due = true;
                self.pump(now, line, queue);
            }
            return self.schedule(queue, plan.from, now + period, Event::RoutingClock(line));
        }
        self.lines[usize::from(line)].schedule.is_watched = false;
        if self.is_over(now) {
            return;
        }
        self.pump(now, line, queue);
        let serial = self.imps[usize::from(plan.from)].vectors.last();
        if self.lines[usize::from(line)].schedule.has_news(serial) {
            self.watch_clock(now, line, queue);
        }
    }

    /// An IMP samples its queues and makes up the routing message that it sends until the next time.
    pub(super) fn compute(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        if self.is_over(now) {
            return;
        }
        let plan = Arc::clone(&self.plan);
        let lines = &plan.imps[usize::from(imp)].lines;
        for (port, &line) in lines.iter().enumerate() {
            // Messages before this instant carry the previous computation.
            self.catch_up(now, line);
            let l = &mut self.lines[usize::from(line)];
            l.schedule.computed();
            let occupied = u16::from(l.sender.occupied());
            self.imps[usize::from(imp)].routes.sample(port as Port, occupied);
        }
        let state = &mut self.imps[usize::from(imp)];
        state.processor.route(now);
        state.routes.tick();
        state.vectors.computed(&state.routes);
        self.look_after_messages(now, imp, queue);
        self.schedule(queue, imp, now + COMPUTATION, Event::Compute(imp));
        if !self.every_routing_message {
            for &line in lines {
                self.watch_clock(now, line, queue);
            }
        }
    }

    /// A routing message arrives. It is ignored if its computation has been merged already.
    pub(super) fn routing_comes(&mut self, now: Time, line: u16, serial: u32) {
        let l = &mut self.lines[usize::from(line)];
        if l.merged == serial {
            return;
        }
        l.merged = serial;
        let imp = self.lines[usize::from(line)].plan.to;
        let done = self.imps[usize::from(imp)].processor.route(now);
        self.lines[usize::from(line)].merging.push((serial, done));
    }

    /// An IMP has handled a routing message, unless its processor was busy before.
    pub(super) fn routing_handled(&mut self, now: Time, line: u16, serial: u32, queue: &mut Queue) {
        let l = &mut self.lines[usize::from(line)];
        let Some(place) = l.merging.iter().position(|&(told, _)| told == serial) else { return };
        let done = l.merging[place].1;
        if done > now {
            let imp = self.lines[usize::from(line)].plan.to;
            return self.schedule_work(queue, imp, done, Event::Merge { line, serial });
        }
        l.merging.remove(place);
        if self.is_dead_line(line) {
            return;
        }
        if self.merge(now, line, serial) {
            let imp = self.lines[usize::from(line)].plan.to;
            self.routes_changed(now, imp, queue);
        }
    }

    /// An IMP merges a neighbour's vector into its own, and returns whether that changes a route. One that has waited
    /// for more than five seconds is void.
    fn merge(&mut self, now: Time, line: u16, serial: u32) -> bool {
        let plan = self.lines[usize::from(line)].plan;
        let [from, to] = [usize::from(plan.from), usize::from(plan.to)];
        let [neighbour, imp] = self.imps.get_disjoint_mut([from, to]).expect("a line joins two IMPs");
        let Some((vector, numbers)) = neighbour.vectors.of(serial) else { return false };
        let (mut switched, mut ignored): (u64, u64) = (0, 0);
        imp.routes.merge_numbered(plan.far_port, vector, numbers, |destination, verdict| match verdict {
            RouteUpdate::Switched => switched |= 1 << destination,
            RouteUpdate::Ignored => ignored |= 1 << destination,
        });
        if switched == 0 && self.loops.is_empty() {
            return false;
        }
        let (imps, count) = (&self.imps, self.imps.len());
        let next = |destination: u8, imp: u8| {
            let imp = &imps[usize::from(imp)];
            let port = imp.routes.best(usize::from(destination));
            (port != NO_PORT).then(|| imp.neighbours[usize::from(port)])
        };
        self.loops.review(now, count, next, |destination, imp| {
            imps[usize::from(imp)].routes.held(usize::from(destination))
        });
        let (to, from) = (plan.to, plan.from);
        self.loops.ignored(now, to, from, count, next, |destination| ignored >> destination & 1 == 1);
        self.statistics.switches += u64::from(switched.count_ones());
        let mut rest = switched;
        while rest != 0 {
            let destination = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            self.loops.switched(now, destination, to, count, |imp| next(destination, imp));
        }
        switched != 0
    }
}
