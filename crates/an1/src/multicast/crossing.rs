//! Through the crossbar on several outputs at the same time.
//!
//! AN1's transmitters ignore a stop that comes once a packet for several hosts has begun. Otherwise one stopped output
//! would block the packet on all others, where packets may wait that the first output needs: a deadlock that up*/down*
//! does not prevent (Schroeder et al. 1991). So a FIFO must take the whole rest of such a packet after its stop.

use hopscope_fabric::{NO_SLOT, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::Event;
use crate::machine::An1;
use crate::multicast::Leg;
use crate::observe::stage::Stage;
use crate::packet::PacketKind;
use crate::switch::directive::Directive;
use crate::switch::output::Output;

impl<J: Journal> An1<J> {
    /// Sends the head of a FIFO on all outputs that it has captured, the last of them this one.
    pub(super) fn send_on_all(&mut self, now: Time, slot: Slot, last: Slot, queue: &mut EventQueue<Event>) {
        let packet = self.head_packet(slot);
        let waited_since = self.packets[packet].account.since();
        self.close(packet, Stage::OutputWait, last, now);
        now.since(waited_since).onto(&mut self.outputs[last as usize].wait_ps);
        self.copy(slot, packet);
        let setup = self.an1.params.switch.setup;
        for at in 0..self.legs(slot).len() {
            let Leg { output, packet } = self.legs(slot)[at];
            self.end_pause(now, output);
            self.close(packet, Stage::Setup, output, now + setup);
            let Output { to_host, delay, .. } = self.outputs[output as usize];
            if to_host {
                // Hosts never stop a link, and the first byte is in transit even if a stop arrives during the set-up.
                self.close(packet, Stage::Propagation, output, now + setup + delay);
            }
        }
        let first = self.legs(slot)[0].output;
        self.begin_flow(now, slot, first, setup, queue);
    }

    /// The outputs of the head of a FIFO that is a packet for several hosts.
    pub(crate) fn legs(&self, slot: Slot) -> &[Leg] {
        self.multicast.as_ref().map_or(&[], |state| &state.heads[slot as usize].legs)
    }

    /// The outputs besides the first.
    pub(crate) fn further_legs(&self, slot: Slot) -> &[Leg] {
        self.legs(slot).get(1..).unwrap_or_default()
    }

    /// Whether the packet that a slot sends continues although its output is stopped.
    pub(crate) fn ignores_stop(&self, slot: Slot) -> bool {
        let packet = &self.packets[self.head_packet(slot)];
        let is_multicast = matches!(packet.kind, PacketKind::Multicast | PacketKind::Copy);
        is_multicast && self.multicast.as_ref().is_some_and(|state| !state.obeys_stop)
    }

    /// Whether the granted packet at the head of a FIFO or send queue may flow, by its receivers' directives.
    pub(crate) fn may_flow(&self, slot: Slot) -> bool {
        let is_stopped = |output: Slot| self.outputs[output as usize].directive == Directive::Stop;
        let stopped = match self.legs(slot) {
            [] => is_stopped(self.inputs[slot as usize].out),
            legs => legs.iter().any(|leg| is_stopped(leg.output)),
        };
        !stopped || self.ignores_stop(slot)
    }

    /// A directive has reached an output of a packet for several hosts, whose FIFO is settled: a packet that waited for
    /// it may go, and one that obeys a stop is stopped on all outputs.
    pub(crate) fn directed_of_several(
        &mut self,
        now: Time,
        slot: Slot,
        output: Slot,
        queue: &mut EventQueue<Event>,
    ) {
        let input = &self.inputs[slot as usize];
        if input.out == NO_SLOT {
            if !self.lacks_outputs(slot) {
                self.send_when_started(now, slot, output, queue);
            }
            return;
        }
        let (flows, has_flow) = (input.tx_on, input.has_flow());
        let may_flow = self.may_flow(slot);
        if flows && !may_flow && self.inputs[slot as usize].tx_left > 0 {
            self.pause_sending(now, slot, queue);
            self.expect_crossing(now, slot, queue);
        } else if !flows && may_flow && has_flow {
            self.start_sending(now, slot, queue);
            self.expect_crossing(now, slot, queue);
        }
    }

    /// The outputs besides the first begin to send, or resume their copies, at the same instant.
    pub(crate) fn start_copies(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let from = self.inputs[slot as usize].tx_from;
        for at in 0..self.further_legs(slot).len() {
            let Leg { output, packet } = self.further_legs(slot)[at];
            let begun = self.end_pause(now, output);
            self.announce_flow(slot, (output, packet), begun, from, queue);
        }
    }

    /// The outputs besides the first fall silent at the same instant.
    pub(crate) fn pause_copies(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let silent_from = now.max(self.inputs[slot as usize].ready);
        for at in 0..self.further_legs(slot).len() {
            let output = self.further_legs(slot)[at].output;
            self.pauses[output as usize].begin(&mut self.outputs[output as usize], now);
            let Output { far, delay, to_host, .. } = self.outputs[output as usize];
            if !to_host {
                self.schedule(queue, slot, silent_from + delay, Event::FlowOff(far));
            }
        }
        for at in 0..self.legs(slot).len() {
            let output = self.legs(slot)[at].output;
            let stopped = self.outputs[output as usize].directive == Directive::Stop;
            if !stopped && !self.may_flow(slot) {
                self.pauses[output as usize].begin_for_others(&mut self.outputs[output as usize], now);
            }
        }
    }

    /// The last byte has left on all outputs: those besides the first, which is free already, become free as well.
    pub(crate) fn release_copies(&mut self, now: Time, slot: Slot, queue: &mut EventQueue<Event>) {
        let Some(state) = &mut self.multicast else { return };
        let mut legs = std::mem::take(&mut state.heads[slot as usize].legs);
        for &Leg { output, packet } in legs.iter().skip(1) {
            self.release(now, slot, output, packet, queue);
            self.leave(packet);
        }
        // The memory is reused.
        legs.clear();
        if let Some(state) = &mut self.multicast {
            state.heads[slot as usize].legs = legs;
        }
    }
}
