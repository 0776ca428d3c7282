//! What machines do with Pups: forward them, hand them to a socket, or report why they cannot.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet, Job};
use crate::observe::Tap;
use crate::scenario::FIRST_SOCKET;
use crate::wire::{
    ErrorCode, ErrorReport, Header, Port, Pup, ROUTES_A_PUP, RouteTold, count_hop, kind, read_header,
    routes_told, write_echo, write_routes,
};

impl<J: Journal, T: Tap> Internet<J, T> {
    /// A machine's processor has looked at a Pup that came to this station.
    pub(crate) fn received(
        &mut self,
        now: Time,
        machine: u32,
        station: u32,
        packet: u32,
        queue: &mut EventQueue<Event>,
    ) {
        let header = read_header(&self.packets[packet].bytes);
        if self.is_for(machine, station, header.destination) {
            self.local(now, machine, station, packet, queue);
        } else if self.plan.machines[machine as usize].gateway {
            match count_hop(&mut self.packets[packet].bytes) {
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

    /// Sends a Pup on its way from a machine.
    pub(crate) fn route(&mut self, now: Time, machine: u32, packet: u32, queue: &mut EventQueue<Event>) {
        let to = read_header(&self.packets[packet].bytes).destination;
        let first = self.plan.machines[machine as usize].stations[0];
        if to.host != 0 && self.is_for(machine, first, to) {
            self.left_host_queue(now, packet, queue);
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

    /// A Pup ends here; its source is told why, where a gateway or another host can.
    pub(crate) fn report_error(
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
        let lost = std::mem::take(&mut self.packets[packet].bytes);
        let report = self.packets.insert(now);
        let written = ErrorReport::write(&lost, code, from, &mut self.packets[report].bytes);
        self.packets[packet].bytes = lost;
        self.packets.remove(packet);
        if written {
            self.enqueue(now, machine, Job::Send { packet: report }, queue);
        } else {
            self.packets.remove(report);
        }
    }

    /// A Pup has come to a socket of this machine.
    fn local(&mut self, now: Time, machine: u32, station: u32, packet: u32, queue: &mut EventQueue<Event>) {
        let bytes = std::mem::take(&mut self.packets[packet].bytes);
        let delivered = match Pup::decode(&bytes) {
            Ok(pup) => self.hand_to_socket(now, machine, station, packet, &pup, queue),
            Err(problem) => panic!("the networks of the model corrupt nothing: {problem}"),
        };
        self.packets[packet].bytes = bytes;
        if delivered {
            self.packets.remove(packet);
        } else {
            self.report_error(now, machine, packet, ErrorCode::NoSuchSocket, queue);
        }
    }

    fn hand_to_socket(
        &mut self,
        now: Time,
        machine: u32,
        station: u32,
        packet: u32,
        pup: &Pup<'_>,
        queue: &mut EventQueue<Event>,
    ) -> bool {
        match pup.header.destination.socket {
            kind::GATEWAY_SOCKET => {
                self.gateway_information(now, machine, station, pup, queue);
                true
            }
            kind::ECHO_SOCKET => {
                let echo = self.packets.insert(now);
                let asked = write_echo(pup, &mut self.packets[echo].bytes);
                if asked {
                    self.enqueue(now, machine, Job::Send { packet: echo }, queue);
                } else {
                    self.packets.remove(echo);
                }
                asked
            }
            socket => {
                let stream = socket.wrapping_sub(FIRST_SOCKET) / 2;
                let Some(plan) = self.plan.streams.get(stream as usize) else { return false };
                let sender = socket == plan.near.socket;
                if machine != if sender { plan.from } else { plan.to } {
                    return false;
                }
                if sender {
                    self.at_sender(now, stream, packet, pup, queue);
                } else {
                    self.at_receiver(now, stream, packet, pup, queue);
                }
                true
            }
        }
    }

    /// A Pup of the gateway information protocol: routes to learn, or a request for them.
    fn gateway_information(
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
    pub(crate) fn broadcast(&mut self, now: Time, machine: u32, queue: &mut EventQueue<Event>) {
        if self.all_over() {
            return;
        }
        self.tell_everybody(now, machine, queue);
        let again = now + self.plan.params.routing.every;
        self.of_machine(queue, machine, again, Event::Broadcast(machine));
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
    pub(crate) fn send_own(&mut self, now: Time, machine: u32, pup: &Pup<'_>, queue: &mut EventQueue<Event>) {
        let packet = self.packets.insert(now);
        pup.encode(&mut self.packets[packet].bytes).expect("the data fit");
        self.enqueue(now, machine, Job::Send { packet }, queue);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hopscope_kernel::Simulation;
    use hopscope_units::Span;

    use super::*;
    use crate::observe::Capture;
    use crate::scenario::PupPlan;
    use crate::scenario::ien138::{Configuration, Era, Runs, pup_test};

    const SOCKET: u32 = 77;

    /// What comes back, as its bytes, when the first host of two Ethernets with a gateway sends one Pup and nothing else happens.
    fn answers(kind: u8, destination: Port, transport_control: u8, data: &[u8]) -> Vec<Vec<u8>> {
        let plan =
            PupPlan::new(pup_test(Era::Ipr, Configuration::Gateway, 1, Runs::Good)).expect("it is right");
        let mut internet = Arc::new(plan).simulation(1, (), Capture::new(100)).model;
        let source = Port { net: 3, host: 10, socket: SOCKET };
        let header = Header { transport_control, kind, id: 4711, destination, source };
        let packet = internet.packets.insert(Time::ZERO);
        Pup { header, data }.encode(&mut internet.packets[packet].bytes).expect("it is short");
        let mut queue = EventQueue::new();
        internet.enqueue(Time::ZERO, 0, Job::Send { packet }, &mut queue);
        let mut simulation = Simulation::new(internet, queue);
        simulation.run_until(Time::ZERO + Span::from_s(5));
        assert_eq!(simulation.model.pups_under_way(), 0, "everything has come somewhere");
        let back = simulation.model.tap.frames().iter().filter(|frame| frame.bytes[0] == 10);
        back.map(|frame| frame.bytes[4..].to_vec()).collect()
    }

    /// The one Pup that comes back.
    fn answer(kind: u8, destination: Port, transport_control: u8, data: &[u8]) -> Vec<u8> {
        let mut found = answers(kind, destination, transport_control, data);
        assert_eq!(found.len(), 1, "one Pup comes back");
        found.remove(0)
    }

    const FAR: Port = Port { net: 5, host: 11, socket: kind::ECHO_SOCKET };

    #[test]
    fn a_host_behind_a_gateway_echoes() {
        let bytes = answer(kind::ECHO_ME, FAR, 0, b"anybody there?");
        let echo = Pup::decode(&bytes).expect("it is a Pup");
        assert_eq!(
            (echo.header.kind, echo.header.id, echo.data),
            (kind::I_AM_AN_ECHO, 4711, &b"anybody there?"[..])
        );
        assert_eq!((echo.header.source, echo.header.hops()), (FAR, 1));
    }

    #[test]
    fn a_gateway_tells_its_routes_when_asked() {
        let gateway = Port { net: 3, host: 1, socket: kind::GATEWAY_SOCKET };
        let bytes = answer(kind::GATEWAY_REQUEST, gateway, 0, &[]);
        let told = routes_told(&Pup::decode(&bytes).expect("it is a Pup"));
        assert_eq!(told.map(|route| (route.net, route.hops)).collect::<Vec<_>>(), [(3, 0), (5, 0)]);
    }

    #[test]
    fn what_cannot_be_delivered_is_reported_with_its_reason() {
        let nobody = Port { socket: 12_345, ..FAR };
        // Fifteen gateways have been passed: the next one discards.
        for (to, transport_control, code) in
            [(nobody, 0, ErrorCode::NoSuchSocket), (FAR, 0xF0, ErrorCode::TooManyHops)]
        {
            let bytes = answer(kind::ECHO_ME, to, transport_control, b"lost");
            let report = ErrorReport::of(&Pup::decode(&bytes).expect("it is a Pup")).expect("it is a report");
            assert_eq!((report.code, report.about.id, report.about.destination), (code, 4711, to));
        }
    }

    #[test]
    fn a_host_that_is_not_there_answers_nothing_and_a_network_without_a_route_is_not_tried() {
        assert!(answers(kind::ECHO_ME, Port { host: 200, ..FAR }, 0, b"lost").is_empty());
        assert!(answers(kind::ECHO_ME, Port { net: 99, ..FAR }, 0, b"lost").is_empty());
    }
}
