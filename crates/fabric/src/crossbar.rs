//! The way of a packet through a switch: into the FIFO, to its head, the request, the grant of an output, out.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::{Port, Routes, SwitchId};
use hopscope_units::{Span, Time};

use crate::event::Event;
use crate::fabric::Fabric;
use crate::fifo_entries::{FifoEntry, NO_ENTRY};
use crate::slots::{NO_SLOT, Slot};
use crate::stage::Stage;

/// The ports by which a packet may leave a switch: towards the destination's switch, or to the host itself.
fn eligible<'a>(routes: &'a Routes, attached: &'a (u32, Port), switch: usize, phase: u8) -> &'a [Port] {
    let (to, port) = attached;
    if *to as usize == switch {
        std::slice::from_ref(port)
    } else {
        routes.next_ports(SwitchId::new(switch), phase, SwitchId::new(*to as usize))
    }
}

impl<J: Journal> Fabric<J> {
    /// The first byte of a packet comes into a FIFO.
    pub(crate) fn head_in(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        if self.packets[packet].head_in_due != now {
            return;
        }
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        assert!(input.rx_left == 0, "two packets at once on the link into slot {slot}");
        input.rx_left = self.packets[packet].length();
        input.rx_on = true;
        let state = &mut self.packets[packet];
        (state.head_in_due, state.places) = (Time::NEVER, state.places + 1);
        let entry = self.entries.insert(FifoEntry { packet, next: NO_ENTRY, first_in: now });
        let alone = input.head == NO_ENTRY;
        if alone {
            input.head = entry;
        } else {
            self.entries[input.tail].next = entry;
        }
        input.tail = entry;
        let whole_first = input.whole_first;
        let cable = self.plan.slots.cables[slot as usize];
        let left = Time::from_ps(now.ps() - cable.delay.ps());
        self.close(packet, Stage::Stopped, cable.far, left);
        self.close(packet, Stage::Propagation, cable.far, now);
        if alone && !whole_first {
            self.begin_decision(now, slot, queue);
        }
        self.expect_crossing(now, slot, queue);
    }

    fn begin_decision(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        self.inputs[slot as usize].asked = true;
        self.schedule(queue, slot, now + self.plan.params.switch.decision, Event::Request(slot));
    }

    /// The last byte of a packet comes in: at its destination host, or at a switch that needs whole packets.
    pub(crate) fn tail_in(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        if self.plan.slots.is_host(slot) {
            self.deliver(now, slot, packet, queue);
        } else if self.head_packet(slot) == packet && !self.inputs[slot as usize].asked {
            self.close(packet, Stage::Reception, self.plan.slots.cables[slot as usize].far, now);
            self.begin_decision(now, slot, queue);
        }
    }

    /// The packet at the head of a FIFO asks for an output: a random idle one, else it joins the blocked (SRC 88, section 3.5).
    pub(crate) fn request(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        self.close(packet, Stage::Decision, self.plan.slots.cables[slot as usize].far, now);
        let (switch, _) = self.plan.slots.switch_port(slot);
        let to = self.packets[packet].to as usize;
        let ports =
            eligible(&self.plan.routes, &self.plan.attached[to], switch, self.inputs[slot as usize].phase);
        assert!(!ports.is_empty(), "no route from slot {slot} to host {to}");
        if let Some(port) = self.switches[switch].pick_idle(ports) {
            let output = self.plan.slots.port(switch, port);
            self.grant(now, slot, output, queue);
        } else {
            for &port in ports {
                self.outputs[self.plan.slots.port(switch, port) as usize].waiting += 1;
            }
            self.switches[switch].blocked.push(slot);
        }
    }

    /// The outputs that would serve the packet at the head of a switch's FIFO.
    pub(crate) fn wanted(&self, slot: Slot) -> Vec<Slot> {
        let (switch, _) = self.plan.slots.switch_port(slot);
        let to = self.packets[self.head_packet(slot)].to as usize;
        let ports =
            eligible(&self.plan.routes, &self.plan.attached[to], switch, self.inputs[slot as usize].phase);
        ports.iter().map(|&port| self.plan.slots.port(switch, port)).collect()
    }

    /// An output has become idle: the first of the blocked that may use it gets it.
    pub(crate) fn serve(&mut self, now: Time, output: Slot, queue: &mut EventQueue<Event>) {
        let (switch, port) = self.plan.slots.switch_port(output);
        self.switches[switch].set_idle(port, true);
        if self.outputs[output as usize].waiting == 0 {
            return;
        }
        let ports_of = |slot: Slot| {
            let input = &self.inputs[slot as usize];
            let packet = self.entries[input.head].packet;
            let to = self.packets[packet].to as usize;
            eligible(&self.plan.routes, &self.plan.attached[to], switch, input.phase)
        };
        let blocked = &mut self.switches[switch].blocked;
        let first = blocked.iter().position(|&slot| ports_of(slot).contains(&port));
        let slot = blocked.remove(first.expect("somebody waits for this output"));
        for &port in ports_of(slot) {
            self.outputs[self.plan.slots.port(switch, port) as usize].waiting -= 1;
        }
        self.grant(now, slot, output, queue);
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
            self.close(packet, Stage::Setup, output, now + self.plan.params.switch.setup);
            let (switch, port) = self.plan.slots.switch_port(output);
            self.switches[switch].set_idle(port, false);
            self.plan.params.switch.setup
        };
        let out = &mut self.outputs[output as usize];
        assert!(out.is_idle(), "output {output} is granted while held or stopped");
        (out.holder, out.held_since) = (slot, now);
        out.use_.wait_ps += now.since(waited_since).ps();
        let cable = self.plan.slots.cables[output as usize];
        if self.plan.slots.is_host(cable.far) {
            // Hosts never stop a link, so the first byte's way to its destination is certain.
            self.close(packet, Stage::Propagation, output, now + setup + cable.delay);
        }
        let length = self.packets[packet].length();
        let input = &mut self.inputs[slot as usize];
        input.settle(now);
        (input.out, input.tx_left, input.tx_rate, input.ready) = (output, length, cable.rate, now + setup);
        self.start_sending(now, slot, queue);
        self.expect_crossing(now, slot, queue);
    }

    /// The last byte of the packet at the head leaves: the output is free, and the next packet comes to the head.
    pub(crate) fn last_out(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let input = &mut self.inputs[slot as usize];
        if input.last_out_due != now {
            return;
        }
        input.settle(now);
        assert!(input.tx_left == 0 && input.head_is_whole(), "slot {slot} sent more than it had");
        let output = std::mem::replace(&mut input.out, NO_SLOT);
        (input.tx_on, input.asked, input.last_out_due) = (false, false, Time::NEVER);
        let FifoEntry { packet, next, first_in } = self.entries[input.head];
        self.entries.remove(input.head);
        input.head = next;
        if next == NO_ENTRY {
            input.tail = NO_ENTRY;
        }
        self.release(now, output, packet, queue);
        let host = self.packets[packet].from;
        self.leave(packet);
        if self.plan.slots.is_host(slot) {
            self.next_in_send_queue(now, slot, host, queue);
            return;
        }
        self.tally.hops += 1;
        let far = self.plan.slots.cables[slot as usize].far;
        self.outputs[far as usize].use_.fifo_held_ps += now.since(first_in).ps();
        if next != NO_ENTRY {
            self.become_head(now, slot, queue);
        }
        self.expect_crossing(now, slot, queue);
    }

    /// An output has sent a whole packet.
    fn release(&mut self, now: Time, output: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        let out = &mut self.outputs[output as usize];
        out.holder = NO_SLOT;
        out.use_.held_ps += now.since(out.held_since.max(self.tally.window_start)).ps();
        out.use_.packets += 1;
        out.use_.bits += u64::from(self.packets[packet].bits);
        let stopped = out.stopped;
        let cable = self.plan.slots.cables[output as usize];
        if self.plan.slots.is_host(cable.far) || self.inputs[cable.far as usize].whole_first {
            self.schedule(queue, cable.far, now + cable.delay, Event::TailIn(cable.far, packet));
        }
        if !stopped && !self.plan.slots.is_host(output) {
            self.serve(now, output, queue);
        }
    }

    /// The next packet in line comes to the head of its FIFO, where the decision begins.
    fn become_head(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        let since = self.packets[packet].account.since();
        let far = self.plan.slots.cables[slot as usize].far;
        self.outputs[far as usize].use_.fifo_wait_ps += now.since(since).ps();
        self.close(packet, Stage::FifoWait, far, now);
        let input = &self.inputs[slot as usize];
        if !input.whole_first || input.head_is_whole() {
            self.begin_decision(now, slot, queue);
        }
    }
}
