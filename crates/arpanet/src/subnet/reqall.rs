//! REQALL and ALL: a source IMP asks for the reassembly buffers of a multipacket message, and has them (Kleinrock and
//! Opderbeck, section II).

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::observe::trace::TraceKind;
use crate::protocol::message_order::Place;
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::PacketKind;
use crate::protocol::pending_leader_table::Applicant;
use crate::protocol::stage::{Phase, Stage};
use crate::scenario::params::Version;
use crate::subnet::host::Step;
use crate::subnet::{Queue, Subnet};

/// Reassembly buffers of an allocation for a multipacket message.
pub(crate) const ALLOCATION: u64 = 8;

impl<J: Journal> Subnet<J> {
    /// Looks for an allocation, and asks for one where there is none: the REQALL takes the message number, and in
    /// version 2 also the table entry, that the message has acquired.
    pub(super) fn need_allocation(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
        let message = self.hosts[host as usize].message;
        let (sequence, number, source) = {
            let m = &self.messages[message];
            (m.sequence, m.number, m.source)
        };
        let version = self.plan.params.protocol.version;
        if self.imps[usize::from(source)].allocations.take(sequence) {
            self.assign_allocation(now, host);
            self.hosts[host as usize].step = match version {
                Version::Two => Step::Queue,
                Version::Three => Step::Table,
            };
            return true;
        }
        let (input, requesting) = (Phase::Input as usize, Phase::Requesting as usize);
        let state = &mut self.sequences[sequence as usize];
        if state.requests.outstanding() > 0 && !self.plan.params.protocol.superfluous_requests {
            return false;
        }
        state.pool.advance(now, input, requesting, 1);
        state.timeout.own(number, Owner::Request);
        let imp = &mut self.imps[usize::from(source)];
        let has_entry = match version {
            Version::Two => {
                imp.leaders.advance(now, Phase::Input, Phase::Requesting);
                true
            }
            Version::Three => imp.leaders.apply(now, Applicant::Request(sequence, number), Phase::Requesting),
        };
        let h = &mut self.hosts[host as usize];
        (h.request, h.step) = (Some(number), Step::Await);
        if has_entry {
            if version == Version::Three {
                self.table_entry_made(now, message);
            }
            self.send_request(now, sequence, number, queue);
        }
        true
    }

    pub(super) fn send_request(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.timeout.sent(number);
        let superfluous = state.requests.send();
        state.asked.sent += 1;
        state.asked.superfluous += u64::from(superfluous);
        self.statistics.requests += 1;
        self.statistics.superfluous += u64::from(superfluous);
        let kind = if superfluous { TraceKind::SuperfluousRequestSent } else { TraceKind::RequestSent };
        self.note_control(now, kind, sequence, number);
        let state = &self.sequences[sequence as usize];
        let (source, dest) = (state.source, state.dest);
        self.send_control(now, source, dest, PacketKind::Request, sequence, number, queue);
    }

    /// A message takes any allocation of its sequence that has come. Another message may have taken the one that this
    /// one has asked for; then a RFNM usually brings another. Where nothing is outstanding that could, it requests
    /// again: the sources do not state what the program does then, and it would wait without end.
    pub(super) fn await_allocation(&mut self, now: Time, host: u32) -> bool {
        let message = self.hosts[host as usize].message;
        let (sequence, source) = (self.messages[message].sequence, self.messages[message].source);
        if self.imps[usize::from(source)].allocations.take(sequence) {
            self.assign_allocation(now, host);
            self.hosts[host as usize].step = Step::Number;
            return true;
        }
        let nothing_comes = self.sequences[sequence as usize].numbers.outstanding() == 0;
        if nothing_comes {
            self.ask_again(now, host);
        }
        nothing_comes
    }

    /// A message whose REQALL was in vain needs another number, table entry and REQALL.
    fn ask_again(&mut self, now: Time, host: u32) {
        let message = self.hosts[host as usize].message;
        let source = self.messages[message].source;
        self.close(message, Stage::AllocationWait, Self::place_of_imp(source), now);
        let h = &mut self.hosts[host as usize];
        (h.step, h.request) = (Step::Number, None);
    }

    /// The message of a host has eight reassembly buffers. The time since its REQALL is split where it was that
    /// REQALL's answer.
    fn assign_allocation(&mut self, now: Time, host: u32) {
        let message = self.hosts[host as usize].message;
        let m = &mut self.messages[message];
        m.buffers = ALLOCATION as u8;
        let (sequence, source, dest, since) = (m.sequence, m.source, m.dest, m.account.since());
        let request = self.hosts[host as usize].request;
        let requests = &self.sequences[sequence as usize].requests;
        if let Some(answer) = request.and_then(|number| requests.answer_to(number))
            && answer.came >= since
        {
            self.close(message, Stage::AllocationWait, Self::place_of_imp(source), answer.came);
            self.close(message, Stage::ReassemblyWait, Self::place_of_imp(dest), answer.sent);
        }
        self.close(message, Stage::AllocationWait, Self::place_of_imp(source), now);
        self.note(now, TraceKind::AllocationTaken, message);
        self.hosts[host as usize].has_allocation = true;
        let buffers = &mut self.imps[usize::from(dest)].reassembly;
        buffers.advance(now, Phase::Unassigned, Phase::Input, ALLOCATION);
    }

    /// A REQALL is at the destination. One that was given up in transit has no effect.
    pub(super) fn request_arrives(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        if number < self.sequences[sequence as usize].order.next_reply() {
            return;
        }
        self.note_control(now, TraceKind::RequestArrives, sequence, number);
        let state = &mut self.sequences[sequence as usize];
        state.requests.arrive(now, number);
        state.order.set(number, Place::Request);
        self.deliver(now, sequence, queue);
    }

    /// The answer to a REQALL is back.
    pub(super) fn allocation_arrives(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.requests.end();
        let source = state.source;
        self.note_control(now, TraceKind::AllocationArrives, sequence, number);
        self.imps[usize::from(source)].leaders.release(now, Phase::Requesting);
        self.allocation_comes(now, source, sequence, queue);
        self.number_over(now, sequence, number, Phase::Requesting, queue);
    }

    /// An allocation is at the source IMP, for the next message that needs one.
    pub(super) fn allocation_comes(&mut self, now: Time, source: u8, sequence: u32, queue: &mut Queue) {
        self.imps[usize::from(source)].allocations.add(now, sequence);
        self.watch_allocations(now, source, queue);
    }

    /// The source hears that its REQALL was in vain: where the message still waits for that allocation, it asks again.
    pub(super) fn request_over(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.requests.end();
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
            self.ask_again(now, host);
            self.block(now, host, queue);
        }
        self.number_over(now, sequence, number, Phase::Requesting, queue);
    }
}
