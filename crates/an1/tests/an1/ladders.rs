//! Small universes told stage by stage, to be read.

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan, BackPressure, Fifo, Switching, Timing};
use hopscope_fabric::Arbiter;
use hopscope_measure::{JourneyLog, Report, ResourceKind, Subject};
use hopscope_topology::{Network, NetworkBuilder, Role};
use hopscope_traffic::{Bursts, Flow, Load, Pattern, Sizes, TrafficSpec};
use hopscope_units::{Data, Span};

use crate::networks::flow;

/// Two switches: a and b on the first, c and d on the second.
fn two_switches() -> Network {
    let mut builder = NetworkBuilder::new();
    let (x, y) = (builder.add_switch("x"), builder.add_switch("y"));
    builder.add_link(x, y, None, None);
    for (name, switch) in [("a", x), ("b", x), ("c", y), ("d", y)] {
        builder.add_host(name, switch, Role::Any);
    }
    builder.build().expect("two switches are a network")
}

/// One message of this many bytes at time zero, acknowledged by 100 bytes.
fn one(from: &str, to: &str, bytes: u64) -> Flow {
    let size = Data::from_bytes(bytes);
    let (every, within) = (Some(Span::from_s(1)), Span::ZERO);
    Flow { bursts: Some(Bursts { size, packet: size, every, within, ..Bursts::default() }), ..flow(from, to) }
}

fn journeys(params: &An1Params, flows: Vec<Flow>) -> Report {
    let traffic = TrafficSpec {
        pattern: Pattern::Flows(flows),
        load: Load::Fraction(0.5),
        sizes: Sizes::default(),
        arrivals: Default::default(),
        bursts: None,
        observed: Default::default(),
    };
    let plan = An1Plan::new(two_switches(), params.clone(), traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, JourneyLog::new(10));
    simulation.run_until(hopscope_units::Time::ZERO + Span::from_ms(100));
    let now = simulation.now();
    simulation.model.report(now)
}

/// AN1's switches, where of two inputs that ask at the same instant the one with the lower port is served first.
fn lowest_first() -> An1Params {
    let mut params = An1Params::default();
    params.switch.arbiter = Arbiter::Lowest;
    params
}

/// The life of each message: from, to and length of every stage that took time.
fn ladder(report: &Report) -> String {
    let us = |ps: u64| ps as f64 * 1e-6;
    let rows = report.journeys.iter().filter(|row| row.to_ps > row.from_ps).map(|row| {
        let (from, to) = (us(row.from_ps), us(row.to_ps));
        format!("{} {from:7.2} .. {to:7.2}  {:<11} {}\n", row.message, row.stage, row.place)
    });
    rows.collect()
}

#[test]
fn a_packet_is_strung_out_over_all_links() {
    let report = journeys(&An1Params::default(), vec![one("a", "c", 1000)]);
    insta::assert_snapshot!(ladder(&report), @"
    0    0.00 ..    0.20  propagation a -> x:1
    0    0.20 ..    0.68  decision    a -> x:1
    0    0.68 ..    2.20  set-up      x:0 -> y:0
    0    2.20 ..    2.40  propagation x:0 -> y:0
    0    2.40 ..    2.88  decision    x:0 -> y:0
    0    2.88 ..    4.40  set-up      y:1 -> c
    0    4.40 ..    4.60  propagation y:1 -> c
    0    4.60 ..   84.60  body        y:1 -> c
    1   84.60 ..   84.80  propagation c -> y:1
    1   84.80 ..   85.28  decision    c -> y:1
    1   85.28 ..   86.80  set-up      y:0 -> x:0
    1   86.80 ..   87.00  propagation y:0 -> x:0
    1   87.00 ..   87.48  decision    y:0 -> x:0
    1   87.48 ..   89.00  set-up      x:1 -> a
    1   89.00 ..   89.20  propagation x:1 -> a
    1   89.20 ..   97.20  body        x:1 -> a
    ");
}

#[test]
fn store_and_forward_receives_the_packet_at_every_switch() {
    let mut params = An1Params::default();
    (params.switch.switching, params.switch.fifo) = (Switching::StoreAndForward, Fifo::Unbounded);
    let report = journeys(&params, vec![one("a", "c", 1000)]);
    insta::assert_snapshot!(ladder(&report), @"
    0    0.00 ..    0.20  propagation a -> x:1
    0    0.20 ..   80.20  reception   a -> x:1
    0   80.20 ..   80.68  decision    a -> x:1
    0   80.68 ..   82.20  set-up      x:0 -> y:0
    0   82.20 ..   82.40  propagation x:0 -> y:0
    0   82.40 ..  162.40  reception   x:0 -> y:0
    0  162.40 ..  162.88  decision    x:0 -> y:0
    0  162.88 ..  164.40  set-up      y:1 -> c
    0  164.40 ..  164.60  propagation y:1 -> c
    0  164.60 ..  244.60  body        y:1 -> c
    1  244.60 ..  244.80  propagation c -> y:1
    1  244.80 ..  252.80  reception   c -> y:1
    1  252.80 ..  253.28  decision    c -> y:1
    1  253.28 ..  254.80  set-up      y:0 -> x:0
    1  254.80 ..  255.00  propagation y:0 -> x:0
    1  255.00 ..  263.00  reception   y:0 -> x:0
    1  263.00 ..  263.48  decision    y:0 -> x:0
    1  263.48 ..  265.00  set-up      x:1 -> a
    1  265.00 ..  265.20  propagation x:1 -> a
    1  265.20 ..  273.20  body        x:1 -> a
    ");
}

#[test]
fn a_blocked_packet_fills_its_fifo_and_stops_its_sender() {
    // Both want the link to y; the second waits 400 us in a FIFO that stops above 2048 bytes, that is after 164 us.
    let report = journeys(&lowest_first(), vec![one("a", "c", 5000), one("b", "d", 5000)]);
    insta::assert_snapshot!(ladder(&report), @"
    0    0.00 ..    0.20  propagation a -> x:1
    0    0.20 ..    0.68  decision    a -> x:1
    0    0.68 ..    2.20  set-up      x:0 -> y:0
    0    2.20 ..    2.40  propagation x:0 -> y:0
    0    2.40 ..    2.88  decision    x:0 -> y:0
    0    2.88 ..    4.40  set-up      y:1 -> c
    0    4.40 ..    4.60  propagation y:1 -> c
    0    4.60 ..  404.60  body        y:1 -> c
    1    0.00 ..    0.20  propagation b -> x:2
    1    0.20 ..    0.68  decision    b -> x:2
    1    0.68 ..  402.20  output wait x:0 -> y:0
    1  402.20 ..  403.72  set-up      x:0 -> y:0
    1  403.72 ..  403.92  propagation x:0 -> y:0
    1  403.92 ..  404.40  FIFO wait   x:0 -> y:0
    1  404.40 ..  404.88  decision    x:0 -> y:0
    1  404.88 ..  406.40  set-up      y:2 -> d
    1  406.40 ..  406.60  propagation y:2 -> d
    1  406.60 ..  806.60  body        y:2 -> d
    2  404.60 ..  404.80  propagation c -> y:1
    2  404.80 ..  405.28  decision    c -> y:1
    2  405.28 ..  406.80  set-up      y:0 -> x:0
    2  406.80 ..  407.00  propagation y:0 -> x:0
    2  407.00 ..  407.48  decision    y:0 -> x:0
    2  407.48 ..  409.00  set-up      x:1 -> a
    2  409.00 ..  409.20  propagation x:1 -> a
    2  409.20 ..  417.20  body        x:1 -> a
    3  806.60 ..  806.80  propagation d -> y:2
    3  806.80 ..  807.28  decision    d -> y:2
    3  807.28 ..  808.80  set-up      y:0 -> x:0
    3  808.80 ..  809.00  propagation y:0 -> x:0
    3  809.00 ..  809.48  decision    y:0 -> x:0
    3  809.48 ..  811.00  set-up      x:2 -> b
    3  811.00 ..  811.20  propagation x:2 -> b
    3  811.20 ..  819.20  body        x:2 -> b
    ");
    let stopped = report
        .resources
        .iter()
        .find(|row| row.kind == ResourceKind::Output && row.title().starts_with("b ->"));
    let held = stopped.expect("the link of b").held_in.iter();
    let held: Vec<_> = held.map(|part| format!("{} {}", part.activity, part.occupancy)).collect();
    assert_eq!(held, ["sending 0.48828125", "stopped 0.2930664074707031", "run dry 0", "set-up 0"]);
}

/// The most that the FIFO behind a link has held, in bytes.
fn peak(report: &Report, link: &str) -> f64 {
    let row = report
        .resources
        .iter()
        .find(|row| row.kind == ResourceKind::InputFifo && row.title().starts_with(link));
    row.expect("a link into a switch").peak
}

#[test]
fn a_directive_waits_for_its_slot() {
    // The second packet, behind the first, has sent 2048 bytes by 164.04 us. Told at once, b sends 0.4 us = 5 bytes
    // more; told in every 256th slot of 80 ns, that is at 184.32 us, it has sent 2306.5 bytes when it stops.
    let flows = || vec![one("a", "c", 5000), one("b", "d", 5000)];
    let mut params = lowest_first();
    assert!((peak(&journeys(&params, flows()), "b ->") - 2053.0).abs() < 0.01);
    params.switch.directive = Timing::EverySlots(256);
    assert!((peak(&journeys(&params, flows()), "b ->") - 2306.5).abs() < 0.01);
    params.switch.directive = Timing::Every(Span::from_ns(20_480));
    assert!((peak(&journeys(&params, flows()), "b ->") - 2306.5).abs() < 0.01);
}

#[test]
fn on_packet_boundaries_only_a_packet_too_long_for_the_fifo_is_cut() {
    let mut params = lowest_first();
    params.switch.back_pressure = BackPressure::PacketBoundary;
    for (bytes, held) in [(2500, 2500.0), (5000, 3077.0)] {
        let report = journeys(&params, vec![one("a", "c", 5000), one("b", "d", bytes)]);
        assert!((peak(&report, "b ->") - held).abs() < 0.01, "{bytes}: {}", peak(&report, "b ->"));
    }
}
