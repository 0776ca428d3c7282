//! Fetching states ahead of their events: the FIFO and the packet, then the switch, then the output.

use hopscope_fabric::{Slot, fetch_in_rounds, prefetch};
use hopscope_kernel::Foresight;
use hopscope_measure::Journal;
use hopscope_topology::HostId;

use crate::event::Event;
use crate::machine::An1;
use crate::packet::PacketKind;
use crate::switch::fifo_entries::NO_ENTRY;
use crate::switch::input_fifo::InputFifo;

impl<J: Journal> An1<J> {
    /// Fetches what these events will need.
    pub(crate) fn fetch(&self, foresight: Foresight, events: impl Iterator<Item = Event> + Clone) {
        let (named, found) = (|event| self.fetch_named(event), |event| self.fetch_found(event));
        fetch_in_rounds(foresight, events, named, found, |event| self.fetch_chosen(event));
    }

    /// Fetches the states that an event names.
    #[inline]
    fn fetch_named(&self, event: Event) {
        match event {
            Event::HeadIn(slot, packet, _) | Event::Request(slot, packet) => {
                self.fetch_input(slot);
                self.fetch_packet(packet);
            }
            Event::TailIn(slot, packet, _) => {
                self.fetch_packet(packet);
                prefetch(&self.plan.slots.links[slot as usize]);
            }
            Event::LastOut(slot, packet, output) => {
                self.fetch_input(slot);
                self.fetch_totals(slot);
                self.fetch_packet(packet);
                self.fetch_output(output);
            }
            Event::Emit(source) => prefetch(&self.workload.sources[source as usize]),
            _ => {}
        }
    }

    /// Fetches the states that are found through those that an event names.
    #[inline]
    fn fetch_found(&self, event: Event) {
        match event {
            Event::Request(slot, packet) => {
                self.fetch_switch(self.inputs[slot as usize].switch);
                self.fetch_destination(packet);
            }
            Event::LastOut(_, packet, output) if self.plan.slots.is_host(output) => {
                let queue = &self.send_queues[self.packets[packet].from as usize];
                if let Some(pending) = queue.front() {
                    prefetch(pending);
                }
            }
            Event::LastOut(slot, ..) => {
                let InputFifo { switch, next, .. } = self.inputs[slot as usize];
                self.fetch_switch(switch);
                if next != NO_ENTRY {
                    prefetch(&self.entries[next]);
                }
            }
            Event::Emit(source) => {
                let host = self.workload.sources[source as usize].from();
                self.fetch_send_queue(host);
            }
            _ => {}
        }
    }

    /// Fetches the output that a packet is likely to be granted, and what waits for the output that a packet leaves.
    #[inline]
    fn fetch_chosen(&self, event: Event) {
        match event {
            Event::Request(slot, packet) if self.packets[packet].kind != PacketKind::Multicast => {
                let InputFifo { switch, phase, .. } = self.inputs[slot as usize];
                let ports = self.paths.eligible(&self.plan, switch, phase, self.bound(slot, packet));
                let switch = &self.switches[switch as usize];
                // If none is idle, the waiting count of all is increased.
                match switch.foresee(ports) {
                    Some(port) => self.fetch_output(switch.slot(port)),
                    None => ports.iter().for_each(|port| self.fetch_output(switch.slot(*port))),
                }
            }
            Event::LastOut(slot, _, output) => {
                let InputFifo { switch, next, .. } = self.inputs[slot as usize];
                if next != NO_ENTRY {
                    self.fetch_packet(self.entries[next].packet);
                }
                if self.outputs[output as usize].waiting != 0 {
                    self.switches[switch as usize].blocked.fifos().for_each(|fifo| self.fetch_input(fifo));
                }
            }
            _ => {}
        }
    }

    /// Fetches the switch and port of a packet's host.
    #[inline]
    fn fetch_destination(&self, packet: u32) {
        let packet = &self.packets[packet];
        if packet.kind != PacketKind::Multicast {
            prefetch(&self.plan.attached[packet.to as usize]);
        }
    }

    /// Fetches the two cache lines that every event of a FIFO needs.
    #[inline]
    fn fetch_input(&self, slot: Slot) {
        let input = &self.inputs[slot as usize];
        prefetch(&input.level);
        prefetch(&input.peak);
    }

    /// Fetches the cache line that counts leaving packets.
    #[inline]
    fn fetch_totals(&self, slot: Slot) {
        prefetch(&self.inputs[slot as usize].held_ps);
    }

    #[inline]
    fn fetch_packet(&self, packet: u32) {
        let packet = &self.packets[packet];
        prefetch(&packet.account);
        prefetch(&packet.number);
    }

    #[inline]
    fn fetch_output(&self, output: Slot) {
        prefetch(&self.outputs[output as usize]);
    }

    #[inline]
    fn fetch_switch(&self, switch: u32) {
        prefetch(&self.switches[switch as usize]);
    }

    #[inline]
    fn fetch_send_queue(&self, host: HostId) {
        let slot = self.plan.slots.host(host);
        self.fetch_input(slot);
        self.fetch_output(slot);
        prefetch(&self.send_queues[host.index()]);
    }
}
