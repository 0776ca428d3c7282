//! Sending hosts: messages and bursts are generated, wait in the host's queue, and are sent one after the other.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::{Account, Journal};
use hopscope_topology::HostId;
use hopscope_traffic::{Emission, Observed};
use hopscope_units::{Data, Time};

use crate::event::Event;
use crate::machine::An1;
use crate::observe::stage::Stage;
use crate::packet::{Burst, Fate, NO_PACKET, Packet, PacketKind, Pending};

/// The burst number of a packet outside of bursts.
const NO_BURST: u32 = u32::MAX;

impl<J: Journal> An1<J> {
    /// A source sends, and will send again.
    pub(crate) fn emit(&mut self, now: Time, source: u32, queue: &mut EventQueue<Event>) {
        self.generate(now, source, queue);
        self.schedule_emission(queue, source, now);
    }

    fn generate(&mut self, now: Time, source: u32, queue: &mut EventQueue<Event>) {
        let from = self.workload.sources[source as usize].from().index() as u32;
        match self.workload.draw(source as usize) {
            Emission::Message { to, size, class } => {
                let to = to.index() as u32;
                let packet = self.new_packet(now, to, size, class, PacketKind::Message, NO_BURST);
                self.enqueue(now, from, packet, queue);
            }
            Emission::Multicast { group, size, class } => {
                self.generate_multicast(now, from, (group, size, class), queue);
            }
            Emission::Burst { to, law } => {
                let (packets, window) = (self.workload.burst(law).packets, self.workload.burst(law).window);
                let burst = self.bursts.insert(Burst {
                    born: now,
                    from,
                    to: to.index() as u32,
                    law,
                    unsent: packets,
                    undelivered: packets,
                    unacknowledged: packets,
                });
                self.tally.bursts_active += 1;
                for _ in 0..window.min(packets) {
                    self.send_of_burst(now, burst, queue);
                }
            }
        }
    }

    /// Generates the next packet of a burst, as its window permits.
    pub(crate) fn send_of_burst(&mut self, now: Time, burst: u32, queue: &mut EventQueue<Event>) {
        let Burst { from, to, law, .. } = self.bursts[burst];
        self.bursts[burst].unsent -= 1;
        let law = self.workload.burst(law);
        let (size, class) = (law.packet, law.class);
        let packet = self.new_packet(now, to, size, class, PacketKind::OfBurst, burst);
        self.enqueue(now, from, packet, queue);
    }

    /// Generates the acknowledgment of a packet of a burst.
    pub(crate) fn acknowledge(&mut self, now: Time, burst: u32, queue: &mut EventQueue<Event>) {
        let Burst { from, to, law, .. } = self.bursts[burst];
        let size = self.workload.burst(law).ack;
        let ack = self.new_packet(now, from, size, 0, PacketKind::Ack, burst);
        self.enqueue(now, to, ack, queue);
    }

    fn new_packet(
        &mut self,
        now: Time,
        to: u32,
        size: Data,
        class: u8,
        kind: PacketKind,
        burst: u32,
    ) -> Pending {
        let in_window = self.workload.observed == Observed::Always || self.tally.bursts_active > 0;
        let observed = in_window && kind != PacketKind::Ack;
        if observed {
            self.monitor.born(now, size);
        }
        let number = self.tally.generated;
        self.tally.generated += 1;
        let bits = u32::try_from(size.bits()).expect("traffic keeps messages within 1 MiB");
        Pending { born: now, number, bits, to, burst, kind, class, observed }
    }

    pub(crate) fn enqueue(&mut self, now: Time, host: u32, packet: Pending, queue: &mut EventQueue<Event>) {
        let slot = self.plan.slots.host(HostId::new(host as usize));
        if self.inputs[slot as usize].head == NO_PACKET {
            self.come_to_head(now, slot, host, packet, queue);
        } else {
            self.send_queues[host as usize].push_back(packet);
        }
    }

    /// The send queue's next packet, if there is one or a saturated source makes one, comes to its head.
    pub(crate) fn next_in_send_queue(
        &mut self,
        now: Time,
        slot: Slot,
        host: u32,
        queue: &mut EventQueue<Event>,
    ) {
        if let Some(pending) = self.send_queues[host as usize].pop_front() {
            self.come_to_head(now, slot, host, pending, queue);
        } else if let Some(source) = self.saturated.get(host as usize).copied().flatten() {
            self.generate(now, source, queue);
        }
    }

    /// A packet comes to the head of a send queue, and is sent unless the link is stopped.
    fn come_to_head(
        &mut self,
        now: Time,
        slot: Slot,
        host: u32,
        pending: Pending,
        queue: &mut EventQueue<Event>,
    ) {
        let Pending { born, number, bits, to, burst, kind, class, observed } = pending;
        let account = Account::open(born);
        // One place here, one until it is delivered.
        let packet = Packet {
            account,
            number,
            attempt: 0,
            bits,
            from: host,
            to,
            burst,
            places: 2,
            kind,
            class,
            observed,
            fate: Fate::UnderWay,
            ttl: self.an1.params.switch.ttl.unwrap_or(0),
        };
        let level = packet.length();
        let packet = self.packets.insert(packet);
        self.close(packet, Stage::SendQueue, slot, now);
        now.since(born).onto(&mut self.outputs[slot as usize].wait_ps);
        let input = &mut self.inputs[slot as usize];
        (input.head, input.head_first_in, input.level, input.settled) = (packet, now, level, now);
        if self.outputs[slot as usize].is_idle() {
            self.grant(now, slot, slot, queue);
        }
    }
}
