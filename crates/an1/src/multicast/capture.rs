//! How the head of a FIFO captures all outputs that it needs.
//!
//! Outputs are reserved as they become free, so that the packet is not starved; they are served first come, first
//! considered. So of two packets of a switch that need the same outputs the earlier captures all of them first.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::Event;
use crate::machine::An1;
use crate::multicast::Leg;
use crate::multicast::trees::Way;
use crate::packet::{NO_PACKET, PacketKind};
use crate::switch::directive::Directive;

impl<J: Journal> An1<J> {
    /// Whether the head of a FIFO is a packet for several hosts that still lacks outputs.
    #[inline]
    pub(crate) fn lacks_outputs(&self, slot: Slot) -> bool {
        self.multicast.as_ref().is_some_and(|state| !state.heads[slot as usize].missing.is_empty())
    }

    /// Whether the head of a FIFO is a packet for several hosts that has captured outputs, or is being sent on them.
    #[inline]
    pub(crate) fn has_legs(&self, slot: Slot) -> bool {
        self.multicast.as_ref().is_some_and(|state| !state.heads[slot as usize].legs.is_empty())
    }

    /// The routing decision for the head of a FIFO has been made. A packet for several hosts needs all outputs of its
    /// path.
    pub(crate) fn claim_outputs(&mut self, slot: Slot) {
        let packet = self.head_packet(slot);
        if self.packets[packet].kind != PacketKind::Multicast {
            return;
        }
        let group = self.group_of(packet);
        let (switch, port) = self.plan.slots.switch_port(slot);
        let (Some(state), Some(trees)) = (&mut self.multicast, &self.an1.trees) else { return };
        let missing = &mut state.heads[slot as usize].missing;
        match trees.way(group, switch as u32, port) {
            Way::Up(parent) => missing.push(parent),
            Way::Down(branches) => missing.extend(branches.iter().map(|branch| branch.port)),
        }
    }

    /// The head of a FIFO captures the idle ones of the outputs that it still needs. With the last of them it is sent;
    /// false if it still needs some.
    pub(crate) fn capture_idle(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) -> bool {
        let of = self.inputs[slot as usize].switch as usize;
        let Some(state) = &mut self.multicast else { return true };
        let head = &mut state.heads[slot as usize];
        let switch = &mut self.switches[of];
        head.missing.retain(|&port| {
            if !switch.is_idle(port) {
                return true;
            }
            switch.set_idle(port, false);
            let output = switch.slot(port);
            let out = &mut self.outputs[output as usize];
            (out.holder, out.held_since) = (slot, now);
            self.pauses[output as usize].begin_for_others(out, now);
            head.legs.push(Leg { output, packet: NO_PACKET });
            false
        });
        let Some(&Leg { output: last, .. }) = head.legs.last() else { return false };
        if !head.missing.is_empty() {
            return false;
        }
        self.send_when_started(now, slot, last, queue);
        true
    }

    /// Sends the head of a FIFO that has captured all outputs, if none of them has been stopped meanwhile. `last` is
    /// the output that it waited for until now.
    pub(super) fn send_when_started(
        &mut self,
        now: Time,
        slot: Slot,
        last: Slot,
        queue: &mut EventQueue<Event>,
    ) {
        let Some(state) = &self.multicast else { return };
        let started = |leg: &Leg| self.outputs[leg.output as usize].directive == Directive::Start;
        if state.heads[slot as usize].legs.iter().all(started) {
            self.send_on_all(now, slot, last, queue);
        }
    }
}
