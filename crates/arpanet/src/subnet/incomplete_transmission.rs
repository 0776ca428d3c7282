//! Messages that do not arrive: blocked in their source IMP, or incomplete at their destination.
//!
//! BBN Report 1822 as changed by RFC 381, and the program's listing. A message without a message number for 15 s is
//! refused (type 9, subtype 4, blocked). A source without a reply for 34 to 51 s asks the destination, which gives up
//! what has not arrived, frees its buffers and answers that the transmission is incomplete (type 9, subtype 3).

use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::observe::trace::TraceKind;
use crate::protocol::message_order::Place;
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::{Fate, PacketKind};
use crate::protocol::stage::Phase;
use crate::subnet::host::Step;
use crate::subnet::reqall::ALLOCATION;
use crate::subnet::routing_messages::COMPUTATION;
use crate::subnet::{Queue, Subnet};

/// The time that a message waits for a message number before it is refused: 15 s (RFC 381; the program's listing).
const BLOCKED_AFTER: Span = Span::from_s(15);

impl<J: Journal> Subnet<J> {
    /// At a computation, an IMP looks whether a host has waited too long for a message number and whether a reply is
    /// overdue.
    pub(super) fn look_after_messages(&mut self, now: Time, imp: u8, queue: &mut Queue) {
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

    /// A message that has waited too long for its number is refused; the host sends its next one. An allocation that it
    /// had is left to others, or is given back.
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

    /// A source asks about a message number that is without a reply. What is complete, or has been answered already, is
    /// not given up.
    pub(super) fn query_arrives(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
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

    /// The destination frees all resources of a message. What is still in transit is discarded on arrival.
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

    /// A packet of a message, or the allocation for one, has come to its end. Whether it is too late: the message has
    /// been given up.
    pub(super) fn comes_too_late(
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

    /// The source hears that a message will not arrive: number and table entry are free, and the host is notified.
    pub(super) fn incomplete_arrives(&mut self, now: Time, message: u32, queue: &mut Queue) {
        let m = &self.messages[message];
        let (single, source, sequence, number, from) =
            (m.is_single(), m.source, m.sequence, m.number, m.from);
        let imp = &mut self.imps[usize::from(source)];
        imp.pending_table(single).release(now, Phase::ReplyTransit);
        self.note(now, TraceKind::IncompleteArrives, message);
        self.tell_host(now, from, message, queue);
        self.number_over(now, sequence, number, Phase::ReplyTransit, queue);
    }
}
