//! Fetching states ahead of their events: the FIFO and the packet, then the switch, then the output.

use hopscope_fabric::{Slot, read_in_rounds};
use hopscope_kernel::Foresight;
use hopscope_measure::Journal;
use hopscope_topology::HostId;

use crate::event::Event;
use crate::machine::An1;
use crate::packet::PacketKind;
use crate::switch::fifo_entries::NO_ENTRY;
use crate::switch::input_fifo::InputFifo;

impl<J: Journal> An1<J> {
    /// Reads what these events will need.
    pub(crate) fn fetch(&self, foresight: Foresight, events: impl Iterator<Item = Event> + Clone) {
        let (named, found) = (|event| self.fetch_named(event), |event| self.fetch_found(event));
        read_in_rounds(foresight, events, named, found, |event| self.fetch_chosen(event));
    }

    /// Reads the states that an event names.
    #[inline]
    fn fetch_named(&self, event: Event) -> u64 {
        match event {
            Event::HeadIn(slot, packet, _) | Event::Request(slot, packet) => {
                self.fetch_input(slot) ^ self.fetch_packet(packet)
            }
            Event::TailIn(slot, packet) => {
                self.fetch_packet(packet) ^ self.plan.slots.links[slot as usize].rate
            }
            Event::LastOut(slot, packet, output) => {
                self.fetch_input(slot)
                    ^ self.fetch_totals(slot)
                    ^ self.fetch_packet(packet)
                    ^ self.fetch_output(output)
            }
            Event::Emit(source) => self.workload.sources[source as usize].from().index() as u64,
            _ => 0,
        }
    }

    /// Reads the states that are found through those that an event names.
    #[inline]
    fn fetch_found(&self, event: Event) -> u64 {
        match event {
            Event::Request(slot, packet) => {
                let of = self.inputs[slot as usize].switch;
                self.fetch_switch(of) ^ self.fetch_destination(packet)
            }
            Event::LastOut(_, packet, output) if self.plan.slots.is_host(output) => {
                let queue = &self.send_queues[self.packets[packet].from as usize];
                queue.front().map_or(0, |pending| pending.number)
            }
            Event::LastOut(slot, ..) => {
                let InputFifo { switch, next, .. } = self.inputs[slot as usize];
                let behind = if next == NO_ENTRY { 0 } else { self.entries[next].first_in.ps() };
                self.fetch_switch(switch) ^ behind
            }
            Event::Emit(source) => {
                let host = self.workload.sources[source as usize].from();
                self.fetch_send_queue(host)
            }
            _ => 0,
        }
    }

    /// Reads the output that a packet is likely to be granted, and what waits for the output that a packet leaves.
    #[inline]
    fn fetch_chosen(&self, event: Event) -> u64 {
        match event {
            Event::Request(slot, packet) if self.packets[packet].kind != PacketKind::Multicast => {
                let InputFifo { switch, phase, .. } = self.inputs[slot as usize];
                let ports = self.paths.eligible(&self.plan, switch, phase, self.bound(slot, packet));
                let switch = &self.switches[switch as usize];
                // Where none is idle, all count one more that waits.
                let fetch = |seen, port| seen ^ self.fetch_output(switch.slot(port));
                switch
                    .foresee(ports)
                    .map_or_else(|| ports.iter().copied().fold(0, fetch), |port| fetch(0, port))
            }
            Event::LastOut(slot, _, output) => {
                let InputFifo { switch, next, .. } = self.inputs[slot as usize];
                let behind = if next == NO_ENTRY { 0 } else { self.fetch_packet(self.entries[next].packet) };
                if self.outputs[output as usize].waiting == 0 {
                    return behind;
                }
                let blocked = self.switches[switch as usize].blocked.fifos();
                blocked.fold(behind, |seen, fifo| seen ^ self.fetch_input(fifo))
            }
            _ => 0,
        }
    }

    /// Reads where the host of a packet hangs.
    #[inline]
    fn fetch_destination(&self, packet: u32) -> u64 {
        let packet = &self.packets[packet];
        if packet.kind == PacketKind::Multicast {
            return 0;
        }
        u64::from(self.plan.attached[packet.to as usize].0)
    }

    /// The two lines that every event of a FIFO needs.
    #[inline]
    fn fetch_input(&self, slot: Slot) -> u64 {
        let input = &self.inputs[slot as usize];
        input.level ^ input.peak
    }

    /// The line in which packets are booked that leave.
    #[inline]
    fn fetch_totals(&self, slot: Slot) -> u64 {
        self.inputs[slot as usize].held_ps
    }

    #[inline]
    fn fetch_packet(&self, packet: u32) -> u64 {
        let packet = &self.packets[packet];
        packet.number ^ packet.account.since().ps()
    }

    #[inline]
    fn fetch_output(&self, output: Slot) -> u64 {
        self.outputs[output as usize].bits
    }

    #[inline]
    fn fetch_switch(&self, switch: u32) -> u64 {
        u64::from(self.switches[switch as usize].is_idle(0))
    }

    #[inline]
    fn fetch_send_queue(&self, host: HostId) -> u64 {
        let slot = self.plan.slots.host(host);
        self.fetch_input(slot) ^ self.fetch_output(slot) ^ self.send_queues[host.index()].len() as u64
    }
}
