//! Packets that have passed as many switches as they may, as in a forwarding loop.
//!
//! A switch drops such a packet as it comes in: nothing of it enters the FIFO, while its rest may still be in transit
//! through earlier switches.

use hopscope_fabric::Slot;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::machine::An1;
use crate::observe::stage::Stage;
use crate::packet::{Fate, PacketKind};

impl<J: Journal> An1<J> {
    /// Whether the time to live of a packet whose first byte comes to a switch has expired. Then it is dropped.
    pub(crate) fn expires(&mut self, now: Time, slot: Slot, packet: u32) -> bool {
        let expires = self.packets[packet].ttl == 0;
        self.inputs[slot as usize].drops = expires;
        if expires {
            self.expire(now, slot, packet);
        } else {
            self.packets[packet].ttl -= 1;
        }
        expires
    }

    #[cold]
    fn expire(&mut self, now: Time, slot: Slot, packet: u32) {
        let (far, delay) = (self.inputs[slot as usize].far, self.inputs[slot as usize].delay);
        self.close(packet, Stage::Stopped, far, Time::from_ps(now.ps() - delay.ps()));
        self.close(packet, Stage::Propagation, far, now);
        let state = &mut self.packets[packet];
        state.fate = Fate::Expired;
        assert!(state.kind == PacketKind::Message, "bursts have no time to live");
        if state.observed {
            self.monitor.given_up(now);
        }
        self.expired[self.inputs[slot as usize].switch as usize] += 1;
        // It will not be delivered; switches that still send it release it one after the other.
        self.leave(packet);
    }

    /// Whether a packet whose last byte goes to a slot is dropped there.
    #[inline]
    pub(crate) fn is_dropped_at(&self, slot: Slot, packet: u32) -> bool {
        self.packets[packet].fate == Fate::Expired && self.inputs[slot as usize].drops
    }
}
