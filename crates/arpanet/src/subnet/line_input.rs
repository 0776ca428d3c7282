//! Modem to IMP: packets as they arrive over a line, are handled, and are accepted or refused; acknowledgments.

use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::protocol::modem_line::CHANNELS;
use crate::protocol::stage::Stage;
use crate::subnet::event::Event;
use crate::subnet::outages::Health;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// Acknowledgments for a line have come back: channels and buffers become free.
    #[inline]
    pub(super) fn take_acks(&mut self, now: Time, line: u16, acks: u8) {
        let released = self.lines[usize::from(line)].sender.acknowledged(acks);
        if released > 0 {
            self.channels_are_free(now, line, released.into());
        }
    }

    /// Apart, because half of what comes acknowledges nothing new.
    #[inline(never)]
    fn channels_are_free(&mut self, now: Time, line: u16, released: u64) {
        let l = &mut self.lines[usize::from(line)];
        l.channels.release(now, released);
        let imp = l.plan.from;
        let state = &mut self.imps[usize::from(imp)];
        state.store.release(now, released);
        state.buffers.release(now, released);
        self.due[usize::from(imp)].freed |= state.has_waiting();
    }

    /// The last bit of a packet has come over a line that sends it for the first time.
    pub(super) fn packet_comes(&mut self, now: Time, line: u16, channel: u8, acks: u8) {
        self.take_acks(now, line ^ 1, acks);
        let sender = &mut self.lines[usize::from(line)].sender;
        let packet = sender.arrived(channel, sender.parity(channel));
        self.take_in(now, line, channel, packet.expect("what is sent for the first time is no duplicate"));
    }

    /// The last bit of a packet has come over a line that has sent it before.
    pub(super) fn comes_again(
        &mut self,
        now: Time,
        line: u16,
        channel: u8,
        parity: bool,
        acks: u8,
        queue: &mut Queue,
    ) {
        self.take_acks(now, line ^ 1, acks);
        let imp = self.lines[usize::from(line)].plan.to;
        if std::mem::take(&mut self.due[usize::from(imp)].freed) {
            self.released(now, imp, queue);
        }
        let l = &mut self.lines[usize::from(line)];
        let Some(packet) = l.sender.arrived(channel, parity) else {
            self.statistics.duplicates += 1;
            if l.receiver.has(channel, parity) {
                self.send_due(now, line ^ 1, queue);
                self.lines[usize::from(line ^ 1)].sender.acknowledgment_owed = true;
                self.pump(now, line ^ 1, queue);
            }
            return;
        };
        self.take_in(now, line, channel, packet);
        let handled_at = self.packets[packet].handled_at;
        if handled_at < Time::NEVER {
            self.schedule_work(queue, imp, handled_at, Event::Task { line, channel, packet });
        }
    }

    /// An IMP gives a packet a buffer and has it handled, or refuses it without one.
    fn take_in(&mut self, now: Time, line: u16, channel: u8, packet: u32) {
        let imp = self.lines[usize::from(line)].plan.to;
        let place = self.place_of_line(line);
        self.close_packet(packet, place, &[(Stage::Propagation, Stage::ReplyTransit, now)]);
        if self.imps[usize::from(imp)].buffers.free() == 0 {
            self.packets[packet].handled_at = Time::NEVER;
            self.imps[usize::from(imp)].refused.for_buffers += 1;
            self.refuse(line, channel);
            return;
        }
        self.imps[usize::from(imp)].buffers.acquire(now, 1);
        self.packets[packet].handled_at = self.process(now, imp, packet);
    }

    /// How long an IMP takes for a packet.
    #[inline]
    pub(super) fn handling_time(&self, imp: u8, packet: u32) -> Span {
        self.imps[usize::from(imp)].processor.handling_time(u64::from(self.packets[packet].bits / 16))
    }

    /// An IMP handles a packet: returns when it is done.
    pub(super) fn process(&mut self, now: Time, imp: u8, packet: u32) -> Time {
        let words = u64::from(self.packets[packet].bits / 16);
        let (start, done) = self.imps[usize::from(imp)].processor.handle(now, words);
        let place = Self::place_of_imp(imp);
        let stages =
            [(Stage::ProcessorWait, Stage::ReplyWait, start), (Stage::Processing, Stage::ReplyTransit, done)];
        self.close_packet(packet, place, &stages);
        done
    }

    fn refuse(&mut self, line: u16, channel: u8) {
        self.lines[usize::from(line)].sender.refused(channel);
        self.statistics.refusals += 1;
    }

    /// Whether an IMP must refuse a packet that leaves by this line; what it lacks is counted.
    fn lacks_room(&mut self, imp: u8, out: u16) -> bool {
        // The packet's own buffer counts as free until it is taken.
        let spare = u64::from(self.plan.params.protocol.free_buffers) - 1;
        let (state, line) = (&mut self.imps[usize::from(imp)], &mut self.lines[usize::from(out)]);
        let lacking = if line.sender.occupied() == CHANNELS || line.health == Health::Dead {
            &mut line.use_.refused
        } else if state.store.free() == 0 {
            &mut state.refused.for_store
        } else if !state.has_free(spare) {
            &mut state.refused.for_buffers
        } else {
            return false;
        };
        *lacking += 1;
        true
    }

    /// The packet of a channel is accepted; whatever the other direction sends next acknowledges it.
    fn accept(&mut self, line: u16, channel: u8) {
        self.lines[usize::from(line)].receiver.accept(channel);
        self.lines[usize::from(line ^ 1)].sender.acknowledgment_owed = true;
    }

    /// An IMP decides on a packet that has come over a line: it is for this IMP, passed on, or refused.
    pub(super) fn task(&mut self, now: Time, line: u16, channel: u8, packet: u32, queue: &mut Queue) {
        let imp = self.lines[usize::from(line)].plan.to;
        let handled_at = self.packets[packet].handled_at;
        if handled_at != now || !self.lines[usize::from(line)].sender.is_there(channel, packet) {
            if handled_at > now && handled_at < Time::NEVER {
                self.schedule_work(queue, imp, handled_at, Event::Task { line, channel, packet });
            }
            return;
        }
        self.packets[packet].handled_at = Time::NEVER;
        // What goes back first does not acknowledge the packet.
        self.send_due(now, line ^ 1, queue);
        let p = &self.packets[packet];
        if p.to == imp {
            if p.kind.is_reply() {
                // Data stay in their buffer until the host has them.
                self.imps[usize::from(imp)].buffers.release(now, 1);
            }
            self.accept(line, channel);
            self.consume(now, packet, queue);
        } else {
            let out = self.next_line(imp, p.to);
            if self.lacks_room(imp, out) {
                self.imps[usize::from(imp)].buffers.release(now, 1);
                self.refuse(line, channel);
                return;
            }
            self.accept(line, channel);
            self.enqueue(now, out, packet, queue);
        }
        self.pump(now, line ^ 1, queue);
    }
}
