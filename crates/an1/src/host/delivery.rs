//! Receiving hosts: a packet ends with its last byte, and a packet of a burst is acknowledged.

use hopscope_fabric::{Link, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Data, Span, Time};

use crate::event::Event;
use crate::machine::An1;
use crate::observe::stage::Stage;
use crate::packet::PacketKind;
use crate::plan::BURST_TIME;

impl<J: Journal> An1<J> {
    /// The last byte of a packet has arrived at its host.
    pub(crate) fn deliver(&mut self, now: Time, slot: Slot, packet: u32, queue: &mut EventQueue<Event>) {
        // The account was closed up to the first byte when the last output was granted.
        let first_byte = self.packets[packet].account.since();
        let Link { far, rate, .. } = self.plan.slots.links[slot as usize];
        let body = Span::from_ps(self.packets[packet].length().div_ceil(rate));
        self.close(packet, Stage::Body, far, first_byte + body);
        self.close(packet, Stage::BodyPaused, far, now);
        let done = &self.packets[packet];
        let (kind, burst, bits) = (done.kind, done.burst, done.bits);
        assert!(
            done.account.total() == now.since(done.account.born()),
            "a packet's stages do not add up to its life"
        );
        if done.kind == PacketKind::Copy {
            let copy = done.clone();
            self.copy_delivered(now, &copy);
            if copy.is_own_copy() {
                self.count_apart(copy.to, bits);
                self.leave(packet);
                return;
            }
        }
        let done = &self.packets[packet];
        if done.observed {
            let latency = first_byte.since(done.account.born());
            let (class, data) = (usize::from(done.class), Data::from_bits(u64::from(bits)));
            self.monitor.delivered(now, class, latency, &done.account, data);
            self.monitor.went(done.from, done.to, &done.account);
        }
        if kind == PacketKind::Ack {
            let to = done.to;
            self.tally.acks += 1;
            self.count_apart(to, bits);
        } else {
            self.fairness.delivered(done.from, u64::from(bits));
        }
        self.leave(packet);
        match kind {
            PacketKind::Message | PacketKind::Multicast | PacketKind::Copy => {}
            PacketKind::OfBurst => self.burst_packet_delivered(now, burst, queue),
            PacketKind::Ack => self.acknowledged(now, burst, queue),
        }
    }

    fn burst_packet_delivered(&mut self, now: Time, burst: u32, queue: &mut EventQueue<Event>) {
        let state = &mut self.bursts[burst];
        state.undelivered -= 1;
        if state.undelivered == 0 {
            let born = state.born;
            self.tally.bursts_active -= 1;
            self.monitor.sample(now, BURST_TIME, now.since(born));
        }
        self.acknowledge(now, burst, queue);
    }

    fn acknowledged(&mut self, now: Time, burst: u32, queue: &mut EventQueue<Event>) {
        let state = &mut self.bursts[burst];
        state.unacknowledged -= 1;
        let (more, over) = (state.unsent > 0, state.unacknowledged == 0);
        if more {
            self.send_of_burst(now, burst, queue);
        } else if over {
            self.bursts.remove(burst);
        }
    }
}
