//! What an IMP sends of its own making: replies, control messages, and messages that it sends again.

use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::protocol::packet::{CONTROL_BITS, Ledger, Packet, PacketKind};
use crate::subnet::event::Event;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// Sends a control message of a sequence from one IMP to another.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn send_control(
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
            handled_at: Time::NEVER,
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
        if kind.is_made_in_background() {
            self.send_reply_from(now, from, packet, queue);
        } else {
            self.send_from(now, from, packet, queue);
        }
    }

    /// The background loop of an IMP makes a reply and sends it.
    pub(super) fn send_reply_from(&mut self, now: Time, imp: u8, packet: u32, queue: &mut Queue) {
        let loops = self.imps[usize::from(imp)].processor.background();
        if loops == Span::ZERO {
            return self.send_from(now, imp, packet, queue);
        }
        self.schedule(queue, imp, now + loops, Event::Background { imp, packet });
    }

    /// An IMP sends a packet of its own making as soon as there is a buffer and a place for it.
    pub(super) fn send_from(&mut self, now: Time, imp: u8, packet: u32, queue: &mut Queue) {
        if self.packets[packet].to == imp && self.packets[packet].kind.is_reply() {
            let done = self.process(now, imp, packet);
            self.schedule_work(queue, imp, done, Event::LocalTask(packet));
            return;
        }
        self.imps[usize::from(imp)].outbox.push_back(packet);
        self.flush_outbox(now, imp, queue);
    }

    /// Queues what an IMP has made itself, as far as there is room, in order for each line. A message to itself that
    /// was discarded and comes again needs only the buffer.
    pub(super) fn flush_outbox(&mut self, now: Time, imp: u8, queue: &mut Queue) {
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
                    self.schedule_work(queue, imp, done, Event::LocalTask(packet));
                }
            }
        }
        self.watch_arrivals(imp, queue);
    }
}
