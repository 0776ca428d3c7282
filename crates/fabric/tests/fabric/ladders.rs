//! Small universes told stage by stage, to be read.

use std::sync::Arc;

use hopscope_fabric::{FabricParams, FabricPlan, Fifo, Switching};
use hopscope_measure::{JourneyLog, Report, Subject};
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

fn journeys(params: &FabricParams, flows: Vec<Flow>) -> Report {
    let traffic = TrafficSpec {
        pattern: Pattern::Flows(flows),
        load: Load::Fraction(0.5),
        sizes: Sizes::default(),
        bursts: None,
        observed: Default::default(),
    };
    let plan = FabricPlan::new(two_switches(), params.clone(), traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, JourneyLog::new(10));
    simulation.run_until(hopscope_units::Time::ZERO + Span::from_ms(100));
    let now = simulation.now();
    simulation.model.report(now)
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
    let report = journeys(&FabricParams::default(), vec![one("a", "c", 1000)]);
    insta::assert_snapshot!(ladder(&report), @"");
}

#[test]
fn store_and_forward_receives_the_packet_at_every_switch() {
    let mut params = FabricParams::default();
    (params.switch.switching, params.switch.fifo) = (Switching::StoreAndForward, Fifo::Unbounded);
    let report = journeys(&params, vec![one("a", "c", 1000)]);
    insta::assert_snapshot!(ladder(&report), @"");
}

#[test]
fn a_blocked_packet_fills_its_fifo_and_stops_its_sender() {
    // Both want the link to y; the second waits 400 us in a FIFO that stops above 2048 bytes, that is after 164 us.
    let report = journeys(&FabricParams::default(), vec![one("a", "c", 5000), one("b", "d", 5000)]);
    insta::assert_snapshot!(ladder(&report), @"");
    let stopped = report.resources.iter().find(|row| row.kind == "output" && row.name.starts_with("b ->"));
    insta::assert_debug_snapshot!(stopped.expect("the link of b").held_in, @"");
}
