//! First come, first considered (FCFC: SRC 88, section 3.5): heads of FIFOs ask for an output; where none that would do
//! is idle, they join the switch's queue, and the first of them that may use an output gets it when it frees.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::Event;
use crate::machine::An1;
use crate::packet::NO_PACKET;
use crate::params::Switching;
use crate::switch::input_fifo::{InputFifo, Progress};
use crate::switch::routing_choice::pick;

/// A FIFO whose head waits for an output, and the host that the head is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockedHead {
    pub fifo: Slot,
    pub to: u32,
}

/// The blocked heads of a switch, in the order of their requests.
#[derive(Debug, Default)]
pub(crate) struct BlockedHeads(Vec<BlockedHead>);

impl BlockedHeads {
    #[inline]
    fn join(&mut self, head: BlockedHead) {
        self.0.push(head);
    }

    /// Takes out the first that may use an output.
    #[inline]
    fn take_first(&mut self, may_use: impl FnMut(&BlockedHead) -> bool) -> Option<BlockedHead> {
        let place = self.0.iter().position(may_use)?;
        Some(self.0.remove(place))
    }

    /// Takes out the head of a FIFO; false where it is not blocked.
    pub fn leave(&mut self, fifo: Slot) -> bool {
        self.take_first(|head| head.fifo == fifo).is_some()
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
    /// The packet at the head of a FIFO asks for an output: an idle one, else it joins the blocked (SRC 88, section
    /// 3.5), under virtual cut-through when it has arrived completely.
    pub(crate) fn ask(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let InputFifo { head, switch: of, phase, .. } = self.inputs[slot as usize];
        let to = self.packets[head].to;
        let ports = self.paths.eligible(&self.plan, of, phase, to);
        if ports.is_empty() {
            assert!(self.control.is_some(), "no route from slot {slot} to host {to}");
            self.lose_unroutable(now, head, queue);
            return;
        }
        let switch = &mut self.switches[of as usize];
        if let Some(port) = pick(self.plan.params.routing.choice, switch, &self.pauses, ports) {
            let output = switch.slot(port);
            self.grant(now, slot, output, queue);
        } else if self.an1.params.switch.switching == Switching::VirtualCutThrough
            && !self.inputs[slot as usize].has_come(now)
        {
            self.inputs[slot as usize].progress = Progress::AwaitsRest;
        } else {
            for &port in ports {
                self.outputs[switch.slot(port) as usize].waiting += 1;
            }
            switch.blocked.join(BlockedHead { fifo: slot, to });
        }
    }

    /// The outputs that would serve the packet at the head of a switch's FIFO, or those that wait in its place.
    pub(crate) fn wanted(&self, slot: Slot) -> Vec<Slot> {
        let InputFifo { head, switch, phase, .. } = self.inputs[slot as usize];
        if head == NO_PACKET {
            return self.wanted_by_pooled(slot);
        }
        let ports = self.paths.eligible(&self.plan, switch, phase, self.packets[head].to);
        ports.iter().map(|&port| self.switches[switch as usize].slot(port)).collect()
    }

    /// An output has become idle: the first of the blocked that may use it gets it.
    pub(crate) fn serve(&mut self, now: Time, of: u32, output: Slot, queue: &mut EventQueue<Event>) {
        let switch = &mut self.switches[of as usize];
        let port = switch.port(output);
        switch.set_idle(port, true);
        if self.outputs[output as usize].waiting == 0 {
            if !self.pools.is_empty() {
                self.match_soon(now, of, queue);
            }
            return;
        }
        let ports_of = |&BlockedHead { fifo, to }: &BlockedHead| {
            self.paths.eligible(&self.plan, of, self.inputs[fifo as usize].phase, to)
        };
        let first = switch.blocked.take_first(|head| ports_of(head).contains(&port));
        let first = first.expect("somebody waits for this output");
        for &port in ports_of(&first) {
            self.outputs[switch.slot(port) as usize].waiting -= 1;
        }
        self.grant(now, first.fifo, output, queue);
    }
}
