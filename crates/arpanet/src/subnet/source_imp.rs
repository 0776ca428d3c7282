//! A message on its way from its host into the source IMP: it acquires one resource after the other (Kleinrock and Opderbeck, sections II
//! and VI).

use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::observe::trace::TraceKind;
use crate::protocol::message_timeout::Owner;
use crate::protocol::packet::{CONTROL_BITS, LEADER_BITS, Ledger, OVERHEAD_BITS, Packet, PacketKind};
use crate::protocol::pending_leader_table::Applicant;
use crate::protocol::stage::{Phase, Stage};
use crate::scenario::params::Version;
use crate::subnet::event::Event;
use crate::subnet::imp::{Step, first_step};
use crate::subnet::{Queue, Subnet};

/// Reassembly buffers of an allocation for a multipacket message.
pub(crate) const ALLOCATION: u64 = 8;

impl<J: Journal> Subnet<J> {
    /// The hosts of an IMP that wait look again whether they can go on: at once, or when the IMP polls them.
    pub(crate) fn wake_hosts(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let Some(poll) = self.plan.params.protocol.host_poll else {
            return self.poll(now, imp, queue);
        };
        if self.imps[usize::from(imp)].poll_at == Time::NEVER {
            let at = Time::from_ps((now.ps() / poll.ps() + 1) * poll.ps());
            self.imps[usize::from(imp)].poll_at = at;
            self.schedule(queue, imp, at, Event::Poll(imp));
        }
    }

    /// An IMP looks after the hosts that wait.
    pub(crate) fn poll(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        self.imps[usize::from(imp)].poll_at = Time::NEVER;
        for index in 0..self.imps[usize::from(imp)].hosts.len() {
            let host = self.imps[usize::from(imp)].hosts[index];
            if self.hosts[host as usize].blocked {
                self.unblock(now, host);
                self.advance_input(now, host, queue);
            }
        }
    }

    /// The input of a host waits for something that a release may give it.
    pub(crate) fn block(&mut self, now: Time, host: u32) {
        self.hosts[host as usize].blocked = true;
        self.imps[usize::from(self.plan.hosts[host as usize].imp)].blocked += 1;
        self.count_waiter(now, host, true);
    }

    pub(crate) fn unblock(&mut self, now: Time, host: u32) {
        self.hosts[host as usize].blocked = false;
        self.imps[usize::from(self.plan.hosts[host as usize].imp)].blocked -= 1;
        self.count_waiter(now, host, false);
    }

    /// One more or one less waits for buffers or message numbers. Tables and output queues count those that wait for them themselves.
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

    /// Takes the host's input as far as it goes now.
    pub(crate) fn advance_input(&mut self, now: Time, host: u32, queue: &mut Queue) {
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
                    self.block(now, host);
                }
                return;
            }
        }
    }

    /// The host turns to its next message. It may work on it for a while before the first bit.
    fn begin_message(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
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
            self.schedule(queue, imp, now + work, Event::HostReady(host));
        }
        true
    }

    /// The host has done its work on a message and sends it.
    pub(crate) fn host_ready(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let place = self.place_of_host(host);
        self.close(self.hosts[host as usize].message, Stage::HostProcessing, place, now);
        self.hosts[host as usize].step = Step::Buffers;
        self.advance_input(now, host, queue);
    }

    /// A packet may enter where enough buffers are free.
    fn let_in(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
        let imp = self.plan.hosts[host as usize].imp;
        if !self.imps[usize::from(imp)].has_free(u64::from(self.plan.params.protocol.free_buffers)) {
            return false;
        }
        self.imps[usize::from(imp)].buffers.acquire(now, 1);
        let message = self.hosts[host as usize].message;
        self.close(message, Stage::BufferWait, Self::place_of_imp(imp), now);
        let m = &mut self.messages[message];
        let index = m.sent;
        let mut bits = m.packet_bits(index);
        if index == 0 {
            m.times.first_bit = now;
            bits += LEADER_BITS;
            self.note(now, TraceKind::InputBegins, message);
        }
        self.hosts[host as usize].step = Step::Receiving;
        match self.plan.hosts[host as usize].rate {
            Some(rate) => {
                let at = now + rate.time_for(Data::from_bits(u64::from(bits)));
                self.schedule(queue, imp, at, Event::HostIn(host));
            }
            None => self.host_in(now, host, queue),
        }
        true
    }

    /// A packet has come from a host; the IMP handles it.
    pub(crate) fn host_in(&mut self, now: Time, host: u32, queue: &mut Queue) {
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
        self.schedule(queue, imp, done, Event::HostTask(host));
    }

    /// The IMP has handled a packet from a host.
    pub(crate) fn host_task(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let first = self.messages[self.hosts[host as usize].message].sent == 0;
        let version = self.plan.params.protocol.version;
        self.hosts[host as usize].step = if first { first_step(version) } else { Step::Queue };
        self.advance_input(now, host, queue);
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

    /// An entry of a pending table. Nothing: the host is told when it has one.
    fn need_table(&mut self, now: Time, host: u32) -> Option<bool> {
        let message = self.hosts[host as usize].message;
        let m = &self.messages[message];
        let (single, source) = (m.is_single(), m.source);
        if !self.hosts[host as usize].granted {
            if self.hosts[host as usize].applied {
                return None;
            }
            let imp = &mut self.imps[usize::from(source)];
            let table = if single { &mut imp.copies } else { &mut imp.leaders };
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
    fn table_entry_made(&mut self, now: Time, message: u32) {
        let m = &mut self.messages[message];
        if !m.is_tabled {
            (m.is_tabled, m.times.tabled) = (true, now);
        }
        self.note(now, TraceKind::Tabled, message);
    }

    /// Gives free entries of an IMP's tables to whoever waits for them.
    pub(crate) fn grant_entries(&mut self, now: Time, imp: u8, queue: &mut Queue) {
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

    /// Looks for an allocation, and asks for one where there is none: the REQALL takes the message number, and in version 2 also the
    /// table entry, that the message has acquired.
    fn need_allocation(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
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

    fn send_request(&mut self, now: Time, sequence: u32, number: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.requests += 1;
        state.timeout.sent(number);
        let superfluous = state.requests > 1;
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

    /// A message takes any allocation of its sequence that has come.
    fn await_allocation(&mut self, now: Time, host: u32) -> bool {
        let message = self.hosts[host as usize].message;
        let (sequence, source) = (self.messages[message].sequence, self.messages[message].source);
        if !self.imps[usize::from(source)].allocations.take(sequence) {
            return false;
        }
        self.assign_allocation(now, host);
        self.hosts[host as usize].step = Step::Number;
        true
    }

    /// The message of a host has eight reassembly buffers. The time since its REQALL is split where it was that REQALL's answer.
    fn assign_allocation(&mut self, now: Time, host: u32) {
        let message = self.hosts[host as usize].message;
        let m = &mut self.messages[message];
        m.buffers = ALLOCATION as u8;
        let (sequence, source, dest, since) = (m.sequence, m.source, m.dest, m.account.since());
        let request = self.hosts[host as usize].request;
        if let (Some(number), Some((answered, came, sent))) =
            (request, self.sequences[sequence as usize].answered)
            && number == answered
            && came >= since
        {
            self.close(message, Stage::AllocationWait, Self::place_of_imp(source), came);
            self.close(message, Stage::ReassemblyWait, Self::place_of_imp(dest), sent);
        }
        self.close(message, Stage::AllocationWait, Self::place_of_imp(source), now);
        self.note(now, TraceKind::AllocationTaken, message);
        self.hosts[host as usize].has_allocation = true;
        let buffers = &mut self.imps[usize::from(dest)].reassembly;
        buffers.advance(now, Phase::Unassigned, Phase::Input, ALLOCATION);
    }

    /// Puts the packet that has come in last on a line's output queue, or into reassembly where the message is for this IMP.
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
    pub(crate) fn data_packet(&mut self, message: u32, index: u8) -> u32 {
        let m = &mut self.messages[message];
        m.in_net += 1;
        self.packets.insert(Packet {
            account: m.account,
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

    /// Sends a control message of a sequence from one IMP to another.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn send_control(
        &mut self,
        now: Time,
        from: u8,
        to: u8,
        kind: PacketKind,
        of: u32,
        number: u32,
        queue: &mut Queue,
    ) {
        let packet = self.packets.insert(Packet {
            account: Ledger::open(now),
            visited: 0,
            of,
            number,
            bits: CONTROL_BITS as u16,
            to,
            kind,
            index: 0,
            returns: 0,
            in_journey: false,
        });
        self.send_from(now, from, packet, queue);
    }

    /// An IMP sends a packet of its own making as soon as there is a buffer and a place for it.
    pub(crate) fn send_from(&mut self, now: Time, imp: u8, packet: u32, queue: &mut Queue) {
        if self.packets[packet].to == imp && self.packets[packet].kind.is_reply() {
            let done = self.process(now, imp, packet);
            self.schedule(queue, imp, done, Event::LocalTask(packet));
            return;
        }
        self.imps[usize::from(imp)].outbox.push_back(packet);
        self.flush_outbox(now, imp, queue);
    }

    /// Queues what an IMP has made itself, as far as there is room, in order for each line. A message to itself that was discarded and
    /// comes again needs only the buffer.
    pub(crate) fn flush_outbox(&mut self, now: Time, imp: u8, queue: &mut Queue) {
        let mut place = 0;
        while let Some(&packet) = self.imps[usize::from(imp)].outbox.get(place) {
            let to = self.packets[packet].to;
            let line = (to != imp).then(|| self.next_line(imp, to));
            let room = line.is_none_or(|line| self.has_place(imp, line));
            if self.imps[usize::from(imp)].buffers.free() == 0 || !room {
                place += 1;
                continue;
            }
            self.imps[usize::from(imp)].outbox.remove(place);
            self.imps[usize::from(imp)].buffers.acquire(now, 1);
            match line {
                Some(line) => self.enqueue(now, line, packet, queue),
                None => {
                    let done = self.process(now, imp, packet);
                    self.schedule(queue, imp, done, Event::LocalTask(packet));
                }
            }
        }
    }
}
