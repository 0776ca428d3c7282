//! RFNMs and the other replies of a destination IMP: sent in order, with an allocation where buffers are free, and as
//! they come back (Kleinrock and Opderbeck, sections II and VII).

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::observe::trace::TraceKind;
use crate::protocol::message_order::{Due, Means, Place};
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::{CONTROL_BITS, Packet, PacketKind};
use crate::protocol::stage::{Phase, Stage};
use crate::subnet::event::Event;
use crate::subnet::reqall::ALLOCATION;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// Replies that wait for reassembly buffers look again, in the order in which they began to wait.
    pub(super) fn serve_waiting(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        if self.imps[usize::from(imp)].waiting_replies.is_empty() {
            return;
        }
        for sequence in self.imps[usize::from(imp)].waiting_replies.clone() {
            self.reply(now, sequence, queue);
        }
    }

    /// A reply has waited for buffers as long as it may.
    pub(super) fn patience_ends(&mut self, now: Time, sequence: u32, number: u16, queue: &mut Queue) {
        if self.sequences[sequence as usize].order.next_reply() as u16 == number {
            self.reply(now, sequence, queue);
        }
    }

    /// Sends the replies of a sequence that are due.
    pub(super) fn reply(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        loop {
            let patience = self.plan.params.protocol.piggy_back_wait;
            let state = &self.sequences[sequence as usize];
            let dest = state.dest;
            let means = Means {
                free_buffers: self.imps[usize::from(dest)].reassembly.free(),
                multipacket: ALLOCATION,
                phasing_fix: self.plan.params.protocol.phasing_fix,
            };
            let patient = state.order.waiting_since.is_none_or(|since| now < since + patience);
            let due = state.order.due(means, |message| self.messages[message].is_single(), patient);
            match due {
                Due::Nothing => return,
                Due::Buffers => return self.wait_for_buffers(now, sequence, queue),
                _ => self.send_reply(now, sequence, due, queue),
            }
        }
    }

    /// The reply whose turn it is waits for buffers: a RFNM for some time, others until there are some.
    fn wait_for_buffers(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        if state.order.waiting_since.is_some() {
            return;
        }
        state.order.waiting_since = Some(now);
        let (dest, number) = (state.dest, state.order.next_reply());
        let imp = &mut self.imps[usize::from(dest)];
        imp.waiting_replies.push(sequence);
        imp.reassembly.pool_mut().start_waiting(now);
        if let Place::Served(message) = self.sequences[sequence as usize].order.place(number) {
            self.close(message, Stage::ReplyOrderWait, Self::place_of_imp(dest), now);
            let at = now + self.plan.params.protocol.piggy_back_wait;
            let number = number as u16;
            self.schedule(queue, dest, at, Event::Patience { sequence, number });
        }
    }

    fn send_reply(&mut self, now: Time, sequence: u32, due: Due, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        let (source, dest, number) = (state.source, state.dest, state.order.next_reply());
        let waited = state.order.waiting_since.is_some();
        state.order.replied(due);
        if waited {
            let imp = &mut self.imps[usize::from(dest)];
            imp.waiting_replies.retain(|&other| other != sequence);
            imp.reassembly.pool_mut().stop_waiting(now);
        }
        match due {
            Due::Rfnm { message, with_allocation } => {
                self.send_rfnm(now, message, with_allocation, waited, queue);
            }
            Due::Allocation => {
                self.sequences[sequence as usize].requests.answer(now, number);
                self.imps[usize::from(dest)].reassembly.promise(now, ALLOCATION, Phase::Unassigned);
                self.note_control(now, TraceKind::AllocationSent, sequence, number);
                self.send_control(now, dest, source, PacketKind::Allocation, sequence, number, queue);
            }
            Due::Recall(message) => {
                self.imps[usize::from(dest)].reassembly.promise(now, 1, Phase::Unassigned);
                self.note(now, TraceKind::AllocationSent, message);
                self.messages[message].in_net += 1;
                self.send_control(now, dest, source, PacketKind::Recall, message, number, queue);
            }
            Due::GiveBack => {
                self.send_control(now, dest, source, PacketKind::GaveBack, sequence, number, queue);
            }
            Due::Lost(message) => {
                self.advance_phase(now, message, Phase::ReplyTransit);
                self.note(now, TraceKind::IncompleteSent, message);
                self.send_control(now, dest, source, PacketKind::Incomplete, message, number, queue);
            }
            Due::Unanswered => {
                self.note_control(now, TraceKind::IncompleteSent, sequence, number);
                self.send_control(now, dest, source, PacketKind::RequestOver, sequence, number, queue);
            }
            Due::Nothing | Due::Buffers => unreachable!("only what is due is sent"),
        }
    }

    fn send_rfnm(&mut self, now: Time, message: u32, with_allocation: bool, waited: bool, queue: &mut Queue) {
        let m = &mut self.messages[message];
        m.times.replied = now;
        let (source, dest, single) = (m.source, m.dest, m.is_single());
        let stage = if waited { Stage::PiggyBackWait } else { Stage::ReplyOrderWait };
        self.close(message, stage, Self::place_of_imp(dest), now);
        self.advance_phase(now, message, Phase::ReplyTransit);
        if with_allocation {
            self.imps[usize::from(dest)].reassembly.promise(now, ALLOCATION, Phase::Unassigned);
        } else if !single {
            self.statistics.bare_replies += 1;
        }
        let kind = if with_allocation { TraceKind::RfnmWithAllocationSent } else { TraceKind::RfnmSent };
        self.note(now, kind, message);
        let m = &self.messages[message];
        let packet = self.packets.insert(Packet {
            account: m.account,
            handled_at: Time::NEVER,
            visited: 0,
            of: message,
            number: m.number,
            bits: CONTROL_BITS as u16,
            to: source,
            kind: PacketKind::Rfnm { with_allocation },
            index: 0,
            returns: 0,
            in_journey: true,
        });
        self.send_reply_from(now, dest, packet, queue);
    }

    /// A RFNM is back: the number and the table entry are free, and the host is notified.
    pub(super) fn rfnm_arrives(&mut self, now: Time, message: u32, with_allocation: bool, queue: &mut Queue) {
        let m = &mut self.messages[message];
        m.times.arrived = now;
        let (single, source, sequence, number, from) =
            (m.is_single(), m.source, m.sequence, m.number, m.from);
        let imp = &mut self.imps[usize::from(source)];
        imp.pending_table(single).release(now, Phase::ReplyTransit);
        self.note(now, TraceKind::RfnmArrives, message);
        if with_allocation {
            self.allocation_comes(now, source, sequence, queue);
        }
        self.tell_host(now, from, message, queue);
        self.number_over(now, sequence, number, Phase::ReplyTransit, queue);
    }

    /// A message number is free. Messages that wait for it, for a table entry or for an allocation check again.
    pub(super) fn number_over(
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
}
