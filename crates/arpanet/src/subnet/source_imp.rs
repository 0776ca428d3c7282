//! A message in transit from its host into the source IMP: it acquires one resource after the other (Kleinrock and
//! Opderbeck, sections II and VI).

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::observe::trace::TraceKind;
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::{OVERHEAD_BITS, Packet, PacketKind};
use crate::protocol::pending_leader_table::Applicant;
use crate::protocol::stage::{Phase, Stage};
use crate::scenario::params::Version;
use crate::subnet::host::Step;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// Takes the host's input as far as it goes now.
    pub(super) fn advance_input(&mut self, now: Time, host: u32, queue: &mut Queue) {
        loop {
            let goes_on = match self.hosts[host as usize].step {
                Step::Idle => self.begin_message(now, host, queue),
                Step::Buffers => self.let_in(now, host, queue),
                Step::Processing | Step::Receiving => return,
                Step::Block => self.need_block(now, host, queue),
                Step::Number => self.need_number(now, host),
                Step::Table => match self.need_table(now, host) {
                    Some(goes_on) => goes_on,
                    None => return,
                },
                Step::Allocation => self.need_allocation(now, host, queue),
                Step::Await => self.await_allocation(now, host),
                Step::Queue => self.queue_packet(now, host, queue),
            };
            if !goes_on {
                if self.hosts[host as usize].step != Step::Idle {
                    self.block(now, host, queue);
                }
                return;
            }
        }
    }

    fn need_number(&mut self, now: Time, host: u32) -> bool {
        let message = self.hosts[host as usize].message;
        let sequence = self.messages[message].sequence;
        let state = &mut self.sequences[sequence as usize];
        let Some(number) = state.numbers.take() else { return false };
        state.pool.acquire(now, Phase::Input as usize, 1);
        state.last_used = now;
        state.timeout.own(number, Owner::Message(message));
        self.messages[message].number = number;
        let place = Self::place_of_imp(self.messages[message].source);
        self.close(message, Stage::NumberWait, place, now);
        self.note(now, TraceKind::NumberTaken, message);
        let multi = !self.messages[message].is_single();
        let h = &mut self.hosts[host as usize];
        let allocation_first = self.plan.params.protocol.version == Version::Three;
        h.step = if multi && allocation_first && !h.has_allocation { Step::Allocation } else { Step::Table };
        true
    }

    /// An entry of a pending table. None: the host is notified when it has one.
    fn need_table(&mut self, now: Time, host: u32) -> Option<bool> {
        let message = self.hosts[host as usize].message;
        let m = &self.messages[message];
        let (single, source) = (m.is_single(), m.source);
        if !self.hosts[host as usize].granted {
            if self.hosts[host as usize].applied {
                return None;
            }
            let table = self.imps[usize::from(source)].pending_table(single);
            if !table.apply(now, Applicant::Host(host), Phase::Input) {
                self.hosts[host as usize].applied = true;
                return None;
            }
        }
        let stage = if single { Stage::PacketTableWait } else { Stage::LeaderTableWait };
        self.close(message, stage, Self::place_of_imp(source), now);
        self.table_entry_made(now, message);
        let version = self.plan.params.protocol.version;
        let h = &mut self.hosts[host as usize];
        (h.granted, h.applied) = (false, false);
        let asks = !single && version == Version::Two && !h.has_allocation;
        h.step = if asks { Step::Allocation } else { Step::Queue };
        Some(true)
    }

    /// T(2) is when the first entry for a message is made, if only for its REQALL (RFC 619).
    pub(super) fn table_entry_made(&mut self, now: Time, message: u32) {
        let m = &mut self.messages[message];
        if !m.is_tabled {
            (m.is_tabled, m.times.tabled) = (true, now);
        }
        self.note(now, TraceKind::Tabled, message);
    }

    /// Gives free entries of an IMP's tables to waiting applicants.
    pub(super) fn grant_entries(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        loop {
            let state = &mut self.imps[usize::from(imp)];
            let phase = |applicant| match applicant {
                Applicant::Host(_) => Phase::Input,
                Applicant::Request(..) => Phase::Requesting,
            };
            let granted = state.leaders.grant(now, phase).or_else(|| state.copies.grant(now, phase));
            match granted {
                Some(Applicant::Host(host)) => {
                    self.hosts[host as usize].granted = true;
                    self.advance_input(now, host, queue);
                }
                Some(Applicant::Request(sequence, number)) => {
                    self.send_request(now, sequence, number, queue);
                }
                None => return,
            }
        }
    }

    /// Puts the packet that has come in last on a line's output queue, or into reassembly where the message is for this
    /// IMP.
    fn queue_packet(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
        let message = self.hosts[host as usize].message;
        let (source, dest, index) = {
            let m = &self.messages[message];
            (m.source, m.dest, m.sent)
        };
        let line = if source == dest { None } else { Some(self.next_line(source, dest)) };
        if let Some(line) = line {
            self.close_queue_wait(now, host, message);
            if !self.has_place(source, line) {
                let full = self.imps[usize::from(source)].store.free() == 0;
                let stage = if full { Stage::StoreWait } else { Stage::ChannelWait };
                self.wait_for_place(now, host, stage, line);
                return false;
            }
        }
        if index == 0 {
            self.messages[message].times.queued = now;
            self.advance_phase(now, message, Phase::Transit);
            self.note(now, TraceKind::MessageSent, message);
        }
        let packet = self.data_packet(message, index);
        self.messages[message].sent += 1;
        let last = index + 1 == self.messages[message].packets;
        self.hosts[host as usize].step = if last { Step::Idle } else { Step::Buffers };
        if last {
            self.note(now, TraceKind::InputEnds, message);
            let m = &self.messages[message];
            self.sequences[m.sequence as usize].timeout.sent(m.number);
        }
        match line {
            Some(line) => self.enqueue(now, line, packet, queue),
            None => self.consume(now, packet, queue),
        }
        true
    }

    fn close_queue_wait(&mut self, now: Time, host: u32, message: u32) {
        if let Some((stage, line)) = self.hosts[host as usize].waits_for.take() {
            let source = self.messages[message].source;
            self.close(message, stage, Self::place_of_imp(source), now);
            match stage {
                Stage::StoreWait => self.imps[usize::from(source)].store.stop_waiting(now),
                _ => self.lines[usize::from(line)].channels.stop_waiting(now),
            }
        }
    }

    fn wait_for_place(&mut self, now: Time, host: u32, stage: Stage, line: u16) {
        self.hosts[host as usize].waits_for = Some((stage, line));
        let source = self.plan.hosts[host as usize].imp;
        match stage {
            Stage::StoreWait => self.imps[usize::from(source)].store.start_waiting(now),
            _ => self.lines[usize::from(line)].channels.start_waiting(now),
        }
    }

    /// A packet of a message, which takes the message's account along.
    pub(super) fn data_packet(&mut self, message: u32, index: u8) -> u32 {
        let m = &mut self.messages[message];
        m.in_net += 1;
        self.packets.insert(Packet {
            account: m.account,
            handled_at: Time::NEVER,
            visited: 0,
            of: message,
            number: m.number,
            bits: (m.packet_bits(index) + OVERHEAD_BITS) as u16,
            to: m.dest,
            kind: PacketKind::Data,
            index,
            returns: 0,
            in_journey: index + 1 == m.packets,
        })
    }
}
