//! What machines do with Pups that are not for them: gateways forward them, and report why they cannot.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::observe::Tap;
use crate::stations::Job;
use crate::wire::{ErrorCode, ErrorReport, Port, Pup, kind};

impl<J: Journal, T: Tap> Internet<J, T> {
    /// A machine's processor has looked at a Pup that came to this station.
    pub(super) fn received(
        &mut self,
        now: Time,
        machine: u32,
        station: u32,
        packet: u32,
        queue: &mut EventQueue<Event>,
    ) {
        if self.is_for(machine, station, self.packets[packet].header.destination) {
            self.local(now, machine, station, packet, queue);
        } else if self.plan.machines[machine as usize].gateway {
            match self.packets[packet].header.count_hop() {
                Ok(_) => self.route(now, machine, packet, queue),
                Err(_) => self.report_error(now, machine, packet, ErrorCode::TooManyHops, queue),
            }
        } else {
            self.stray(packet);
        }
    }

    fn stray(&mut self, packet: u32) {
        self.tally.astray += 1;
        self.packets.remove(packet);
    }

    /// Whether a destination is this machine, by any of its stations, or every host of the network it came from.
    fn is_for(&self, machine: u32, station: u32, to: Port) -> bool {
        let came_by = &self.plan.stations[station as usize];
        let at_hand = |net: u8| to.net == net || to.net == 0;
        if to.host == 0 {
            return at_hand(came_by.net);
        }
        let mut stations =
            self.plan.machines[machine as usize].stations.iter().map(|&s| &self.plan.stations[s as usize]);
        stations
            .any(|own| own.host == to.host && (own.net == to.net || to.net == 0 && own.net == came_by.net))
    }

    /// Sends a Pup from a machine.
    pub(super) fn route(&mut self, now: Time, machine: u32, packet: u32, queue: &mut EventQueue<Event>) {
        let to = self.packets[packet].header.destination;
        let first = self.plan.machines[machine as usize].stations[0];
        if to.host != 0 && self.is_for(machine, first, to) {
            self.left_host_queue(now, packet, queue);
            self.show_within(now, first, packet);
            self.enqueue(now, machine, Job::Receive { packet, station: first }, queue);
            return;
        }
        let Some(route) = self.machines[machine as usize].routes.route(now, to.net) else {
            self.left_host_queue(now, packet, queue);
            self.report_error(now, machine, packet, ErrorCode::NoRoute, queue);
            return;
        };
        self.packets[packet].to = if route.gateway == 0 { to.host } else { route.gateway };
        self.output(now, route.station, packet, queue);
    }

    /// A Pup ends here; its source gets the reason, if a gateway or another host can send it.
    pub(super) fn report_error(
        &mut self,
        now: Time,
        machine: u32,
        packet: u32,
        code: ErrorCode,
        queue: &mut EventQueue<Event>,
    ) {
        self.tally.astray += 1;
        let own = &self.plan.stations[self.plan.machines[machine as usize].stations[0] as usize];
        let from = Port { net: own.net, host: own.host, socket: kind::GATEWAY_SOCKET };
        let Pup { header: lost, data } = self.packets[packet].pup();
        let lost = lost.to_bytes(data.len());
        let report = self.packets.insert(now);
        let header = ErrorReport::about(&lost, code, from, &mut self.packets[report].data);
        self.packets.remove(packet);
        if let Some(header) = header {
            self.packets[report].header = header;
            self.enqueue(now, machine, Job::Send { packet: report }, queue);
        } else {
            self.packets.remove(report);
        }
    }
}
