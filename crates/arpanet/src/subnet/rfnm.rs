//! The destination's replies, and its line to the host.

use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::observe::trace::TraceKind;
use crate::protocol::message_order::{Due, Means, Place};
use crate::protocol::packet::{CONTROL_BITS, LEADER_BITS, Packet, PacketKind};
use crate::protocol::stage::{Phase, Stage};
use crate::subnet::event::Event;
use crate::subnet::imp::Output;
use crate::subnet::source_imp::ALLOCATION;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// How long a host takes for the next packet of a message or for a RFNM.
    pub(crate) fn output_time(&self, host: u32, item: Output, index: u8) -> Span {
        let plan = &self.plan.hosts[host as usize];
        let bits = match item {
            Output::Rfnm(_) => LEADER_BITS,
            Output::Message(message) if index == 0 => self.messages[message].packet_bits(0) + LEADER_BITS,
            Output::Message(message) => self.messages[message].packet_bits(index),
        };
        let line = plan.rate.map_or(Span::ZERO, |rate| rate.time_for(Data::from_bits(u64::from(bits))));
        let accepts = matches!(item, Output::Message(_)) && index == 0;
        line + if accepts { plan.per_message } else { Span::ZERO }
    }

    /// A host has taken what its IMP was sending.
    pub(crate) fn host_out(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let h = &mut self.hosts[host as usize];
        h.is_sending = false;
        if std::mem::take(&mut h.is_tardy) {
            return self.host_is_tardy(now, host, queue);
        }
        self.output_done(now, host, queue);
        self.run_output(now, host, queue);
    }

    /// A host has taken a packet or a RFNM.
    pub(crate) fn output_done(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let (item, index) = self.hosts[host as usize].serving.expect("a host takes what is being sent");
        match item {
            Output::Rfnm(message) => {
                self.hosts[host as usize].serving = None;
                let place = self.place_of_host(host);
                self.close(message, Stage::ReplyToHost, place, now);
                self.finish(now, message, queue);
            }
            Output::Message(message) => self.packet_delivered(now, host, message, index, queue),
        }
    }

    fn packet_delivered(&mut self, now: Time, host: u32, message: u32, index: u8, queue: &mut Queue) {
        let m = &mut self.messages[message];
        m.buffers -= 1;
        let (dest, sequence, number, phase) = (m.dest, m.sequence, m.number, m.phase);
        let last = index + 1 == m.packets;
        let imp = &mut self.imps[usize::from(dest)];
        imp.reassembly.empty(now, 1, phase);
        imp.buffers.release(now, 1);
        self.hosts[host as usize].serving = (!last).then_some((Output::Message(message), index + 1));
        if index == 0 {
            self.hosts[host as usize].messages += 1;
            let place = self.place_of_host(host);
            self.close(message, Stage::HostOutput, place, now);
            self.advance_phase(now, message, Phase::ReplyWait);
            self.sequences[sequence as usize].order.set(number, Place::Served(message));
            self.note(now, TraceKind::FirstPacketDelivered, message);
        }
        if last {
            self.end(message);
        }
        if index == 0 {
            self.reply(now, sequence, queue);
        }
        self.serve_waiting(now, dest, queue);
        self.released(now, dest, queue);
    }

    /// One of the two ends of a message's life, its delivery and its reply, is over; with both it is forgotten.
    pub(crate) fn end(&mut self, message: u32) {
        let ends = &mut self.messages[message].open_ends;
        *ends -= 1;
        if *ends == 0 {
            self.messages.remove(message);
        }
    }

    /// Replies that wait for reassembly buffers look again, in the order in which they began to wait.
    pub(crate) fn serve_waiting(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        if self.imps[usize::from(imp)].waiting_replies.is_empty() {
            return;
        }
        for sequence in self.imps[usize::from(imp)].waiting_replies.clone() {
            self.reply(now, sequence, queue);
        }
    }

    /// A reply has waited for buffers as long as it may.
    pub(crate) fn patience_ends(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        if self.sequences[sequence as usize].order.next_reply() == number {
            self.reply(now, sequence, queue);
        }
    }

    /// Sends the replies of a sequence that are due.
    pub(crate) fn reply(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
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
                let state = &mut self.sequences[sequence as usize];
                state.answered = Some((number, state.request_came[number as usize % 8], now));
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
        self.send_from(now, dest, packet, queue);
    }
}
