//! Packets destroyed: cut by a failing link or switch, caught in a switch that closes, or without a route.
//!
//! A packet that is in several switches at once is removed from all of them at the same instant. Its outputs and heads
//! of FIFOs stay occupied until every event scheduled for it has passed: its links are purged.

use hopscope_fabric::{NANOBITS, NO_SLOT, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::event::Event;
use crate::machine::An1;
use crate::packet::{Fate, NO_PACKET, Packet};
use crate::switch::directive::Directive;
use crate::switch::fifo_entries::{FifoEntry, NO_ENTRY};
use crate::switch::input_fifo::Progress;

/// A purge in progress: what a destroyed packet still occupies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Purge {
    /// The FIFOs and send queues of which it was the head.
    heads: Vec<Slot>,
    /// The outputs that it held.
    outputs: Vec<Slot>,
}

impl<J: Journal> An1<J> {
    /// Destroys a packet, wherever it is.
    pub(crate) fn destroy(&mut self, now: Time, packet: u32, queue: &mut EventQueue<Event>) {
        let state = &mut self.packets[packet];
        if std::mem::replace(&mut state.fate, Fate::Destroyed) == Fate::Destroyed {
            return;
        }
        // A first byte in flight is cancelled.
        state.attempt = state.attempt.wrapping_add(1);
        let mut purge = Purge::default();
        for slot in 0..self.inputs.len() as Slot {
            if self.inputs[slot as usize].head == packet {
                self.cut_head(now, slot, &mut purge);
            } else if !self.unlink(now, slot, packet) {
                continue;
            }
            if !self.faces_held_host(slot) {
                self.expect_crossing(now, slot, queue);
            }
        }
        let longest = self.plan.slots.links.iter().map(|link| link.delay).max().unwrap_or(Span::ZERO);
        let switch = &self.an1.params.switch;
        let over = now + switch.decision + switch.setup + longest + Span::from_ps(1);
        let source = self.switch_order(0) + self.switches.len() as u32;
        queue.schedule(over, hopscope_kernel::Order::new(source, packet), Event::Purged(packet));
        self.control().purges.insert(packet, purge);
    }

    /// Stops what the packet at a head was doing. It stays at the head until its purge is over.
    fn cut_head(&mut self, now: Time, slot: Slot, purge: &mut Purge) {
        purge.heads.push(slot);
        let packet = self.head_packet(slot);
        self.inputs[slot as usize].settle(now);
        if !self.plan.slots.is_host(slot) {
            self.leave_blocked(slot);
            let unbooked = self.unbooked_head(&self.inputs[slot as usize], now);
            self.inputs[slot as usize].dwelt += unbooked;
        }
        let length = self.packets[packet].length();
        let input = &mut self.inputs[slot as usize];
        if input.head_is_newest {
            (input.level, input.rx_left, input.rx_on) = (0, 0, false);
        } else {
            input.level -= if input.out == NO_SLOT { length } else { input.tx_left };
        }
        (input.tx_on, input.flow_ends) = (false, Time::NEVER);
        let output = std::mem::replace(&mut input.out, NO_SLOT);
        if output != NO_SLOT {
            purge.outputs.push(output);
            self.outputs[output as usize].bits += (length - self.inputs[slot as usize].tx_left) / NANOBITS;
            if self.outputs[output as usize].is_paused {
                self.book_output_pause(now, output);
                self.outputs[output as usize].is_paused = false;
            }
        }
    }

    /// Removes the head of a FIFO from those that wait for an output.
    fn leave_blocked(&mut self, slot: Slot) {
        let of = self.inputs[slot as usize].switch as usize;
        self.contest.withdraw(slot);
        if self.switches[of].blocked.leave(slot) {
            for output in self.wanted(slot) {
                self.outputs[output as usize].waiting -= 1;
            }
        }
    }

    /// Removes a packet from a FIFO in which it is behind others; false if it is not.
    fn unlink(&mut self, now: Time, slot: Slot, packet: u32) -> bool {
        let (mut before, mut at) = (NO_ENTRY, self.inputs[slot as usize].next);
        while at != NO_ENTRY && self.entries[at].packet != packet {
            (before, at) = (at, self.entries[at].next);
        }
        if at == NO_ENTRY {
            return false;
        }
        let FifoEntry { next, first_in, .. } = self.entries[at];
        self.entries.remove(at);
        if before != NO_ENTRY {
            self.entries[before].next = next;
        }
        let length = self.packets[packet].length();
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        input.dwelt += input.unbooked(length, first_in, next == NO_ENTRY, now);
        if before == NO_ENTRY {
            input.next = next;
        }
        if next == NO_ENTRY {
            // The last to come in, and perhaps not all of it.
            input.level -= length - input.rx_left;
            (input.rx_left, input.rx_on, input.tail) = (0, false, before);
        } else {
            input.level -= length;
        }
        true
    }

    /// The purge of a destroyed packet is over: what it occupied is free.
    pub(crate) fn purged(&mut self, now: Time, packet: u32, queue: &mut EventQueue<Event>) {
        let Purge { heads, outputs } = self.control().purges.remove(&packet).expect("a purge is begun first");
        let Packet { from, .. } = self.packets[packet];
        for &output in &outputs {
            let out = &mut self.outputs[output as usize];
            out.holder = NO_SLOT;
            out.held_ps += now.since(out.held_since.max(self.tally.window_start)).ps();
        }
        for &slot in &heads {
            let input = &mut self.inputs[slot as usize];
            (input.head, input.progress) = (NO_PACKET, Progress::Arrived);
            if self.plan.slots.is_host(slot) {
                self.next_in_send_queue(now, slot, from, queue);
            } else if self.next_in_fifo(slot) {
                self.become_head(now, slot, queue);
            }
        }
        for output in outputs {
            let Directive::Start = self.outputs[output as usize].directive else { continue };
            if !self.plan.slots.is_host(output) && self.outputs[output as usize].holder == NO_SLOT {
                self.serve(now, self.inputs[output as usize].switch, output, queue);
            }
        }
        self.packets.remove(packet);
    }

    /// The packet that came in last at a slot, if it is incomplete.
    pub(crate) fn incoming(&mut self, now: Time, slot: Slot) -> Option<u32> {
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        (input.rx_left > 0)
            .then(|| if input.head_is_newest { input.head } else { self.entries[input.tail].packet })
    }

    /// All packets in a FIFO.
    pub(crate) fn in_fifo(&self, slot: Slot) -> Vec<u32> {
        let input = &self.inputs[slot as usize];
        let mut packets = Vec::new();
        if input.head != NO_PACKET {
            packets.push(input.head);
        }
        let mut at = input.next;
        while at != NO_ENTRY {
            packets.push(self.entries[at].packet);
            at = self.entries[at].next;
        }
        packets
    }
}
