//! What an IMP does with packets that are for itself: messages for its hosts at their destination, replies at their source.

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::observe::trace::TraceKind;
use crate::protocol::message_block::Setup;
use crate::protocol::message_order::Place;
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::{Fate, PacketKind};
use crate::protocol::single_packet::Verdict;
use crate::protocol::stage::{Phase, Stage};
use crate::subnet::event::Event;
use crate::subnet::imp::Output;
use crate::subnet::source_imp::ALLOCATION;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// A packet has reached the IMP that it is for.
    pub(crate) fn consume(&mut self, now: Time, packet: u32, queue: &mut Queue) {
        let p = &self.packets[packet];
        let (kind, of, number, account) = (p.kind, p.of, p.number, p.account);
        self.packets.remove(packet);
        let can_be_late = matches!(kind, PacketKind::Data | PacketKind::Recall);
        if can_be_late && self.comes_too_late(now, of, kind, queue) {
            return;
        }
        match kind {
            PacketKind::Data => {
                let index = self.packets[packet].index;
                if self.messages[of].is_single() {
                    self.messages[of].account = account;
                    self.single_arrives(now, of, queue);
                } else {
                    self.part_arrives(now, of, index, packet, queue);
                }
            }
            PacketKind::Rfnm { with_allocation } => {
                self.messages[of].account = account;
                self.rfnm_arrives(now, of, with_allocation, queue);
            }
            PacketKind::Allocation => self.allocation_arrives(now, of, number, queue),
            PacketKind::Recall => self.recalled(now, of, queue),
            // One that was given up on its way comes for nothing.
            PacketKind::Request if number < self.sequences[of as usize].order.next_reply() => {}
            PacketKind::Request => {
                self.note_control(now, TraceKind::RequestArrives, of, number);
                self.sequences[of as usize].request_came[number as usize % 8] = now;
                self.sequences[of as usize].order.set(number, Place::Request);
                self.deliver(now, of, queue);
            }
            PacketKind::GiveBack => {
                let dest = self.sequences[of as usize].dest;
                self.imps[usize::from(dest)].reassembly.take_back(now, ALLOCATION, Phase::Unassigned);
                self.sequences[of as usize].order.set(number, Place::GiveBack);
                self.deliver(now, of, queue);
                self.serve_waiting(now, dest, queue);
            }
            PacketKind::GaveBack => self.number_over(now, of, number, Phase::Requesting, queue),
            PacketKind::IncompleteQuery => self.query_arrives(now, of, number, queue),
            PacketKind::Incomplete => self.incomplete_arrives(now, of, queue),
            PacketKind::RequestOver => self.request_over(now, of, number, queue),
            PacketKind::BlockAsk => self.block_asked(now, of, queue),
            PacketKind::BlockGrant => {
                self.sequences[of as usize].setup = Setup::Established;
                let source = self.sequences[of as usize].source;
                self.released(now, source, queue);
            }
        }
    }

    /// A single-packet message has come. Its buffer is kept where it is accepted and free where it is not.
    fn single_arrives(&mut self, now: Time, message: u32, queue: &mut Queue) {
        let m = &self.messages[message];
        let (sequence, number, dest) = (m.sequence, m.number, m.dest);
        let rule = self.plan.params.protocol.single_packets;
        let order = &self.sequences[sequence as usize].order;
        let (in_order, known) = (order.in_order(number), order.all_known_before(number));
        let recalled = matches!(order.place(number), Place::Recalled(_));
        if !recalled && in_order && self.imps[usize::from(dest)].reassembly.free() == 0 {
            self.delete_stored(now, sequence);
        }
        let free = self.imps[usize::from(dest)].reassembly.free() > 0;
        let reassembly = &mut self.imps[usize::from(dest)].reassembly;
        if recalled {
            reassembly.advance(now, Phase::Unassigned, Phase::Transit, 1);
        } else if rule.judge(in_order, known, free) == Verdict::Accept {
            reassembly.promise(now, 1, Phase::Transit);
        } else {
            self.imps[usize::from(dest)].buffers.release(now, 1);
            self.discard(now, message);
            self.deliver(now, sequence, queue);
            self.released(now, dest, queue);
            return;
        }
        reassembly.fill();
        self.messages[message].buffers = 1;
        self.advance_phase(now, message, Phase::Reassembly);
        self.note(now, TraceKind::MessageArrives, message);
        self.sequences[sequence as usize].order.set(number, Place::Whole(message));
        self.deliver(now, sequence, queue);
    }

    /// A single-packet message is not kept: it counts as a request.
    fn discard(&mut self, now: Time, message: u32) {
        let m = &self.messages[message];
        let (sequence, number) = (m.sequence, m.number);
        self.statistics.discarded += 1;
        self.note(now, TraceKind::MessageDiscarded, message);
        self.sequences[sequence as usize].order.set(number, Place::Rejected(message));
    }

    /// Makes room by deleting the last single-packet message of a sequence that was stored out of order (RFC 632, second remedy).
    fn delete_stored(&mut self, now: Time, sequence: u32) {
        let stored = self.sequences[sequence as usize].order.last_stored();
        let Some((_, message)) = stored.filter(|&(_, message)| self.messages[message].is_single()) else {
            return;
        };
        let dest = self.messages[message].dest;
        let imp = &mut self.imps[usize::from(dest)];
        imp.reassembly.empty(now, 1, self.messages[message].phase);
        imp.buffers.release(now, 1);
        self.messages[message].buffers = 0;
        self.advance_phase(now, message, Phase::Transit);
        self.discard(now, message);
    }

    /// A packet of a multipacket message has come into one of the message's buffers.
    fn part_arrives(&mut self, now: Time, message: u32, index: u8, packet: u32, queue: &mut Queue) {
        let m = &mut self.messages[message];
        let first = m.received == 0;
        m.received |= 1 << index;
        let (sequence, number, dest) = (m.sequence, m.number, m.dest);
        let whole = u32::from(m.packets) == m.received.count_ones();
        self.imps[usize::from(dest)].reassembly.fill();
        if first {
            self.advance_phase(now, message, Phase::Reassembly);
            self.sequences[sequence as usize].order.set(number, Place::Partial(message));
            self.note(now, TraceKind::FirstPacketArrives, message);
        }
        if !whole {
            return;
        }
        let account = self.packets[packet].account;
        let m = &mut self.messages[message];
        m.account = account;
        let unused = m.buffers - m.packets;
        (m.buffers, m.times.complete) = (m.packets, now);
        let phase = m.phase;
        self.note(now, TraceKind::MessageArrives, message);
        if unused > 0 {
            self.imps[usize::from(dest)].reassembly.take_back(now, u64::from(unused), phase);
        }
        self.sequences[sequence as usize].order.set(number, Place::Whole(message));
        self.deliver(now, sequence, queue);
        if unused > 0 {
            self.serve_waiting(now, dest, queue);
        }
    }

    /// Puts messages whose turn has come into the queue for their host, and sends the replies that are due.
    pub(crate) fn deliver(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        while let Some(message) = self.sequences[sequence as usize].order.next_for_host() {
            let (to, dest) = (self.messages[message].to, self.messages[message].dest);
            self.close(message, Stage::OrderWait, Self::place_of_imp(dest), now);
            self.messages[message].times.complete = now;
            self.advance_phase(now, message, Phase::HostOutput);
            if self.is_dead(now, to) {
                self.not_taken(now, message, Fate::Dead);
                continue;
            }
            self.hosts[to as usize].output.push_back(message);
            self.run_output(now, to, queue);
        }
        self.reply(now, sequence, queue);
    }

    /// A RFNM is back: the number and the table entry are free, and the host is told.
    fn rfnm_arrives(&mut self, now: Time, message: u32, with_allocation: bool, queue: &mut Queue) {
        let m = &mut self.messages[message];
        m.times.arrived = now;
        let (single, source, sequence, number, from) =
            (m.is_single(), m.source, m.sequence, m.number, m.from);
        let imp = &mut self.imps[usize::from(source)];
        if single { &mut imp.copies } else { &mut imp.leaders }.release(now, Phase::ReplyTransit);
        self.note(now, TraceKind::RfnmArrives, message);
        if with_allocation {
            self.allocation_comes(now, source, sequence, queue);
        }
        self.tell_host(now, from, message, queue);
        self.number_over(now, sequence, number, Phase::ReplyTransit, queue);
    }

    /// The answer to a REQALL is back.
    fn allocation_arrives(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.requests -= 1;
        let source = state.source;
        self.note_control(now, TraceKind::AllocationArrives, sequence, number);
        self.imps[usize::from(source)].leaders.release(now, Phase::Requesting);
        self.allocation_comes(now, source, sequence, queue);
        self.number_over(now, sequence, number, Phase::Requesting, queue);
    }

    /// A message number is over. Whoever waits for it, for a table entry or for an allocation looks again.
    pub(crate) fn number_over(
        &mut self,
        now: Time,
        sequence: u32,
        number: u32,
        phase: Phase,
        queue: &mut Queue,
    ) {
        let state = &mut self.sequences[sequence as usize];
        state.numbers.give_back(number);
        state.timeout.own(number, Owner::Nobody);
        state.pool.release(now, phase as usize, 1);
        let source = state.source;
        self.grant_entries(now, source, queue);
        self.released(now, source, queue);
        self.review_blocks(now, sequence, queue);
    }

    /// An allocation is at the source IMP, for the next message that needs one.
    pub(crate) fn allocation_comes(&mut self, now: Time, source: u8, sequence: u32, queue: &mut Queue) {
        self.imps[usize::from(source)].allocations.add(now, sequence);
        self.watch_allocations(now, source, queue);
    }

    /// Schedules a look at the oldest unused allocation.
    fn watch_allocations(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let limit = self.plan.params.protocol.give_back_after;
        let state = &mut self.imps[usize::from(imp)];
        if let Some((_, due)) = state.allocations.oldest(limit)
            && state.give_back_at == Time::NEVER
        {
            // An overdue one that no message number was free for is looked at again at the next fast tick.
            let at = if due > now { due } else { now + hopscope_units::Span::from_us(25_600) };
            state.give_back_at = at;
            self.schedule(queue, imp, at, Event::GiveBack(imp));
        }
    }

    /// The oldest unused allocation may be due to be given back; its GVB needs a message number.
    pub(crate) fn give_back(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let limit = self.plan.params.protocol.give_back_after;
        self.imps[usize::from(imp)].give_back_at = Time::NEVER;
        if let Some((sequence, due)) = self.imps[usize::from(imp)].allocations.oldest(limit)
            && due <= now
            && let Some(number) = self.sequences[sequence as usize].numbers.take()
        {
            let state = &mut self.sequences[sequence as usize];
            state.timeout.own(number, Owner::GiveBack);
            state.pool.acquire(now, Phase::Requesting as usize, 1);
            let dest = state.dest;
            self.imps[usize::from(imp)].allocations.drop_oldest();
            self.statistics.given_back += 1;
            self.note_control(now, TraceKind::GiveBackSent, sequence, number);
            self.send_control(now, imp, dest, PacketKind::GiveBack, sequence, number, queue);
        }
        self.watch_allocations(now, imp, queue);
    }

    /// The allocation for a discarded single-packet message is back: its copy is sent.
    fn recalled(&mut self, now: Time, message: u32, queue: &mut Queue) {
        let source = self.messages[message].source;
        self.close(message, Stage::OutOfOrderWait, Self::place_of_imp(source), now);
        self.note(now, TraceKind::MessageSentAgain, message);
        let packet = self.data_packet(message, 0);
        self.send_from(now, source, packet, queue);
    }

    /// Sends what an IMP has for a host, as long as that takes no time.
    pub(crate) fn run_output(&mut self, now: Time, host: u32, queue: &mut Queue) {
        loop {
            let h = &mut self.hosts[host as usize];
            if h.is_sending {
                return;
            }
            let (item, index) = match h.serving {
                Some(serving) => serving,
                None => {
                    let reply = h.replies.pop_front().map(Output::Rfnm);
                    let Some(item) = reply.or_else(|| h.output.pop_front().map(Output::Message)) else {
                        return;
                    };
                    h.serving = Some((item, 0));
                    if let Output::Message(message) = item {
                        h.wait_ps += now.since(self.messages[message].account.since()).ps();
                        let place = self.place_of_host(host);
                        self.close(message, Stage::HostOutputWait, place, now);
                    }
                    (item, 0)
                }
            };
            let length = self.output_time(host, item, index);
            let (at, is_tardy) = self.taken_at(now, host, length);
            if at > now {
                let h = &mut self.hosts[host as usize];
                (h.is_sending, h.is_tardy) = (true, is_tardy);
                h.busy_ps += length.ps();
                let imp = self.plan.hosts[host as usize].imp;
                return self.schedule(queue, imp, at, Event::HostOut(host));
            }
            self.output_done(now, host, queue);
        }
    }
}
