//! Messages for several hosts, from their generation to their last delivery.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::HostId;
use hopscope_traffic::Observed;
use hopscope_units::{Data, Time};

use crate::event::Event;
use crate::machine::An1;
use crate::multicast::MulticastMessage;
use crate::packet::{Packet, PacketKind, Pending};
use crate::plan::LAST_DELIVERY;

/// The message of a panic that cannot happen.
const HAS_MULTICAST: &str = "a packet for several hosts needs traffic with such packets";

impl<J: Journal> An1<J> {
    /// A host sends a message to a group. Each delivery counts as a message and has its own number from the beginning;
    /// the packet has the numbers of all deliveries that it represents.
    pub(crate) fn generate_multicast(
        &mut self,
        now: Time,
        from: u32,
        (group, size, class): (u16, Data, u8),
        queue: &mut EventQueue<Event>,
    ) {
        let hosts = &self.workload.groups[usize::from(group)];
        let copies = hosts.len() as u32;
        let own = hosts.binary_search(&HostId::new(from as usize)).is_ok();
        let undelivered = copies - u32::from(own);
        let observed = self.workload.observed == Observed::Always;
        if observed {
            (0..undelivered).for_each(|_| self.monitor.born(now, size));
        }
        let number = self.tally.generated;
        self.tally.generated += u64::from(copies);
        let state = self.multicast.as_mut().expect(HAS_MULTICAST);
        state.to_copy += u64::from(copies) - 1;
        let message = state.messages.insert(MulticastMessage { group, copies, undelivered });
        let bits = u32::try_from(size.bits()).expect("traffic keeps messages within 1 MiB");
        let kind = PacketKind::Multicast;
        let packet = Pending { born: now, number, bits, to: copies, burst: message, kind, class, observed };
        self.enqueue(now, from, packet, queue);
    }

    /// A copy has arrived: with the last one all other hosts have the message.
    pub(crate) fn copy_delivered(&mut self, now: Time, packet: &Packet) {
        let messages = &mut self.multicast.as_mut().expect(HAS_MULTICAST).messages;
        let message = &mut messages[packet.burst];
        message.copies -= 1;
        message.undelivered -= u32::from(!packet.is_own_copy());
        let MulticastMessage { copies, undelivered, .. } = *message;
        if copies == 0 {
            messages.remove(packet.burst);
        }
        if undelivered == 0 && !packet.is_own_copy() && packet.observed {
            self.monitor.sample(now, LAST_DELIVERY, now.since(packet.account.born()));
        }
    }

    /// The group of hosts that a packet is for.
    pub(super) fn group_of(&self, packet: u32) -> u16 {
        let state = self.multicast.as_ref().expect(HAS_MULTICAST);
        state.messages[self.packets[packet].burst].group
    }

    /// Makes the copies of the packet at the head of a FIFO, whose outputs are all captured, and names each on its
    /// output. The packet itself takes the first.
    pub(super) fn copy(&mut self, slot: Slot, packet: u32) {
        let state = self.multicast.as_mut().expect(HAS_MULTICAST);
        let trees = self.an1.trees.as_ref().expect(HAS_MULTICAST);
        let legs = &mut state.heads[slot as usize].legs;
        legs.sort_unstable_by_key(|leg| leg.output);
        legs[0].packet = packet;
        let (switch, port) = self.plan.slots.switch_port(slot);
        let group = state.messages[self.packets[packet].burst].group;
        let crate::multicast::trees::Way::Down(branches) = trees.way(group, switch as u32, port) else {
            return;
        };
        let original = self.packets[packet].clone();
        let mut number = original.number;
        for (leg, branch) in legs.iter_mut().zip(branches) {
            if leg.packet != packet {
                // One place here, one until it is delivered.
                leg.packet = self.packets.insert(Packet { attempt: 0, places: 2, ..original.clone() });
            }
            let copy = &mut self.packets[leg.packet];
            (copy.number, copy.to) = (number, branch.hosts);
            if let Some(host) = branch.host {
                (copy.kind, copy.to) = (PacketKind::Copy, host);
            }
            number += u64::from(branch.hosts);
        }
        state.to_copy -= legs.len() as u64 - 1;
    }
}
