//! Messages that do not arrive: blocked in their source IMP, incomplete at their destination, not taken by a host.
//!
//! BBN Report 1822 as changed by RFCs 381 and 394, and the program's listing. A message without a message number for 15 s is refused
//! (type 9, subtype 4, blocked). A source without a reply for 34 to 51 s asks the destination, which gives up what has not arrived, frees its
//! buffers and answers that the transmission is incomplete (type 9, subtype 3). A host that does not take a packet for 30 s is tardy: its
//! IMP discards what it holds for it (type 9, subtype 0), and answers for what comes later that the host is dead (type 7).

use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::observe::trace::TraceKind;
use crate::protocol::message_order::Place;
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::{Fate, PacketKind};
use crate::protocol::stage::Phase;
use crate::subnet::imp::{Output, Step};
use crate::subnet::routing_messages::COMPUTATION;
use crate::subnet::source_imp::ALLOCATION;
use crate::subnet::{Queue, Subnet};

/// A message waits so long for a message number before it is refused: 15 s (RFC 381; the program's listing).
const BLOCKED_AFTER: Span = Span::from_s(15);

/// A host has so long to take a packet: 30 s (RFC 394).
const TARDY_AFTER: Span = Span::from_s(30);

impl<J: Journal> Subnet<J> {
    /// At a computation, an IMP looks whether a host has waited too long for a message number and whether a reply is overdue.
    pub(crate) fn look_after_messages(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        if self.imps[usize::from(imp)].blocked > 0 {
            for index in 0..self.imps[usize::from(imp)].hosts.len() {
                let host = self.imps[usize::from(imp)].hosts[index];
                let h = &self.hosts[host as usize];
                let waits = h.blocked && h.step == Step::Number;
                if waits && now.saturating_since(self.messages[h.message].account.since()) >= BLOCKED_AFTER {
                    self.refuse_blocked(now, host, queue);
                }
            }
        }
        let period = self.plan.params.protocol.message_timeout.ps();
        if now.ps() / period == now.ps().saturating_sub(COMPUTATION.ps()) / period {
            return;
        }
        for index in 0..self.imps[usize::from(imp)].sequences.len() {
            let sequence = self.imps[usize::from(imp)].sequences[index];
            let state = &mut self.sequences[sequence as usize];
            let dest = state.dest;
            if let Some(number) = state.timeout.period(state.numbers.oldest()) {
                self.statistics.queries += 1;
                self.note_control(now, TraceKind::IncompleteQuerySent, sequence, number);
                self.send_control(now, imp, dest, PacketKind::IncompleteQuery, sequence, number, queue);
            }
        }
    }

    /// A message that has waited too long for its number is refused; the host sends its next one. An allocation that it had is left to
    /// others, or is given back.
    fn refuse_blocked(&mut self, now: Time, host: u32, queue: &mut Queue) {
        self.unblock(now, host);
        let h = &mut self.hosts[host as usize];
        let message = h.message;
        let had_allocation = std::mem::take(&mut h.has_allocation);
        h.step = Step::Idle;
        self.note(now, TraceKind::MessageBlocked, message);
        let m = &mut self.messages[message];
        (m.fate, m.buffers) = (Fate::Blocked, 0);
        let (source, dest, sequence) = (m.source, m.dest, m.sequence);
        self.imps[usize::from(source)].buffers.release(now, 1);
        if had_allocation {
            let reassembly = &mut self.imps[usize::from(dest)].reassembly;
            reassembly.advance(now, Phase::Input, Phase::Unassigned, ALLOCATION);
            self.allocation_comes(now, source, sequence, queue);
        }
        self.end(message);
        self.tell_host(now, host, message, queue);
        self.released(now, source, queue);
        self.advance_input(now, host, queue);
    }

    /// A reply of any kind is for a host; one that takes nothing any more does not hear it.
    pub(crate) fn tell_host(&mut self, now: Time, host: u32, message: u32, queue: &mut Queue) {
        if self.is_dead(now, host) {
            return self.finish_unheard(now, message, queue);
        }
        self.hosts[host as usize].replies.push_back(message);
        self.run_output(now, host, queue);
    }

    /// A source asks about a message number that is without a reply. What is complete, or has been answered already, is not given up.
    pub(crate) fn query_arrives(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &self.sequences[sequence as usize];
        if number < state.order.next_reply() {
            return;
        }
        let (place, dest) = (state.order.place(number), state.dest);
        let owner = match place {
            Place::Empty => state.timeout.owner(number),
            Place::Request => Owner::Request,
            Place::Partial(message) | Place::Rejected(message) | Place::Recalled(message) => {
                Owner::Message(message)
            }
            _ => return,
        };
        let place = match owner {
            Owner::Message(message) => {
                self.give_up(now, message, place);
                Place::Lost(message)
            }
            Owner::Request => Place::Unanswered,
            Owner::Nobody | Owner::GiveBack => return,
        };
        self.sequences[sequence as usize].order.set(number, place);
        self.deliver(now, sequence, queue);
        self.serve_waiting(now, dest, queue);
        self.released(now, dest, queue);
    }

    /// The destination frees all that a message has there. What is still on its way is discarded when it comes.
    fn give_up(&mut self, now: Time, message: u32, place: Place) {
        let m = &mut self.messages[message];
        m.fate = Fate::Incomplete;
        let (buffers, arrived) = (u64::from(m.buffers), u64::from(m.received.count_ones()));
        let (phase, dest, nothing_comes) = (m.phase, m.dest, m.in_net == 0);
        m.buffers = 0;
        let imp = &mut self.imps[usize::from(dest)];
        match place {
            Place::Recalled(_) => imp.reassembly.take_back(now, 1, Phase::Unassigned),
            _ => {
                imp.reassembly.empty(now, arrived, phase);
                imp.buffers.release(now, arrived);
                imp.reassembly.take_back(now, buffers - arrived, phase);
            }
        }
        self.advance_phase(now, message, Phase::ReplyWait);
        if nothing_comes {
            self.end(message);
        }
    }

    /// A packet of a message, or the allocation for one, has come to its end. Whether it is too late: the message has been given up.
    pub(crate) fn comes_too_late(
        &mut self,
        now: Time,
        message: u32,
        kind: PacketKind,
        queue: &mut Queue,
    ) -> bool {
        let m = &mut self.messages[message];
        m.in_net -= 1;
        if m.fate == Fate::Delivered {
            return false;
        }
        let (dest, last) = (m.dest, m.in_net == 0);
        if kind == PacketKind::Data {
            self.imps[usize::from(dest)].buffers.release(now, 1);
            self.released(now, dest, queue);
        }
        if last {
            self.end(message);
        }
        true
    }

    /// The source hears that a message will not arrive: number and table entry are free, and the host is told.
    pub(crate) fn incomplete_arrives(&mut self, now: Time, message: u32, queue: &mut Queue) {
        let m = &self.messages[message];
        let (single, source, sequence, number, from) =
            (m.is_single(), m.source, m.sequence, m.number, m.from);
        let imp = &mut self.imps[usize::from(source)];
        if single { &mut imp.copies } else { &mut imp.leaders }.release(now, Phase::ReplyTransit);
        self.note(now, TraceKind::IncompleteArrives, message);
        self.tell_host(now, from, message, queue);
        self.number_over(now, sequence, number, Phase::ReplyTransit, queue);
    }

    /// The source hears that its REQALL was in vain: where the message still waits for that allocation, it asks again.
    pub(crate) fn request_over(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.requests -= 1;
        let source = state.source;
        self.note_control(now, TraceKind::IncompleteArrives, sequence, number);
        self.imps[usize::from(source)].leaders.release(now, Phase::Requesting);
        let asked = |host: &&u32| {
            let h = &self.hosts[**host as usize];
            h.step == Step::Await
                && h.request == Some(number)
                && self.messages[h.message].sequence == sequence
        };
        if let Some(&host) = self.imps[usize::from(source)].hosts.iter().find(asked) {
            self.unblock(now, host);
            let h = &mut self.hosts[host as usize];
            (h.step, h.request) = (Step::Number, None);
            self.block(now, host);
        }
        self.number_over(now, sequence, number, Phase::Requesting, queue);
    }

    /// Whether an IMP has declared a host dead.
    pub(crate) fn is_dead(&self, now: Time, host: u32) -> bool {
        now < self.hosts[host as usize].dead_until
    }

    /// When a host has taken what its IMP begins to send now and what takes this long, and whether it is too tardy for that: then it is
    /// when the IMP loses patience.
    pub(crate) fn taken_at(&self, now: Time, host: u32, length: Span) -> (Time, bool) {
        let Some(until) = self.plan.hosts[host as usize].silent_until(now) else {
            return (now + length, false);
        };
        if until > now + TARDY_AFTER { (now + TARDY_AFTER, true) } else { (until + length, false) }
    }

    /// A host has not taken a packet for 30 s: everything that its IMP holds for it is discarded, and it is dead until it takes something
    /// again.
    pub(crate) fn host_is_tardy(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let until = self.plan.hosts[host as usize].silent_until(now).unwrap_or(now);
        let h = &mut self.hosts[host as usize];
        h.dead_until = until;
        let (serving, replies) = (h.serving.take(), std::mem::take(&mut h.replies));
        let messages = std::mem::take(&mut h.output);
        match serving {
            Some((Output::Rfnm(message), _)) => self.finish_unheard(now, message, queue),
            Some((Output::Message(message), 0)) => self.not_taken(now, message, Fate::Tardy),
            Some((Output::Message(message), _)) => {
                // Its RFNM went when the host had the first packet.
                self.discard_packets(now, message);
                self.end(message);
            }
            None => {}
        }
        for &message in &messages {
            self.not_taken(now, message, Fate::Tardy);
        }
        for message in replies {
            self.finish_unheard(now, message, queue);
        }
        let imp = self.plan.hosts[host as usize].imp;
        let first = serving.and_then(|(item, index)| match item {
            Output::Message(message) if index == 0 => Some(message),
            _ => None,
        });
        for message in first.into_iter().chain(messages) {
            let sequence = self.messages[message].sequence;
            self.reply(now, sequence, queue);
        }
        self.serve_waiting(now, imp, queue);
        self.released(now, imp, queue);
    }

    /// The destination's host does not take a message that is complete there.
    pub(crate) fn not_taken(&mut self, now: Time, message: u32, fate: Fate) {
        self.discard_packets(now, message);
        self.messages[message].fate = fate;
        self.advance_phase(now, message, Phase::ReplyWait);
        let (sequence, number) = (self.messages[message].sequence, self.messages[message].number);
        self.sequences[sequence as usize].order.set(number, Place::Lost(message));
        self.end(message);
    }

    /// Packets of a message that are in the destination's reassembly buffers are discarded.
    fn discard_packets(&mut self, now: Time, message: u32) {
        let m = &mut self.messages[message];
        let (held, phase, dest) = (u64::from(std::mem::take(&mut m.buffers)), m.phase, m.dest);
        let imp = &mut self.imps[usize::from(dest)];
        imp.reassembly.empty(now, held, phase);
        imp.buffers.release(now, held);
    }

    /// A message's reply finds its host dead.
    fn finish_unheard(&mut self, now: Time, message: u32, queue: &mut Queue) {
        if self.messages[message].fate == Fate::Delivered {
            self.messages[message].fate = Fate::Unheard;
        }
        self.finish(now, message, queue);
    }
}
