//! Heads of FIFOs ask for an output; where none that would do is idle, they join the switch's queue of blocked heads.
//! By default it is served first come, first considered (FCFC: SRC 88, section 3.5): the first of them that may use an
//! output gets it when it frees. `contest.rs` decides.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::Event;
use crate::machine::An1;
use crate::packet::{NO_PACKET, Packet};
use crate::switch::input_fifo::InputFifo;
use crate::switch::routing_choice::Bound;

/// The blocked heads of a switch, in the order of their requests.
#[derive(Debug, Default)]
pub(crate) struct BlockedHeads(Vec<Bound>);

impl BlockedHeads {
    #[inline]
    pub fn join(&mut self, head: Bound) {
        self.0.push(head);
    }

    /// Those that may use an output, each with its place.
    #[inline]
    pub fn that(
        &self,
        may_use: impl Fn(&Bound) -> bool + Clone,
    ) -> impl Iterator<Item = (usize, Bound)> + Clone {
        self.0.iter().copied().enumerate().filter(move |(_, head)| may_use(head))
    }

    /// Takes out the one at a place.
    #[inline]
    pub fn take(&mut self, place: usize) -> Bound {
        self.0.remove(place)
    }

    /// Takes all out, in their order.
    pub fn take_all(&mut self) -> Vec<Bound> {
        std::mem::take(&mut self.0)
    }

    /// Takes out the head of a FIFO; false where it is not blocked.
    pub fn leave(&mut self, fifo: Slot) -> bool {
        let place = self.0.iter().position(|head| head.fifo == fifo);
        place.map(|place| self.0.remove(place)).is_some()
    }

    /// Whether the head of a FIFO is blocked.
    pub fn contains(&self, fifo: Slot) -> bool {
        self.0.iter().any(|head| head.fifo == fifo)
    }

    /// The FIFOs with blocked heads.
    #[inline]
    pub fn fifos(&self) -> impl Iterator<Item = Slot> + '_ {
        self.0.iter().map(|head| head.fifo)
    }
}

impl<J: Journal> An1<J> {
    /// The packet at the head of a FIFO asks for an output. The arbiter decides when all of this instant have asked.
    pub(crate) fn ask(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let InputFifo { head, switch: of, phase, .. } = self.inputs[slot as usize];
        let bound = self.bound(slot, head);
        if self.paths.eligible(&self.plan, of, phase, bound).is_empty() {
            assert!(self.control.is_some(), "no route from slot {slot} to host {}", bound.to);
            self.lose_unroutable(now, head, queue);
            return;
        }
        self.contest.asks.push(slot);
    }

    /// A packet that came by a slot, as one that asks for an output.
    #[inline]
    pub(crate) fn bound(&self, slot: Slot, packet: u32) -> Bound {
        let Packet { from, to, .. } = self.packets[packet];
        Bound { fifo: slot, from, to }
    }

    /// The outputs that would serve the packet at the head of a switch's FIFO, or those that wait in its place.
    pub(crate) fn wanted(&self, slot: Slot) -> Vec<Slot> {
        let InputFifo { head, switch, phase, .. } = self.inputs[slot as usize];
        if head == NO_PACKET {
            return self.wanted_by_pooled(slot);
        }
        let ports = self.paths.eligible(&self.plan, switch, phase, self.bound(slot, head));
        ports.iter().map(|&port| self.switches[switch as usize].slot(port)).collect()
    }

    /// An output has become idle. Where heads wait for it, the arbiter decides when this instant is over.
    pub(crate) fn serve(&mut self, now: Time, of: u32, output: Slot, queue: &mut EventQueue<Event>) {
        let switch = &mut self.switches[of as usize];
        let port = switch.port(output);
        switch.set_idle(port, true);
        if self.outputs[output as usize].waiting > 0 {
            self.contest.freed.push(output);
        } else if !self.pools.is_empty() {
            self.match_soon(now, of, queue);
        }
    }
}
