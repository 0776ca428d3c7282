//! Hosts that drain slowly and links that retry: what gets through follows from the rates alone.

use hopscope_lossless::{FrameParams, RetryingLink, SlowHost};
use hopscope_measure::{HoldWhy, PortCount, Report};
use hopscope_topology::{Link, Network};
use hopscope_units::{Rate, Span};

use crate::universe::{at_once, at_us, credits, dumbbell, flows, listed, priorities, report_at};

/// a sends to f, one link between switches away, for a millisecond.
fn to_f(frames: FrameParams) -> Report {
    let groups = vec![at_once("one", vec![listed("a", "f", 100_000_000)])];
    report_at(&mut flows(dumbbell(), frames, groups), at_us(1_000))
}

/// The counters of the end of a link that sends to a node, or that a node sends from.
fn counts(report: &Report, network: &Network, names: [&str; 2]) -> PortCount {
    let nodes = names.map(|name| network.node(name).expect("a node"));
    let at = network.links().iter().position(|link| {
        let ends = link.ends.map(|end| end.node);
        ends == nodes || ends == [nodes[1], nodes[0]]
    });
    let at = at.expect("a link");
    let from = usize::from(network.links()[at].ends[0].node != nodes[0]);
    report.ports.as_ref().expect("ports with counters").links[at][from]
}

/// The share of a link's rate of 100 Gbit/s that it carried in the millisecond.
fn used(port: PortCount) -> f64 {
    port.ended.bits as f64 / 1e8
}

/// The share of the time that it might not send.
fn held(port: PortCount) -> f64 {
    port.ended.held_ps as f64 / 1e9
}

#[test]
fn a_slow_host_gets_what_it_drains_and_its_link_waits_for_the_rest() {
    for frames in [credits(1, 16), priorities(1)] {
        let slow = SlowHost { host: "f".to_owned(), drain: Rate::from_mbit_s(20_000) };
        let report = to_f(FrameParams { slow_hosts: vec![slow], ..frames });
        let last = counts(&report, &dumbbell(), ["y", "f"]);
        // A buffer of frames more has come than was drained.
        assert!((0.2..0.21).contains(&used(last)), "{}", used(last));
        assert!(held(last) > 0.75, "{}", held(last));
    }
}

/// a begins a frame of 80 ns at 0, 80 ns, ... At an instant it has begun one more than have passed. A host that drains
/// a fifth of what its link brings pauses that for the rest of the time.
#[test]
fn counters_are_read_at_the_instants_asked_for() {
    for frames in [credits(1, 16), priorities(1)] {
        let has_pauses = frames.flow_control == priorities(1).flow_control;
        let counters_at = [300, 100, 2_000].map(Span::from_us).to_vec();
        let report = to_f(FrameParams { counters_at, ..frames });
        let asked = &report.ports.as_ref().expect("ports with counters").asked;
        assert_eq!(asked.iter().map(|reading| reading.at_s).collect::<Vec<_>>(), [1e-4, 3e-4]);
        let network = dumbbell();
        let is_of_a = |link: &Link| network.name(link.ends[1].node) == "a";
        let host = network.links().iter().position(is_of_a).expect("the link of a");
        for (reading, us) in asked.iter().zip([100, 300]) {
            assert_eq!(reading.links[host][1].packets, us * 1_000 / 80 + 1);
            assert_eq!(reading.links[host][1].bits, 8_000 * reading.links[host][1].packets);
            assert_eq!(reading.pauses.len(), if has_pauses { network.links().len() } else { 0 });
        }
    }
    let slow = SlowHost { host: "f".to_owned(), drain: Rate::from_mbit_s(20_000) };
    let counters_at = vec![Span::from_us(500)];
    let report = to_f(FrameParams { slow_hosts: vec![slow], counters_at, ..priorities(1) });
    let network = dumbbell();
    let is_to_f = |link: &Link| network.name(link.ends[1].node) == "f";
    let last = network.links().iter().position(is_to_f).expect("f's link");
    let [switch, host] = &report.ports.as_ref().expect("ports with counters").asked[0].pauses[last];
    assert!(host[0].sent > 10 && switch[0].sent == 0, "{host:?} {switch:?}");
    // A fifth of the link is what the host takes.
    let paused = switch[0].paused_ps as f64 / 500e6;
    assert!((0.77..0.81).contains(&paused), "{paused}");
}

/// A pause frame goes between two transmissions of a frame that is sent many times: else more would come in meanwhile
/// than headroom is for, which the machine asserts.
#[test]
fn pauses_do_not_wait_until_a_retrying_link_has_got_through() {
    let retrying = RetryingLink { between: ["x".to_owned(), "y".to_owned()], failing: 0.9 };
    let slow = SlowHost { host: "f".to_owned(), drain: Rate::from_mbit_s(20_000) };
    let frames = FrameParams { retrying_links: vec![retrying], slow_hosts: vec![slow], ..priorities(1) };
    let pairs = [("a", "f"), ("b", "f"), ("f", "a"), ("e", "b"), ("d", "a")];
    let listed = pairs.iter().map(|(from, to)| listed(from, to, 2_000_000)).collect();
    let report =
        report_at(&mut flows(dumbbell(), frames, vec![at_once("both ways", listed)]), at_us(100_000));
    assert_eq!(report.measured.messages, pairs.len() as u64);
}

#[test]
fn without_slow_hosts_nobody_waits() {
    let report = to_f(credits(1, 16));
    let last = counts(&report, &dumbbell(), ["y", "f"]);
    assert!(used(last) > 0.98 && held(last) < 1e-9, "{} {}", used(last), held(last));
}

/// A share p of transmissions fails: one frame takes 1/(1 - p) of them, and each counts as one error.
#[test]
fn a_retrying_link_carries_the_share_that_does_not_fail() {
    let between = ["y".to_owned(), "x".to_owned()];
    let report =
        to_f(FrameParams { retrying_links: vec![RetryingLink { between, failing: 0.4 }], ..credits(1, 16) });
    let link = counts(&report, &dumbbell(), ["x", "y"]);
    assert!((used(link) - 0.6).abs() < 0.02, "{}", used(link));
    let share = link.ended.failures as f64 / (link.ended.failures + link.ended.packets) as f64;
    assert!((share - 0.4).abs() < 0.02, "{share}");
    assert!(held(counts(&report, &dumbbell(), ["a", "x"])) > 0.3);
    // It is busy all the time: with what it sends in vain.
    let row = report.resources.iter().find(|row| row.name.as_deref() == Some("x:0 -> y:0"));
    let row = row.expect("the link has a row");
    assert!(row.utilisation > 0.98, "{}", row.utilisation);
    let again =
        row.held_in.iter().find(|held| held.activity == HoldWhy::Retransmissions.into()).expect("retries");
    assert!((again.occupancy - 0.4).abs() < 0.02, "{}", again.occupancy);
}
