//! IMP to modem: what a line sends next, and when it looks for what is overdue.

use hopscope_kernel::Order;
use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::protocol::modem_line::{CHANNELS, Dispatch};
use crate::protocol::packet::{CONTROL_BITS, PacketKind};
use crate::protocol::stage::Stage;
use crate::routing::routing_table::NO_PORT;
use crate::subnet::arrivals::Arrival;
use crate::subnet::event::Event;
use crate::subnet::outages::Health;
use crate::subnet::{Queue, Subnet};

/// Looks for overdue packets come before everything else of their instant.
const LOOKS: Order = Order::new(0, 0);

impl<J: Journal> Subnet<J> {
    /// Schedules a look at a line unless an earlier one is scheduled.
    fn wake(&mut self, line: u16, at: Time, queue: &mut Queue) {
        let l = &mut self.lines[usize::from(line)];
        if at < l.wake_at {
            l.wake_at = at;
            let imp = l.plan.from;
            self.schedule(queue, imp, at, Event::LineWake(line));
        }
    }

    /// A look at a line was scheduled for now; one that an earlier look has made void does nothing.
    pub(super) fn line_wake(&mut self, now: Time, line: u16, queue: &mut Queue) {
        let l = &mut self.lines[usize::from(line)];
        if l.wake_at == now {
            l.wake_at = Time::NEVER;
            self.pump(now, line, queue);
        }
    }

    /// Sends whatever is next where the line is free.
    pub(super) fn pump(&mut self, now: Time, line: u16, queue: &mut Queue) {
        self.catch_up(now, line);
        let l = &mut self.lines[usize::from(line)];
        if l.health == Health::Dead {
            return;
        }
        if l.busy_until > now {
            let at = l.busy_until;
            return self.wake(line, at, queue);
        }
        if let Some(dispatch) = l.sender.next(now, l.timeout) {
            if matches!(dispatch, Dispatch::Again(_)) {
                // The neighbour may have refused it meanwhile.
                let to = l.plan.to;
                self.take_arrivals(now, to);
            }
            self.transmit(now, line, dispatch, queue);
        }
        let l = &self.lines[usize::from(line)];
        if l.sender.has_more() {
            let at = l.busy_until;
            self.wake(line, at, queue);
        }
    }

    /// Schedules a look for overdue acknowledgments, where none is and where one is due before `until`.
    fn start_timer(&mut self, line: u16, until: Time, queue: &mut Queue) {
        let l = &mut self.lines[usize::from(line)];
        if l.timer_at == Time::NEVER
            && l.health != Health::Dead
            && let Some(due) = l.sender.next_timeout(l.timeout, until)
        {
            let at = due.max(l.busy_until);
            l.timer_at = at;
            let imp = l.plan.from;
            self.schedule(queue, imp, at, Event::LineTimer(line));
        }
    }

    /// Between two looks for packets of all lines that may not be acknowledged in time. Nearly all are, so timers of
    /// their own have only those that have waited for half the time already.
    fn looks(&self) -> Span {
        self.plan.params.protocol.retransmit_after / 2
    }

    /// Sees to it that a packet which is being sent now is looked after.
    fn watch_overdue(&mut self, now: Time, queue: &mut Queue) {
        if !self.watches_overdue {
            self.watches_overdue = true;
            queue.schedule(now + self.looks(), LOOKS, Event::Overdue);
        }
    }

    /// Starts the timers of lines on which a packet may be due before the next look.
    pub(super) fn look_for_overdue(&mut self, now: Time, queue: &mut Queue) {
        self.watches_overdue = false;
        let until = now + self.looks();
        for line in 0..self.lines.len() as u16 {
            if self.lines[usize::from(line)].sender.occupied() > 0 {
                self.watch_overdue(now, queue);
                self.start_timer(line, until, queue);
            }
        }
    }

    /// A packet may not have been acknowledged in time.
    pub(super) fn line_timer(&mut self, now: Time, line: u16, queue: &mut Queue) {
        let l = &mut self.lines[usize::from(line)];
        l.timer_at = Time::NEVER;
        if l.sender.is_overdue(now, l.timeout) {
            self.pump(now, line, queue);
        }
        self.look_after_line(now, line, queue);
    }

    /// Starts the timer of a line on which a packet may be due within the time between two looks.
    pub(super) fn look_after_line(&mut self, now: Time, line: u16, queue: &mut Queue) {
        self.start_timer(line, now + self.looks(), queue);
    }

    /// Sends what has waited for a line that has just become free, before anything is added at the same instant: the
    /// order of events of one instant then does not matter. An acknowledgment alone waits on, because what is added may
    /// carry it.
    #[inline]
    pub(super) fn send_due(&mut self, now: Time, line: u16, queue: &mut Queue) {
        self.catch_up(now, line);
        let l = &self.lines[usize::from(line)];
        if l.busy_until <= now && l.sender.has_waiting() {
            self.pump(now, line, queue);
        }
    }

    fn transmit(&mut self, now: Time, line: u16, dispatch: Dispatch, queue: &mut Queue) {
        let plan = self.lines[usize::from(line)].plan;
        let errors = self.plan.params.network.errors;
        let acks = self.lines[usize::from(line ^ 1)].receiver.bits();
        let channel = match dispatch {
            Dispatch::Routing => return self.transmit_routing(now, line, queue),
            Dispatch::Null => None,
            Dispatch::First(channel) | Dispatch::Again(channel) => Some(channel),
        };
        let l = &mut self.lines[usize::from(line)];
        let bits = channel.map_or(CONTROL_BITS, |channel| u32::from(l.sender.bits(channel)));
        // Replies and null packets are most of what is sent, and a division is slow.
        let length = if bits == CONTROL_BITS {
            l.control
        } else {
            plan.rate.time_for(Data::from_bits(u64::from(bits)))
        };
        let is_down = l.health != Health::Works;
        let lost = is_down || (errors > 0.0 && l.random.chance(errors));
        let start = now + plan.output;
        let end = start + length;
        l.use_.sent += 1;
        l.use_.lost += u64::from(lost && !is_down);
        l.use_.cut += u64::from(is_down);
        l.busy_until = end;
        l.schedule.is_busy(length);
        l.sender.acknowledgment_owed = false;
        let comes = end + plan.delay;
        match channel {
            None => {
                l.use_.null_ps += length.ps();
                if !lost {
                    self.expect(plan.to, comes, Arrival::Null { line, acks }, queue);
                }
            }
            Some(channel) => {
                let again = l.sender.was_sent(channel);
                if again {
                    l.use_.again_ps += length.ps();
                    self.statistics.retransmissions += 1;
                }
                let parity = l.sender.parity(channel);
                if let Some(packet) = l.sender.sent(channel, end, lost) {
                    self.begin_transmission(start, line, packet, again, end);
                    self.watch_overdue(now, queue);
                    if !again && !lost {
                        let done = comes + self.handling_time(plan.to, packet);
                        self.schedule_work(queue, plan.to, done, Event::Task { line, channel, packet });
                        self.expect(plan.to, comes, Arrival::Packet { line, channel, acks }, queue);
                    }
                }
                if again && !lost {
                    self.schedule(queue, plan.to, comes, Event::Again { line, channel, parity, acks });
                }
            }
        }
    }

    /// Sends a routing message behind a null packet.
    fn transmit_routing(&mut self, now: Time, line: u16, queue: &mut Queue) {
        let plan = self.lines[usize::from(line)].plan;
        let errors = self.plan.params.network.errors;
        let acks = self.lines[usize::from(line ^ 1)].receiver.bits();
        let serial = self.imps[usize::from(plan.from)].vectors.last();
        let every = self.every_routing_message;
        let l = &mut self.lines[usize::from(line)];
        let times = l.routing;
        let works = l.health == Health::Works;
        let mut arrives = |tells: bool| tells && works && !(errors > 0.0 && l.random.chance(errors));
        let acknowledges = times.null > Span::ZERO && arrives(l.sender.acknowledgment_owed);
        let tells = arrives(every || l.schedule.has_news(serial));
        l.sender.routing_due = false;
        l.sender.acknowledgment_owed &= times.null == Span::ZERO;
        l.schedule.tells(serial);
        l.sends_routing(now);
        if acknowledges {
            let comes = now + times.null_sent + plan.delay;
            self.expect(plan.to, comes, Arrival::Null { line, acks }, queue);
        }
        if tells {
            let comes = now + times.sent + plan.delay;
            let done = comes + self.imps[usize::from(plan.to)].processor.routing_time();
            self.schedule_work(queue, plan.to, done, Event::Merge { line, serial });
            self.expect(plan.to, comes, Arrival::Routing { line, serial }, queue);
        }
    }

    /// The ledger of a packet that a line begins to send, until its last bit is out.
    fn begin_transmission(&mut self, now: Time, line: u16, packet: u32, again: bool, end: Time) {
        let place = self.place_of_line(line);
        let waited = now.since(self.packets[packet].account.since());
        let reply = self.packets[packet].kind.is_reply();
        let use_ = &mut self.lines[usize::from(line)].use_;
        let length = end.since(now).ps();
        if !again {
            use_.packets += 1;
            if reply {
                use_.reply_ps += length;
            } else {
                use_.data_ps += length;
            }
            if self.packets[packet].kind.is_rfnm() || !reply {
                waited.onto(&mut use_.wait_ps);
                use_.waited += 1;
            }
        }
        if self.trace.follows_packets() {
            self.follow(now, line, packet, end);
        }
        let stage = if again { Stage::RetransmissionWait } else { Stage::LineWait };
        let stages = [(stage, Stage::ReplyWait, now), (Stage::Transmission, Stage::ReplyTransit, end)];
        self.close_packet(packet, place, &stages);
    }

    /// The line on which packets leave an IMP for another.
    #[inline]
    pub(super) fn next_line(&self, imp: u8, to: u8) -> u16 {
        let port = self.imps[usize::from(imp)].routes.best(usize::from(to));
        assert!(port != NO_PORT, "a packet for an IMP itself is not sent on a line");
        self.plan.imps[usize::from(imp)].lines[usize::from(port)]
    }

    /// Whether a packet made in an IMP can be queued for a line.
    pub(super) fn has_place(&self, imp: u8, line: u16) -> bool {
        self.imps[usize::from(imp)].store.free() > 0
            && !self.is_dead_line(line)
            && self.lines[usize::from(line)].sender.occupied() < CHANNELS
    }

    /// Queues a packet for a line on which there is a place.
    pub(super) fn enqueue(&mut self, now: Time, line: u16, packet: u32, queue: &mut Queue) {
        self.send_due(now, line, queue);
        let imp = self.lines[usize::from(line)].plan.from;
        let p = &mut self.packets[packet];
        if p.visited >> imp & 1 == 1 {
            p.returns = p.returns.saturating_add(1);
            self.loops.returned(p.returns, p.kind == PacketKind::Data);
        }
        p.visited |= 1 << imp;
        self.statistics.hops += 1;
        if p.kind == PacketKind::Data && p.index == 0 {
            self.messages[p.of].hops = self.messages[p.of].hops.saturating_add(1);
        }
        let (bits, reply) = (p.bits, p.kind.is_reply());
        self.imps[usize::from(imp)].store.acquire(now, 1);
        let l = &mut self.lines[usize::from(line)];
        l.channels.acquire(now, 1);
        l.sender.enqueue(packet, bits, reply);
        self.pump(now, line, queue);
    }
}
