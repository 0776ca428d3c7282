//! Deadlock: found, explained, and where theory says.

use std::sync::Arc;

use hopscope_fabric::Rule;
use hopscope_lossless::{BufferParams, FlowControl, FrameParams, LosslessPlan, PfcParams};
use hopscope_measure::{Stuck, Subject};
use hopscope_topology::{DestinationTables, Grid, Network, NetworkBuilder, NetworkSpec, Role};
use hopscope_traffic::{Load, OfferSpec, Pattern, TrafficSpec};
use hopscope_units::{Data, Rate};

use crate::networks::flow;
use crate::universe::{credits, fabric, frames, messages};

/// A crowded torus under shortest or up*/down* routes.
fn crowded(frames: FrameParams, rule: Rule) -> Option<Stuck> {
    let torus = NetworkSpec::Torus(Grid { width: 5, height: 3, hosts_per_switch: 2, ..Grid::default() });
    let mut params = fabric(frames);
    params.fabric.routing.rule = rule;
    let offer = OfferSpec::Traffic(messages(8000, Load::Saturated));
    let plan = LosslessPlan::new(torus.build().expect("a torus"), params, offer);
    first_deadlock(plan.expect("a valid scenario"), 100)
}

fn first_deadlock(plan: LosslessPlan, looks: u32) -> Option<Stuck> {
    let mut simulation = Arc::new(plan).simulation(1, ());
    (0..looks).find_map(|_| {
        simulation.run_events(10_000);
        let now = simulation.now();
        simulation.model.stuck(now)
    })
}

#[test]
fn shortest_routes_lock_up_with_pause_frames_and_with_credits_and_the_circle_is_named() {
    for (frames, why) in [(frames(), "which is paused"), (credits(1, 8), "which has no credit")] {
        let stuck = crowded(frames, Rule::Shortest).expect("a deadlock");
        assert!(stuck.cycle.len() >= 2, "{stuck:?}");
        assert!(
            stuck.cycle.iter().all(|line| line.contains(" waits for ") && line.ends_with(why)),
            "{stuck:?}"
        );
    }
}

#[test]
fn up_down_routes_carry_on_and_so_do_lanes_in_dimension_order() {
    assert_eq!(crowded(frames(), Rule::UpDown), None);
    assert_eq!(crowded(credits(1, 8), Rule::UpDown), None);
    assert_eq!(crowded(credits(2, 8), Rule::DimensionOrder), None);
}

/// A ring of n switches, whose tables have a forwarding loop for d; s sends at this rate into the first of them.
fn ring(n: usize, rate: Rate) -> (Network, DestinationTables) {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<_> = (0..n).map(|i| builder.add_switch(format!("r{i}"))).collect();
    let beside = builder.add_switch("beside");
    for i in 0..n {
        builder.add_link_at([(switches[i], Some(1)), (switches[(i + 1) % n], Some(0))], None, None);
    }
    builder.add_link(switches[0], beside, None, None);
    let s = builder.add_loose_host("s", Role::Any);
    builder.attach(s, switches[0], None, Some(rate), None);
    let d = builder.add_host("d", beside, Role::Any);
    let network = builder.build().expect("a ring with two hosts is a network");
    let mut tables = DestinationTables::new(&network);
    for &switch in &switches {
        tables.set(switch, d, 1);
        tables.set(switch, s, 0);
    }
    let host = network.host(s);
    tables.set(host.switch, s, host.port);
    tables.set(beside, d, network.host(d).port);
    tables.set(beside, s, 0);
    (network, tables)
}

/// Whether a loop of n switches locks up when frames of this time to live come in at a share of the links' rate.
fn locks_up(n: usize, ttl: u8, share: f64, xoff_frames: u64) -> bool {
    let rate = Rate::from_mbit_s((100_000.0 * share) as u64);
    let (network, tables) = ring(n, rate);
    let xoff = Data::from_bytes(1000 * xoff_frames);
    let pfc =
        PfcParams { xoff, xon: Some(Data::from_bytes(1000 * (xoff_frames - 1))), ..PfcParams::default() };
    let buffer = BufferParams { size: Data::from_bytes(1 << 28), alpha: None };
    let frames = FrameParams { ttl: Some(ttl), flow_control: FlowControl::Pfc(pfc), buffer, ..frames() };
    let traffic =
        TrafficSpec { pattern: Pattern::Flows(vec![flow("s", "d")]), ..messages(1000, Load::Saturated) };
    let plan =
        LosslessPlan::new(network, fabric(frames), OfferSpec::Traffic(traffic)).expect("a valid scenario");
    first_deadlock(plan.following(tables).expect("tables with a loop"), 100).is_some()
}

/// The least share of the links' rate, in hundredths, at which the loop locks up.
fn threshold(n: usize, ttl: u8, xoff_frames: u64) -> u32 {
    let (mut free, mut stuck) = (0, 100);
    while stuck - free > 1 {
        let middle = (free + stuck) / 2;
        if locks_up(n, ttl, f64::from(middle) / 100.0, xoff_frames) { stuck = middle } else { free = middle }
    }
    stuck
}

#[test]
fn a_routing_loop_locks_up_above_the_rate_of_hu_et_al() {
    // r > n B / TTL (Hu et al., HotNets 2016), with buffers so large that flows are as good as fluid. The time to live
    // is a whole number of rounds: otherwise the first links of the last round carry more than the others, and the loop
    // locks up a little earlier.
    for (n, ttl) in [(2, 16), (3, 15), (4, 32)] {
        let fluid = n as f64 / f64::from(ttl);
        assert!(!locks_up(n, ttl, 0.95 * fluid, 50), "{n} switches below the threshold");
        assert!(locks_up(n, ttl, 1.05 * fluid, 50), "{n} switches above the threshold");
    }
}

#[test]
fn small_buffers_lock_up_earlier() {
    // The fluid threshold is 20 hundredths; 21 is the least hundredth above it.
    let thresholds = [1, 2, 50].map(|frames| threshold(3, 15, frames));
    insta::assert_debug_snapshot!(thresholds, @"
    [
        16,
        21,
        21,
    ]
    ");
    assert!(thresholds.is_sorted(), "{thresholds:?}");
}

#[test]
fn tables_in_a_circle_are_refused_without_a_time_to_live() {
    let (network, tables) = ring(3, Rate::from_mbit_s(1_000));
    let offer = OfferSpec::Traffic(messages(1000, Load::Saturated));
    let plan = LosslessPlan::new(network, fabric(frames()), offer).expect("a valid scenario");
    let refused = plan.following(tables).expect_err("a refusal");
    assert!(refused.problem.contains("do not arrive"), "{refused:?}");
}

#[test]
fn what_expires_in_a_loop_is_a_loss_with_its_places_and_no_saturation() {
    let (network, tables) = ring(3, Rate::from_mbit_s(5_000));
    let frames = FrameParams { ttl: Some(9), ..frames() };
    let traffic =
        TrafficSpec { pattern: Pattern::Flows(vec![flow("s", "d")]), ..messages(1000, Load::Fraction(0.5)) };
    let plan =
        LosslessPlan::new(network, fabric(frames), OfferSpec::Traffic(traffic)).expect("a valid scenario");
    let plan = plan.following(tables).expect("tables with a loop");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_events(200_000);
    let now = simulation.now();
    assert!(!simulation.model.monitor().saturated(now));
    let report = simulation.model.report(now);
    // Nine switches are three rounds: the tenth, where every frame is dropped, is the first of the ring.
    let losses = &report.evidence.losses;
    assert_eq!(losses.iter().map(|loss| loss.place.words.as_str()).collect::<Vec<_>>(), ["r0"]);
    let expired = report.metric("expired.count").and_then(|metric| metric.estimate).expect("a count");
    assert_eq!(losses[0].count as f64, expired.value);
    assert!(losses[0].count > 1_000, "{losses:?}");
}
