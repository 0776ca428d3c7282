//! The gateway information protocol in the internet: gateways send their routes, periodically and on request, and all
//! hosts learn.

use hopscope_kernel::{EventQueue, UniformSpan};
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use super::{Event, Internet};
use crate::observe::Tap;
use crate::scenario::RoutingParams;
use crate::stations::Job;
use crate::wire::{Header, Port, Pup, ROUTES_A_PUP, RouteTold, kind, routes_told, write_routes};

impl<J: Journal, T: Tap> Internet<J, T> {
    /// The gateways' broadcasts are spread evenly over the interval.
    pub(super) fn first_broadcasts(&mut self, queue: &mut EventQueue<Event>) {
        let gateways: Vec<u32> =
            (0..self.machines.len() as u32).filter(|&m| self.plan.machines[m as usize].gateway).collect();
        let every = self.plan.params.routing.every;
        for (n, &gateway) in gateways.iter().enumerate() {
            let at = Time::ZERO + every * (n as u64 + 1) / (gateways.len() as u64 + 1);
            self.of_machine(queue, gateway, at, Event::Broadcast(gateway));
        }
    }

    /// A Pup of the gateway information protocol: routes to learn, or a request for them.
    pub(super) fn gateway_information(
        &mut self,
        now: Time,
        machine: u32,
        station: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) {
        let gateway = self.plan.machines[machine as usize].gateway;
        if pup.header.kind == kind::GATEWAY_REQUEST && gateway {
            self.tell_routes(now, machine, station, pup.header.source, queue);
            return;
        }
        let mut changed = false;
        let routes = &mut self.machines[machine as usize].routes;
        for told in routes_told(pup) {
            changed |= routes.told(now, station, pup.header.source.host, told);
        }
        if changed && gateway {
            self.tell_everybody(now, machine, queue);
        }
    }

    /// A gateway's broadcast is due.
    pub(super) fn broadcast(&mut self, now: Time, machine: u32, queue: &mut EventQueue<Event>) {
        if self.all_over() {
            return;
        }
        self.tell_everybody(now, machine, queue);
        let again = now + self.next_broadcast_in(machine);
        self.of_machine(queue, machine, again, Event::Broadcast(machine));
    }

    /// The broadcast period, give or take the jitter.
    fn next_broadcast_in(&mut self, machine: u32) -> Span {
        let RoutingParams { every, jitter } = self.plan.params.routing;
        let random = &mut self.machines[machine as usize].random;
        if jitter == Span::ZERO {
            every
        } else {
            UniformSpan::new(every - jitter, every + jitter).sample(random)
        }
    }

    fn tell_everybody(&mut self, now: Time, machine: u32, queue: &mut EventQueue<Event>) {
        let plan = std::sync::Arc::clone(&self.plan);
        for &station in &plan.machines[machine as usize].stations {
            let net = plan.stations[station as usize].net;
            let everybody = Port { net, host: 0, socket: kind::GATEWAY_SOCKET };
            self.tell_routes(now, machine, station, everybody, queue);
        }
    }

    /// Sends all routes of a gateway to a port, in as many Pups as they take.
    fn tell_routes(
        &mut self,
        now: Time,
        machine: u32,
        station: u32,
        to: Port,
        queue: &mut EventQueue<Event>,
    ) {
        let own = &self.plan.stations[station as usize];
        let source = Port { net: own.net, host: own.host, socket: kind::GATEWAY_SOCKET };
        let told: Vec<RouteTold> =
            self.machines[machine as usize].routes.tell(now, own.net, own.host).collect();
        for routes in told.chunks(ROUTES_A_PUP) {
            let mut data = std::mem::take(&mut self.data);
            data.clear();
            write_routes(routes, &mut data);
            let header = Header {
                transport_control: 0,
                kind: kind::GATEWAY_INFORMATION,
                id: 0,
                destination: to,
                source,
            };
            self.send_own(now, machine, &Pup { header, data: &data }, queue);
            self.data = data;
        }
    }

    /// Gives a machine a Pup of its own to send.
    fn send_own(&mut self, now: Time, machine: u32, pup: &Pup<'_>, queue: &mut EventQueue<Event>) {
        let packet = self.packets.insert(now);
        self.packets[packet].set(pup);
        self.enqueue(now, machine, Job::Send { packet }, queue);
    }
}
