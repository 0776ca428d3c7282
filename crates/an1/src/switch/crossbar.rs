//! The path of a packet through a switch: into the FIFO, to its head, the request, the grant of an output, out.

use std::hint::black_box;

use hopscope_fabric::{NO_SLOT, NO_SWITCH, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::event::{Event, lists};
use crate::machine::An1;
use crate::observe::stage::Stage;
use crate::packet::{Fate, NO_PACKET};
use crate::params::Switching;
use crate::switch::directive::Directive;
use crate::switch::fifo_entries::{FifoEntry, NO_ENTRY};
use crate::switch::input_fifo::{InputFifo, Progress};
use crate::switch::output::Output;

impl<J: Journal> An1<J> {
    /// The first byte of a packet comes into a FIFO.
    pub(crate) fn head_in(
        &mut self,
        now: Time,
        slot: Slot,
        packet: u32,
        attempt: u8,
        queue: &mut EventQueue<Event>,
    ) {
        let state = &mut self.packets[packet];
        if state.attempt != attempt {
            return;
        }
        if self.control.is_some() && !self.takes_packets(slot) {
            self.lose(now, packet, queue);
            return;
        }
        if self.an1.params.switch.ttl.is_some() && self.expires(now, slot, packet) {
            return;
        }
        let state = &mut self.packets[packet];
        state.places += 1;
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        assert!(input.rx_left == 0, "two packets at once on the link into slot {slot}");
        input.rx_left = self.packets[packet].length();
        input.rx_on = true;
        let (far, delay) = (input.far, input.delay);
        self.close(packet, Stage::Stopped, far, Time::from_ps(now.ps() - delay.ps()));
        self.close(packet, Stage::Propagation, far, now);
        if self.pools.is_empty() {
            self.join_fifo(now, slot, packet, queue);
        } else {
            self.join_pool(now, slot, packet, queue);
        }
        self.expect_crossing(now, slot, queue);
    }

    /// A packet that begins to come in takes its place in the FIFO: at its head, or behind those that are there.
    #[inline(always)]
    fn join_fifo(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.head == NO_PACKET {
            (input.head, input.head_first_in, input.head_is_newest) = (packet, now, true);
            if !input.may_need_whole || !self.needs_whole(slot, packet) {
                self.begin_decision(now, slot, queue);
            }
            return;
        }
        input.head_is_newest = false;
        let entry = self.entries.insert(FifoEntry { packet, next: NO_ENTRY, first_in: now });
        if input.next == NO_ENTRY {
            input.next = entry;
        } else {
            self.entries[input.tail].next = entry;
        }
        input.tail = entry;
    }

    /// Whether the switch needs all of a packet before its routing decision: always with store-and-forward; else if an
    /// output that the packet may leave by is faster than its input, and would run dry. Trees and new routes may lead
    /// to any output.
    pub(crate) fn needs_whole(&self, slot: Slot, packet: u32) -> bool {
        let InputFifo { may_need_whole, switch: of, phase, rx_rate, .. } = self.inputs[slot as usize];
        let is_of_slot = self.an1.params.switch.switching == Switching::StoreAndForward
            || self.control.is_some()
            || self.multicast.is_some();
        if !may_need_whole || is_of_slot {
            return may_need_whole;
        }
        let ports = self.paths.eligible(&self.plan, of, phase, self.bound(slot, packet));
        ports.iter().any(|&port| self.outputs[self.switches[of as usize].slot(port) as usize].rate > rx_rate)
    }

    #[inline(always)]
    fn begin_decision(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        input.progress = Progress::Asked;
        let request = Event::Request(slot, input.head);
        self.schedule_presorted(
            queue,
            lists::REQUESTS,
            (slot, now + self.an1.params.switch.decision),
            request,
        );
    }

    /// The last byte of a packet comes in: at its destination host, or at a switch that needs whole packets.
    pub(crate) fn tail_in(
        &mut self,
        now: Time,
        slot: Slot,
        (packet, number): (u32, u32),
        queue: &mut EventQueue<Event>,
    ) {
        if self.packets[packet].fate == Fate::Destroyed {
            return;
        }
        if self.plan.slots.is_host(slot) {
            self.deliver(now, slot, packet, queue);
            return;
        }
        if !self.pools.is_empty() {
            self.pooled_tail_in(now, slot, (packet, number), queue);
            return;
        }
        let InputFifo { head, progress, far, .. } = self.inputs[slot as usize];
        if head != packet || progress == Progress::Asked {
            return;
        }
        self.close(packet, Stage::Reception, far, now);
        if progress == Progress::Arrived {
            self.begin_decision(now, slot, queue);
        } else {
            self.ask(now, slot, queue);
        }
    }

    /// The routing decision for the packet at the head of a FIFO has been made.
    pub(crate) fn request(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        if self.packets[packet].fate == Fate::Destroyed {
            return;
        }
        self.close(packet, Stage::Decision, self.inputs[slot as usize].far, now);
        self.ask(now, slot, queue);
    }

    /// Gives an idle output to the packet at the head of a FIFO or send queue.
    pub(crate) fn grant(&mut self, now: Time, slot: Slot, output: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        let waited_since = self.packets[packet].account.since();
        let setup = if self.plan.slots.is_host(slot) {
            self.close(packet, Stage::Stopped, output, now);
            Span::ZERO
        } else {
            self.close(packet, Stage::OutputWait, output, now);
            self.close(packet, Stage::Setup, output, now + self.an1.params.switch.setup);
            let switch = &mut self.switches[self.inputs[slot as usize].switch as usize];
            switch.set_idle(switch.port(output), false);
            self.an1.params.switch.setup
        };
        let out = &mut self.outputs[output as usize];
        assert!(out.is_idle(), "output {output} is granted while held or stopped");
        (out.holder, out.held_since) = (slot, now);
        now.since(waited_since).onto(&mut out.wait_ps);
        if out.is_barred {
            self.pauses[output as usize].book_barred(out, waited_since, self.tally.window_start);
        }
        let Output { delay, to_host, .. } = *out;
        if to_host {
            // Hosts never stop a link, so the arrival of the first byte at its destination is certain.
            self.close(packet, Stage::Propagation, output, now + setup + delay);
        }
        self.begin_flow(now, slot, output, setup, queue);
    }

    /// The packet at the head flows out by an output as soon as the crossbar is set up. Inlined as
    /// [`announce_flow`](Self::announce_flow) is.
    #[inline(always)]
    pub(crate) fn begin_flow(
        &mut self,
        now: Time,
        slot: Slot,
        output: Slot,
        setup: Span,
        queue: &mut EventQueue<Event>,
    ) {
        let length = self.packets[self.head_packet(slot)].length();
        let rate = self.outputs[output as usize].rate;
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        (input.out, input.tx_left, input.tx_rate, input.ready) = (output, length, rate, now + setup);
        self.start_sending(now, slot, queue);
        self.expect_crossing(now, slot, queue);
    }

    /// The last byte of the packet at the head leaves: the output is free, and the next packet comes to the head.
    pub(crate) fn last_out(
        &mut self,
        now: Time,
        slot: Slot,
        packet: u32,
        output: Slot,
        queue: &mut EventQueue<Event>,
    ) {
        // These states are fetched in parallel because the event names them, instead of one through the other.
        black_box((self.packets[packet].places, self.outputs[output as usize].holder));
        let input = &mut self.inputs[slot as usize];
        if input.flow_ends != now || input.ends_dry {
            return;
        }
        input.settle(now);
        assert!(input.tx_left == 0 && input.head_is_whole(), "slot {slot} sent more than it had");
        input.out = NO_SLOT;
        (input.tx_on, input.progress, input.flow_ends) = (false, Progress::Arrived, Time::NEVER);
        input.head = NO_PACKET;
        let host = self.packets[packet].from;
        if self.plan.slots.is_host(slot) {
            self.release(now, slot, output, packet, queue);
            self.leave(packet);
            self.next_in_send_queue(now, slot, host, queue);
            return;
        }
        self.tally.hops += 1;
        input.book_packet(self.packets[packet].length(), now);
        let more = self.next_in_fifo(slot);
        self.release(now, slot, output, packet, queue);
        self.leave(packet);
        if self.multicast.is_some() {
            self.release_copies(now, slot, queue);
        }
        if more {
            self.become_head(now, slot, queue);
        } else if !self.pools.is_empty() {
            self.input_is_free(now, slot, queue);
        }
        self.expect_crossing(now, slot, queue);
    }

    /// Puts the next packet of a FIFO at its head, if there is one.
    #[inline]
    pub(crate) fn next_in_fifo(&mut self, slot: Slot) -> bool {
        let input = &mut self.inputs[slot as usize];
        if input.next == NO_ENTRY {
            return false;
        }
        let FifoEntry { packet, next, first_in } = self.entries[input.next];
        self.entries.remove(input.next);
        (input.head, input.head_first_in, input.next) = (packet, first_in, next);
        input.head_is_newest = next == NO_ENTRY;
        true
    }

    /// An output has sent a whole packet of this slot.
    pub(crate) fn release(
        &mut self,
        now: Time,
        slot: Slot,
        output: Slot,
        packet: u32,
        queue: &mut EventQueue<Event>,
    ) {
        let window_start = self.tally.window_start;
        let out = &mut self.outputs[output as usize];
        out.holder = NO_SLOT;
        out.held_ps += now.since(out.held_since.max(window_start)).ps();
        out.packets = out.packets.saturating_add(1);
        out.bits += u64::from(self.packets[packet].bits);
        let Output { far, delay, announces_tail, directive, .. } = *out;
        if announces_tail && !self.is_dropped_at(far, packet) {
            let number = self.packets[packet].number as u32;
            self.schedule_presorted(
                queue,
                lists::OVER_LINKS,
                (slot, now + delay),
                Event::TailIn(far, packet, number),
            );
        }
        if self.shares_links() {
            self.yield_link(now, output, queue);
        }
        let of = self.inputs[slot as usize].switch;
        if directive != Directive::Start {
            self.pauses[output as usize].bar(&mut self.outputs[output as usize], now);
        } else if of != NO_SWITCH {
            self.serve(now, of, output, queue);
        }
    }

    /// The next packet in line comes to the head of its FIFO, where the decision begins.
    pub(crate) fn become_head(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        let since = self.packets[packet].account.since();
        let input = &mut self.inputs[slot as usize];
        now.since(since).onto(&mut input.wait_ps);
        let far = input.far;
        self.close(packet, Stage::FifoWait, far, now);
        let input = &self.inputs[slot as usize];
        if !input.may_need_whole || input.head_is_whole() || !self.needs_whole(slot, input.head) {
            self.begin_decision(now, slot, queue);
        }
    }
}
