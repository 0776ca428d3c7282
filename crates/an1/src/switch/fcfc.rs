//! Heads of FIFOs request an output; if none that they can use is idle, they join the switch's queue of blocked heads.
//! By default it is served first come, first considered (FCFC: SRC 88, section 3.5): the first of them that may use an
//! output gets it when it frees. `contest.rs` decides.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

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

    /// The heads that may use an output, each with its place.
    #[inline]
    pub fn that(
        &self,
        may_use: impl Fn(&Bound) -> bool + Clone,
    ) -> impl Iterator<Item = (usize, Bound)> + Clone {
        self.0.iter().copied().enumerate().filter(move |(_, head)| may_use(head))
    }

    /// Removes the head at a place.
    #[inline]
    pub fn take(&mut self, place: usize) -> Bound {
        self.0.remove(place)
    }

    /// Puts a removed head back to its place.
    pub fn put_back(&mut self, place: usize, head: Bound) {
        self.0.insert(place, head);
    }

    /// Moves all to the end of a list, in their order.
    pub fn move_to(&mut self, heads: &mut Vec<Bound>) {
        heads.append(&mut self.0);
    }

    /// Removes the head of a FIFO; false if it is not blocked.
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
    /// The packet at the head of a FIFO requests an output. The arbiter decides when all requests of this instant are
    /// known; at once if they are already.
    #[inline]
    pub(crate) fn ask(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        if self.multicast.is_some() {
            self.claim_outputs(slot);
        }
        if !self.contest.is_open() && queue.instant_is_over() {
            self.decide_alone(now, slot, queue);
        } else {
            self.contest.ask(slot);
        }
    }

    /// A packet that came by a slot, as a request for an output.
    #[inline]
    pub(crate) fn bound(&self, slot: Slot, packet: u32) -> Bound {
        let Packet { from, to, .. } = self.packets[packet];
        Bound { fifo: slot, from, to }
    }

    /// The outputs that the packet at the head of a switch's FIFO, or the packets in its pool slot, can use; for a
    /// packet for several hosts the outputs that it still needs.
    pub(crate) fn wanted(&self, slot: Slot) -> Vec<Slot> {
        let InputFifo { head, switch, phase, .. } = self.inputs[slot as usize];
        if head == NO_PACKET {
            return self.wanted_by_pooled(slot);
        }
        let ports = match &self.multicast {
            Some(state) if self.lacks_outputs(slot) => &state.heads[slot as usize].missing,
            _ => self.paths.eligible(&self.plan, switch, phase, self.bound(slot, head)),
        };
        ports.iter().map(|&port| self.switches[switch as usize].slot(port)).collect()
    }

    /// An output has become idle. If heads wait for it, the arbiter decides when this instant is over; at once if it is
    /// already. A FIFO from which a packet leaves may request again at this instant if decisions take no time.
    pub(crate) fn serve(&mut self, now: Time, of: u32, output: Slot, queue: &mut EventQueue<Event>) {
        let switch = &mut self.switches[of as usize];
        let port = switch.port(output);
        switch.set_idle(port, true);
        if self.outputs[output as usize].waiting == 0 {
            if !self.pools.is_empty() {
                self.match_soon(now, of, queue);
            }
        } else if !self.contest.is_open()
            && self.an1.params.switch.decision > Span::ZERO
            && queue.instant_is_over()
        {
            self.serve_blocked(now, of, output, queue);
        } else {
            self.contest.free(output);
        }
    }
}
