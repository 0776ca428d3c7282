//! The host interface, host to IMP: a host sends packets, or waits until its IMP lets the next one in (BBN Report
//! 1822).

use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::observe::trace::TraceKind;
use crate::protocol::packet::LEADER_BITS;
use crate::protocol::stage::Stage;
use crate::subnet::arrivals::Arrival;
use crate::subnet::event::Event;
use crate::subnet::host::{Step, first_step};
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// The hosts of an IMP that wait look again whether they can go on: at once, or when the IMP polls them.
    fn wake_hosts(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let Some(poll) = self.plan.params.protocol.host_poll else {
            return self.poll(now, imp, queue);
        };
        if self.imps[usize::from(imp)].poll_at == Time::NEVER {
            let at = self.imps[usize::from(imp)].processor.look_after(now, poll);
            self.imps[usize::from(imp)].poll_at = at;
            self.schedule(queue, imp, at, Event::Poll(imp));
        }
    }

    /// An IMP looks after the hosts that wait, in an order that changes from look to look: the program takes them by
    /// their numbers, exclusive or the number of the tick (the program's listing).
    pub(super) fn poll(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let state = &mut self.imps[usize::from(imp)];
        state.poll_at = Time::NEVER;
        state.polls += 1;
        let look = self.plan.params.protocol.host_poll.map_or(state.polls, |poll| now.ps() / poll.ps());
        let (count, places) = (state.hosts.len(), state.hosts.len().next_power_of_two());
        for place in 0..places {
            let index = place ^ (look as usize % places);
            if index >= count {
                continue;
            }
            let host = self.imps[usize::from(imp)].hosts[index];
            if self.hosts[host as usize].blocked {
                self.unblock(now, host);
                self.advance_input(now, host, queue);
            }
        }
    }

    /// The input of a host waits for something that a release may give it.
    pub(super) fn block(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let imp = self.plan.hosts[host as usize].imp;
        self.hosts[host as usize].blocked = true;
        self.imps[usize::from(imp)].blocked += 1;
        self.count_waiter(now, host, true);
        self.watch_arrivals(imp, queue);
    }

    pub(super) fn unblock(&mut self, now: Time, host: u32) {
        self.hosts[host as usize].blocked = false;
        self.imps[usize::from(self.plan.hosts[host as usize].imp)].blocked -= 1;
        self.count_waiter(now, host, false);
    }

    /// One more or one less waits for buffers or message numbers. Tables and output queues count those that wait for
    /// them themselves.
    fn count_waiter(&mut self, now: Time, host: u32, starts: bool) {
        let imp = self.plan.hosts[host as usize].imp;
        match self.hosts[host as usize].step {
            Step::Buffers => {
                let pool = &mut self.imps[usize::from(imp)].buffers;
                if starts { pool.start_waiting(now) } else { pool.stop_waiting(now) }
            }
            Step::Number => {
                let sequence = self.messages[self.hosts[host as usize].message].sequence;
                let pool = &mut self.sequences[sequence as usize].pool;
                if starts { pool.start_waiting(now) } else { pool.stop_waiting(now) }
            }
            _ => {}
        }
    }

    /// The host turns to its next message. It may work on it for a while before the first bit.
    pub(super) fn begin_message(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
        let Some(message) = self.next_message(now, host) else { return false };
        let place = self.place_of_host(host);
        self.close(message, Stage::HostQueue, place, now);
        let h = &mut self.hosts[host as usize];
        (h.message, h.step, h.has_allocation, h.request) = (message, Step::Buffers, false, None);
        (h.granted, h.applied) = (false, false);
        let plan = &self.plan.hosts[host as usize];
        let (imp, work) = (plan.imp, plan.per_message_sent);
        if work > Span::ZERO {
            self.hosts[host as usize].step = Step::Processing;
            self.hosts[host as usize].sending_ps += work.ps();
            self.schedule(queue, imp, now + work, Event::HostReady(host));
        }
        true
    }

    /// The host has done its work on a message and sends it.
    pub(super) fn host_ready(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let place = self.place_of_host(host);
        self.close(self.hosts[host as usize].message, Stage::HostProcessing, place, now);
        self.hosts[host as usize].step = Step::Buffers;
        self.advance_input(now, host, queue);
    }

    /// A packet may enter where enough buffers are free.
    pub(super) fn let_in(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
        let imp = self.plan.hosts[host as usize].imp;
        if !self.imps[usize::from(imp)].has_free(u64::from(self.plan.params.protocol.free_buffers)) {
            return false;
        }
        self.imps[usize::from(imp)].buffers.acquire(now, 1);
        let message = self.hosts[host as usize].message;
        self.close(message, Stage::BufferWait, Self::place_of_imp(imp), now);
        let m = &mut self.messages[message];
        let index = m.sent;
        let m_bits = m.packet_bits(index);
        let mut bits = m_bits;
        if index == 0 {
            m.times.first_bit = now;
            bits += LEADER_BITS;
            self.note(now, TraceKind::InputBegins, message);
        }
        self.hosts[host as usize].step = Step::Receiving;
        match self.plan.hosts[host as usize].rate {
            Some(rate) => {
                let length = rate.time_for(Data::from_bits(u64::from(bits)));
                self.hosts[host as usize].sending_ps += length.ps();
                let words = u64::from(m_bits / 16);
                let done = now + length + self.imps[usize::from(imp)].processor.handling_time(words);
                self.schedule_work(queue, imp, done, Event::HostTask(host));
                self.expect(imp, now + length, Arrival::FromHost(host), queue);
            }
            None => {
                self.host_packet_comes(now, host);
                let done = self.hosts[host as usize].handled_at;
                self.schedule_work(queue, imp, done, Event::HostTask(host));
            }
        }
        true
    }

    /// A packet has come from a host; the IMP handles it.
    pub(super) fn host_packet_comes(&mut self, now: Time, host: u32) {
        let imp = self.plan.hosts[host as usize].imp;
        let message = self.hosts[host as usize].message;
        let place = self.place_of_host(host);
        self.close(message, Stage::HostInput, place, now);
        let m = &mut self.messages[message];
        let words = u64::from(m.packet_bits(m.sent) / 16);
        if m.sent + 1 == m.packets {
            m.times.last_bit = now;
        }
        if m.sent == 0 {
            self.note(now, TraceKind::FirstPacketIn, message);
        }
        let (start, done) = self.imps[usize::from(imp)].processor.handle(now, words);
        self.close(message, Stage::ProcessorWait, Self::place_of_imp(imp), start);
        self.close(message, Stage::Processing, Self::place_of_imp(imp), done);
        self.hosts[host as usize].handled_at = done;
    }

    /// The IMP has handled a packet from a host, unless its processor was busy before.
    pub(super) fn host_task(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let done = self.hosts[host as usize].handled_at;
        if done > now {
            let imp = self.plan.hosts[host as usize].imp;
            return self.schedule_work(queue, imp, done, Event::HostTask(host));
        }
        let first = self.messages[self.hosts[host as usize].message].sent == 0;
        let version = self.plan.params.protocol.version;
        self.hosts[host as usize].step = if first { first_step(version) } else { Step::Queue };
        self.advance_input(now, host, queue);
    }

    /// Something in an IMP has become free: those that wait look again.
    pub(super) fn released(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        if !self.imps[usize::from(imp)].outbox.is_empty() {
            self.flush_outbox(now, imp, queue);
        }
        if self.imps[usize::from(imp)].blocked > 0 {
            self.wake_hosts(now, imp, queue);
        }
    }
}
