//! Packets that have reached the IMP that they are for; messages at their destination, from reassembly to the queue for
//! their host.

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::observe::trace::TraceKind;
use crate::protocol::message_block::Setup;
use crate::protocol::message_order::Place;
use crate::protocol::packet::{Fate, PacketKind};
use crate::protocol::single_packet::Disposition;
use crate::protocol::stage::{Phase, Stage};
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// A packet has reached the IMP that it is for.
    pub(super) fn consume(&mut self, now: Time, packet: u32, queue: &mut Queue) {
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
            PacketKind::Request => self.request_arrives(now, of, number, queue),
            PacketKind::GiveBack => self.give_back_arrives(now, of, number, queue),
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
        } else if rule.judge(in_order, known, free) == Disposition::Accept {
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

    /// Makes room by deleting the last single-packet message of a sequence that was stored out of order (RFC 632,
    /// second remedy).
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
    pub(super) fn deliver(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
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

    /// The allocation for a discarded single-packet message is back: its copy is sent.
    fn recalled(&mut self, now: Time, message: u32, queue: &mut Queue) {
        let source = self.messages[message].source;
        self.close(message, Stage::OutOfOrderWait, Self::place_of_imp(source), now);
        self.note(now, TraceKind::MessageSentAgain, message);
        let packet = self.data_packet(message, 0);
        self.send_from(now, source, packet, queue);
    }
}
