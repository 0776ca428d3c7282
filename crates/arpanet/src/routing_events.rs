//! Routing messages as they are made, sent and merged.

use hopscope_measure::Journal;
use hopscope_units::{Rate, Span, Time};

use crate::event::Event;
use crate::imp::VECTORS;
use crate::packet::ROUTING_BITS;
use crate::params::RoutingMessages;
use crate::routing::{CLOCK_TICKS, NO_PORT, Port};
use crate::subnet::{Queue, Subnet};

/// Between two computations of an IMP: 25 ticks of 25.6 ms (the program's listing).
pub(crate) const COMPUTATION: Span = Span::from_ms(640);

/// Between two ticks of a line's clock, by its speed (the program's listing).
pub(crate) const fn clock_period(messages: RoutingMessages, rate: Rate) -> Span {
    match (messages, rate.bit_s()) {
        (RoutingMessages::Fixed, _) => COMPUTATION,
        (_, 200_000..) => Span::from_us(25_600),
        (_, 40_000..) => Span::from_ms(128),
        (_, 8_000..) => COMPUTATION,
        _ => Span::from_ms(1280),
    }
}

impl<J: Journal> Subnet<J> {
    /// The clock of a line ticks.
    pub(crate) fn routing_clock(&mut self, now: Time, line: u16, queue: &mut Queue) {
        let plan = self.plan.lines[usize::from(line)];
        let messages = self.plan.params.routing.messages;
        let period = clock_period(messages, plan.rate);
        let l = &mut self.lines[usize::from(line)];
        let busy = l.busy_since_clock_ps;
        let five = period.ps() * u64::from(CLOCK_TICKS);
        let (send, over) = l.clock.tick(|| (busy * 100 / five).min(100) as u8);
        if over {
            l.busy_since_clock_ps = 0;
        }
        if self.is_over(now) {
            return;
        }
        if send || messages == RoutingMessages::Fixed {
            self.lines[usize::from(line)].sender.routing_due = true;
            self.pump(now, line, queue);
        }
        self.schedule(queue, plan.from, now + period, Event::RoutingClock(line));
    }

    /// An IMP samples its queues and makes up the routing message that it sends until the next time.
    pub(crate) fn compute(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        if self.is_over(now) {
            return;
        }
        let state = &mut self.imps[usize::from(imp)];
        for (port, &line) in self.plan.imps[usize::from(imp)].lines.iter().enumerate() {
            state.routes.sample(port as Port, u16::from(self.lines[usize::from(line)].sender.occupied()));
        }
        state.routes.tick();
        state.serial += 1;
        state.vectors[(state.serial % VECTORS) as usize].copy_from_slice(state.routes.estimates());
        self.schedule(queue, imp, now + COMPUTATION, Event::Compute(imp));
    }

    /// A routing message arrives. One that tells of a computation that has been merged already is ignored.
    pub(crate) fn arrive_routing(&mut self, now: Time, line: u16, acks: u8, serial: u32, queue: &mut Queue) {
        self.take_acks(now, line ^ 1, acks, queue);
        let l = &mut self.lines[usize::from(line)];
        if l.merged == serial {
            return;
        }
        l.merged = serial;
        let imp = self.plan.lines[usize::from(line)].to;
        let words = u64::from(ROUTING_BITS / 16);
        let (_, done) = self.imps[usize::from(imp)].processor.handle(now, words);
        self.schedule(queue, imp, done, Event::Merge { line, serial });
    }

    /// An IMP merges a neighbour's vector into its own. One that has waited so long that five others have come is void.
    pub(crate) fn merge(&mut self, now: Time, line: u16, serial: u32) {
        let plan = self.plan.lines[usize::from(line)];
        let [from, to] = [usize::from(plan.from), usize::from(plan.to)];
        if serial + VECTORS <= self.imps[from].serial {
            return;
        }
        let vector = std::mem::take(&mut self.imps[from].vectors[(serial % VECTORS) as usize]);
        let mut switched: u64 = 0;
        self.imps[to].routes.merge(plan.far_port, &vector, |destination, _| switched |= 1 << destination);
        self.imps[from].vectors[(serial % VECTORS) as usize] = vector;
        if switched == 0 && self.loops.is_empty() {
            return;
        }
        let (imps, plans, count) = (&self.imps, &self.plan, self.imps.len());
        let next = |destination: u8, imp: u8| {
            let port = imps[usize::from(imp)].routes.best(usize::from(destination));
            (port != NO_PORT)
                .then(|| plans.lines[usize::from(plans.imps[usize::from(imp)].lines[usize::from(port)])].to)
        };
        self.loops.review(now, count, next, |destination, imp| {
            imps[usize::from(imp)].routes.held(usize::from(destination))
        });
        for destination in (0..count as u8).filter(|destination| switched >> destination & 1 == 1) {
            self.statistics.switches += 1;
            self.loops.switched(now, destination, plan.to, count, |imp| next(destination, imp));
        }
    }
}
