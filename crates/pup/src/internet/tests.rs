//! What comes back from hosts and gateways to one Pup: echoes, routes, error reports.

use std::sync::Arc;

use hopscope_kernel::{EventQueue, Simulation};
use hopscope_units::{Span, Time};

use crate::observe::Capture;
use crate::scenario::PupPlan;
use crate::scenario::ien138::{Configuration, Era, Runs, pup_test};
use crate::stations::Job;
use crate::wire::{ErrorCode, ErrorReport, Header, Port, Pup, kind, routes_told};

const SOCKET: u32 = 77;

/// What comes back, as its bytes, when the first host of two Ethernets with a gateway sends one Pup and nothing else
/// happens.
fn answers(kind: u8, destination: Port, transport_control: u8, data: &[u8]) -> Vec<Vec<u8>> {
    let plan = PupPlan::new(pup_test(Era::Ipr, Configuration::Gateway, 1, Runs::Good)).expect("it is right");
    let mut internet = Arc::new(plan).simulation(1, (), Capture::new(100)).model;
    let source = Port { net: 3, host: 10, socket: SOCKET };
    let header = Header { transport_control, kind, id: 4711, destination, source };
    let packet = internet.packets.insert(Time::ZERO);
    internet.packets[packet].set(&Pup { header, data });
    let mut queue = EventQueue::new();
    internet.enqueue(Time::ZERO, 0, Job::Send { packet }, &mut queue);
    let mut simulation = Simulation::new(internet, queue);
    simulation.run_until(Time::ZERO + Span::from_s(5));
    assert_eq!(simulation.model.pups_under_way(), 0, "everything has come somewhere");
    // On the networks; what a machine sends to itself is listed after them.
    let networks = simulation.model.plan.params.network.len() as u32;
    let frames = simulation.model.tap.frames().iter();
    let back = frames.filter(|frame| frame.network < networks && frame.bytes[0] == 10);
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
