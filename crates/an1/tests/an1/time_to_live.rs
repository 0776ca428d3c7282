//! Packets with a time to live, and forwarding tables with loops.

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan, Discipline, Fifo, Scheduler, SwitchParams, Switching, VirtualQueues};
use hopscope_measure::{LossWhy, Problem, Report, ResourceKind, Subject};
use hopscope_topology::{DestinationTables, Network, NetworkBuilder, Node, Role, SwitchId};

use crate::networks::{flow, tandem};
use crate::runs::flows;

/// Where the receiver hangs.
#[derive(Clone, Copy)]
enum Receiver {
    /// At a switch to which no table of the ring leads.
    Beside,
    /// At the ring's second switch, which sends packets for it on.
    InRing,
}

/// A ring of three switches whose tables lead packets for d round and round; s hangs at the first.
fn ring(receiver: Receiver) -> (Network, DestinationTables) {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<_> = (0..3).map(|i| builder.add_switch(format!("r{i}"))).collect();
    for i in 0..3 {
        builder.add_link_at([(switches[i], Some(1)), (switches[(i + 1) % 3], Some(0))], None, None);
    }
    let at = match receiver {
        Receiver::InRing => switches[1],
        Receiver::Beside => {
            let beside = builder.add_switch("beside");
            builder.add_link(switches[0], beside, None, None);
            beside
        }
    };
    let s = builder.add_host("s", switches[0], Role::Any);
    let d = builder.add_host("d", at, Role::Any);
    let network = builder.build().expect("a ring with two hosts is a network");
    let mut tables = DestinationTables::new(&network);
    for &switch in &switches {
        tables.set(switch, d, 1);
        tables.set(switch, s, 0);
    }
    tables.set(switches[0], s, network.host(s).port);
    if let Receiver::Beside = receiver {
        tables.set(at, d, network.host(d).port);
        tables.set(at, s, 0);
    }
    (network, tables)
}

fn looping(receiver: Receiver, switch: SwitchParams) -> Result<An1Plan, Problem> {
    let params = An1Params { switch, ..An1Params::default() };
    let (network, tables) = ring(receiver);
    let traffic = flows(vec![flow("s", "d"), flow("d", "s")], 0.2);
    An1Plan::new(network, params, traffic).expect("a valid scenario").following(tables)
}

/// Runs for `events` events and checks whether it locks up.
fn report(plan: An1Plan, events: u64) -> Report {
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_events(events);
    let now = simulation.now();
    assert_eq!(simulation.model.stuck(now), None);
    assert!(!simulation.model.monitor().saturated(now));
    simulation.model.report(now)
}

fn expired(report: &Report) -> u64 {
    report.metric("expired.count").and_then(|metric| metric.estimate).expect("a count").value as u64
}

/// Switches with room for looping packets, which may pass `ttl` switches.
fn roomy(ttl: u8) -> SwitchParams {
    SwitchParams { fifo: Fifo::Unbounded, ttl: Some(ttl), ..SwitchParams::default() }
}

/// A switch of each kind in which packets are dropped.
fn switches() -> [SwitchParams; 5] {
    let whole = SwitchParams { switching: Switching::StoreAndForward, ..roomy(9) };
    let queues = VirtualQueues { scheduler: Scheduler::Islip, iterations: 2 };
    [
        SwitchParams { switching: Switching::CutThrough, ..whole.clone() },
        whole.clone(),
        SwitchParams { discipline: Discipline::RandomAccess, ..whole.clone() },
        SwitchParams { discipline: Discipline::Voq(queues), ..whole.clone() },
        SwitchParams { discipline: Discipline::Output, ..whole },
    ]
}

#[test]
fn what_expires_in_a_loop_is_a_loss_with_its_place_and_no_saturation() {
    for switch in switches() {
        // Nine switches are three rounds: the tenth, where every packet is dropped, is the first of the ring.
        let report = report(looping(Receiver::Beside, switch.clone()).expect("a loop with an end"), 200_000);
        let losses = &report.evidence.losses;
        let places: Vec<&str> = losses.iter().map(|loss| loss.place.words.as_str()).collect();
        assert_eq!(places, ["r0"], "{switch:?}");
        assert_eq!(losses[0].why, LossWhy::Looping);
        assert_eq!(losses[0].count, expired(&report), "{switch:?}");
        assert!(losses[0].count > 500, "{switch:?}: {losses:?}");
        // What is not in the loop is delivered as ever.
        assert!(report.measured.messages > 500, "{switch:?}");
    }
}

#[test]
fn a_long_packet_is_dropped_while_it_is_still_being_sent() {
    // Cut through, a packet of 1000 bytes is 80 us long and a switch takes 2.2 us: it stands in every switch of the row
    // and in its host when the fourth switch drops its first byte.
    let params = An1Params {
        switch: SwitchParams { ttl: Some(3), ..SwitchParams::default() },
        ..An1Params::default()
    };
    let traffic = flows(vec![flow("s1", "d")], 0.5);
    let plan = An1Plan::new(tandem(), params, traffic).expect("a valid scenario");
    let report = report(plan, 20_000);
    assert_eq!(report.measured.messages, 0);
    let losses: Vec<(&str, u64)> =
        report.evidence.losses.iter().map(|loss| (loss.place.words.as_str(), loss.count)).collect();
    assert_eq!(losses, [("4", expired(&report))]);
    assert_eq!(report.evidence.losses[0].why, LossWhy::Expired, "the row has no loop");
    // Half the time a packet is on the link: it is sent to its end.
    let link = report.resources.iter().find(|row| row.name.as_deref() == Some("3:1 -> 4:0")).expect("a link");
    assert!((link.utilisation - 0.5).abs() < 0.05, "{link:?}");
    // Of 4 there is nothing to see: the packets did not enter it.
    let fifo = report.resources.iter().find(|row| row.kind == ResourceKind::InputFifo && row.place == "4:0");
    assert_eq!(fifo.map(|row| row.peak), Some(0.0));
}

#[test]
fn a_loop_locks_up_where_fifos_stop_their_senders() {
    // Each packet takes three times its share of the ring: .2 of what a link carries becomes .6, and when all three
    // FIFOs of the ring happen to be above their thresholds at once, none can ever empty.
    let switch = SwitchParams { ttl: Some(9), ..SwitchParams::default() };
    let plan = looping(Receiver::Beside, switch).expect("a loop with an end");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_events(200_000);
    let now = simulation.now();
    let stuck = simulation.model.stuck(now).expect("a deadlock");
    assert!(stuck.cycle.iter().any(|line| line.contains("r1:1 -> r2:0")), "{stuck:?}");
    // The report asserts that no packet is lost or made up.
    assert!(expired(&simulation.model.report(now)) > 0);
}

#[test]
fn a_switch_that_sends_on_what_is_for_its_own_host_makes_a_loop() {
    let refused = looping(Receiver::InRing, SwitchParams::default()).expect_err("a refusal");
    assert_eq!(
        refused.problem,
        "packets from s to d do not arrive, because they follow a forwarding loop: r0 - r1 - r2 - r0"
    );
    let report = report(looping(Receiver::InRing, roomy(7)).expect("a loop with an end"), 200_000);
    // Seven switches from r0 on are two rounds and r0: the eighth is the receiver's own.
    let losses: Vec<(&str, u64)> =
        report.evidence.losses.iter().map(|loss| (loss.place.words.as_str(), loss.count)).collect();
    assert_eq!(losses, [("r1", expired(&report))]);
    assert!(expired(&report) > 500);
}

#[test]
fn packets_go_back_and_forth_on_one_cable() {
    let mut builder = NetworkBuilder::new();
    let [left, right] = ["left", "right"].map(|name| builder.add_switch(name));
    builder.add_link_at([(left, Some(0)), (right, Some(0))], None, None);
    let (s, d) = (builder.add_host("s", left, Role::Any), builder.add_host("d", right, Role::Any));
    let network = builder.build().expect("two switches with a host each are a network");
    let mut tables = DestinationTables::new(&network);
    for switch in [left, right] {
        tables.set(switch, d, 0);
        tables.set(switch, s, 0);
    }
    tables.set(left, s, network.host(s).port);
    let params = An1Params { switch: roomy(6), ..An1Params::default() };
    let plan = An1Plan::new(network, params, flows(vec![flow("s", "d"), flow("d", "s")], 0.1));
    let plan = plan.expect("a valid scenario").following(tables).expect("a loop with an end");
    let report = report(plan, 100_000);
    let losses: Vec<(&str, u64)> =
        report.evidence.losses.iter().map(|loss| (loss.place.words.as_str(), loss.count)).collect();
    assert_eq!(losses, [("left", expired(&report))]);
    assert!(expired(&report) > 500 && report.measured.messages > 500, "{losses:?}");
}

#[test]
fn tables_that_lose_packets_are_refused_with_a_time_to_live_too() {
    let (network, mut tables) = ring(Receiver::InRing);
    let Some(Node::Host(d)) = network.node("d") else { panic!("d is a host") };
    // r2 sends packets for d nowhere: its port 7 does not exist.
    tables.set(SwitchId::new(2), d, 7);
    let switch = SwitchParams { ttl: Some(9), ..SwitchParams::default() };
    let params = An1Params { switch, ..An1Params::default() };
    let plan = An1Plan::new(network, params, flows(vec![flow("s", "d")], 0.2)).expect("a valid scenario");
    let refused = plan.following(tables).expect_err("a refusal");
    assert_eq!(refused.problem, "packets from s to d do not arrive: r0 - r1 - r2");
}
