//! Switches that close to host packets and open again, and links that fail.
//!
//! A switch that closes destroys every packet of which it holds any part; one that comes to a closed switch is
//! destroyed when its first byte arrives. Hosts at a closed switch are stopped, and keep their packets.

use std::sync::Arc;

use hopscope_fabric::{Link, NO_SLOT, Slot};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_topology::{HostId, Port, Routes, SwitchId};
use hopscope_units::Time;

use crate::event::Event;
use crate::machine::An1;
use crate::packet::{Fate, NO_PACKET};
use crate::switch::directive::Directive;

impl<J: Journal> An1<J> {
    /// The slots of a switch that have a link.
    fn slots_of(&self, switch: SwitchId) -> Vec<Slot> {
        let ports = 0..self.plan.network.switch(switch).ports.len() as Port;
        let slots = ports.map(|port| self.plan.slots.port(switch.index(), port));
        slots.filter(|&slot| self.plan.slots.links[slot as usize].far != NO_SLOT).collect()
    }

    /// A switch closes, or fails.
    pub(crate) fn close_switch(&mut self, now: Time, switch: SwitchId, queue: &mut EventQueue<Event>) {
        for slot in self.slots_of(switch) {
            for packet in self.in_fifo(slot) {
                self.lose(now, packet, queue);
            }
            let Link { far, delay, .. } = self.plan.slots.links[slot as usize];
            if self.plan.slots.is_host(far) {
                let input = &mut self.inputs[slot as usize];
                (input.told, input.crossing_due) = (Directive::Stop, Time::NEVER);
                self.schedule(queue, slot, now + delay, Event::Directive(far, Directive::Stop));
            }
        }
    }

    /// A switch opens with new routes.
    pub(crate) fn open_switch(
        &mut self,
        now: Time,
        switch: SwitchId,
        routes: Arc<Routes>,
        queue: &mut EventQueue<Event>,
    ) {
        for slot in self.slots_of(switch) {
            let (_, port) = self.plan.slots.switch_port(slot);
            self.inputs[slot as usize].phase = routes.phase(switch, port);
            let Link { far, delay, .. } = self.plan.slots.links[slot as usize];
            if self.plan.slots.is_host(far) {
                let held = self.waiting_in(far);
                self.control().outages.held += held;
                self.inputs[slot as usize].told = Directive::Start;
                self.schedule(queue, slot, now + delay, Event::Directive(far, Directive::Start));
            }
        }
        self.paths.load(switch, routes);
    }

    /// The packets that wait in a host.
    fn waiting_in(&self, slot: Slot) -> u64 {
        let host = HostId::new((slot - self.plan.slots.host(HostId::new(0))) as usize);
        let head = self.inputs[slot as usize].head;
        let at_head = head != NO_PACKET && self.packets[head].fate != Fate::Destroyed;
        self.send_queues[host.index()].len() as u64 + u64::from(at_head)
    }

    /// Whether a slot faces a host that is stopped because its switch is closed.
    pub(crate) fn faces_held_host(&self, slot: Slot) -> bool {
        !self.plan.slots.is_host(slot)
            && self.plan.slots.is_host(self.plan.slots.links[slot as usize].far)
            && !self.takes_packets(slot)
    }

    /// Whether a switch's slot accepts a packet that arrives now.
    pub(crate) fn takes_packets(&self, slot: Slot) -> bool {
        let Some(control) = &self.control else { return true };
        let (switch, _) = self.plan.slots.switch_port(slot);
        control.switches[switch].open && !control.dead[slot as usize]
    }

    /// Whether the link at a slot has failed.
    pub(crate) fn is_dead(&self, slot: Slot) -> bool {
        self.control.as_ref().is_some_and(|control| control.dead[slot as usize])
    }

    /// Destroys a packet that a fault or a closed switch has cut.
    pub(crate) fn lose(&mut self, now: Time, packet: u32, queue: &mut EventQueue<Event>) {
        if self.packets[packet].fate != Fate::Destroyed {
            self.control().outages.cut += 1;
            self.destroy(now, packet, queue);
        }
    }

    /// Destroys a packet without a route to its destination.
    pub(crate) fn lose_unroutable(&mut self, now: Time, packet: u32, queue: &mut EventQueue<Event>) {
        self.control().outages.unroutable += 1;
        self.destroy(now, packet, queue);
    }

    /// The link at a slot fails, with all packets and directives on it, or recovers.
    pub(crate) fn set_dead(&mut self, now: Time, slot: Slot, dead: bool, queue: &mut EventQueue<Event>) {
        self.control().dead[slot as usize] = dead;
        self.clear_wire(now, slot);
        if dead {
            let holder = self.outputs[slot as usize].holder;
            if holder != NO_SLOT {
                let packet = self.head_packet(holder);
                self.lose(now, packet, queue);
            }
            if let Some(packet) = self.incoming(now, slot) {
                self.lose(now, packet, queue);
            }
            self.outputs[slot as usize].directive = Directive::Stop;
            self.set_idle(slot, false);
            return;
        }
        self.inputs[slot as usize].told = Directive::Start;
        self.outputs[slot as usize].directive = Directive::Start;
        if self.outputs[slot as usize].holder == NO_SLOT {
            self.serve(now, self.inputs[slot as usize].switch, slot, queue);
        }
        self.inputs[slot as usize].settle(now);
        self.expect_crossing(now, slot, queue);
    }
}
