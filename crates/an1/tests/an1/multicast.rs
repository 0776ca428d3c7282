//! Packets for several hosts: up the tree to the root, down to all of them, on all outputs at the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan, Fifo, MulticastStop, Switching, Timing};
use hopscope_measure::{HoldWhy, JourneyLog, Report, ResourceKind, Stuck, Subject};
use hopscope_topology::{Network, NetworkBuilder, NetworkSpec, Random, Role};
use hopscope_traffic::{Flow, Load, Pattern, Receivers, Sizes, TrafficSpec};
use hopscope_units::{Data, Span, Time};
use proptest::prelude::*;

use crate::networks::{flow, mean};
use crate::runs::flows;

/// Switches by their names and links, the first of them the root; hosts by name and switch.
fn network(switches: &[&str], links: &[(usize, usize)], hosts: &[(&str, usize)]) -> Network {
    let mut builder = NetworkBuilder::new();
    let ids: Vec<_> = switches.iter().map(|name| builder.add_switch(*name)).collect();
    for &(one, other) in links {
        builder.add_link(ids[one], ids[other], None, None);
    }
    for &(name, switch) in hosts {
        builder.add_host(name, ids[switch], Role::Any);
    }
    builder.build().expect("a network")
}

/// Two switches, the root x with a and b, and y with c and d.
fn two_switches() -> Network {
    network(&["x", "y"], &[(0, 1)], &[("a", 0), ("b", 0), ("c", 1), ("d", 1)])
}

/// The root r with a below it y and z, a host on each.
fn three_switches() -> Network {
    network(&["r", "y", "z"], &[(0, 1), (0, 2)], &[("a", 0), ("b", 1), ("c", 2)])
}

/// A flow to a group.
fn multicast(from: &str, to: &[&str]) -> Flow {
    Flow { to: Receivers::Group(to.iter().map(|&name| name.to_owned()).collect()), ..flow(from, "") }
}

fn saturated(pattern: Vec<Flow>, bytes: u64) -> TrafficSpec {
    let sizes = Sizes::Fixed(Data::from_bytes(bytes));
    TrafficSpec { load: Load::Saturated, sizes, ..flows(pattern, 1.0) }
}

/// The first `deliveries` deliveries, stage by stage: from, to and length of every stage that took time.
fn ladder(network: Network, traffic: TrafficSpec, deliveries: u64) -> String {
    let plan = An1Plan::new(network, An1Params::default(), traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, JourneyLog::new(deliveries));
    simulation.run_until(Time::ZERO + Span::from_ms(2));
    let now = simulation.now();
    let report = simulation.model.report(now);
    let us = |ps: u64| ps as f64 * 1e-6;
    let rows = report.journeys.iter().filter(|row| row.to_ps > row.from_ps).map(|row| {
        let (from, to) = (us(row.from_ps), us(row.to_ps));
        format!("{} {from:7.2} .. {to:7.2}  {:<11} {}\n", row.message, row.stage, row.place)
    });
    rows.collect()
}

#[test]
fn a_broadcast_turns_at_the_root_and_comes_back_on_all_outputs_at_once() {
    // Delivery 2 is the copy for c itself, which discards it.
    let all = multicast("c", &["a", "b", "c", "d"]);
    insta::assert_snapshot!(ladder(two_switches(), saturated(vec![all], 1000), 4), @"
    0    0.00 ..    0.20  propagation c -> y:1
    0    0.20 ..    0.68  decision    c -> y:1
    0    0.68 ..    2.20  set-up      y:0 -> x:0
    0    2.20 ..    2.40  propagation y:0 -> x:0
    0    2.40 ..    2.88  decision    y:0 -> x:0
    0    2.88 ..    4.40  set-up      x:0 -> y:0
    0    4.40 ..    4.60  propagation x:0 -> y:0
    0    4.60 ..    5.08  decision    x:0 -> y:0
    0    5.08 ..    6.60  set-up      y:1 -> c
    0    6.60 ..    6.80  propagation y:1 -> c
    0    6.80 ..   86.80  body        y:1 -> c
    1    0.00 ..    0.20  propagation c -> y:1
    1    0.20 ..    0.68  decision    c -> y:1
    1    0.68 ..    2.20  set-up      y:0 -> x:0
    1    2.20 ..    2.40  propagation y:0 -> x:0
    1    2.40 ..    2.88  decision    y:0 -> x:0
    1    2.88 ..    4.40  set-up      x:0 -> y:0
    1    4.40 ..    4.60  propagation x:0 -> y:0
    1    4.60 ..    5.08  decision    x:0 -> y:0
    1    5.08 ..    6.60  set-up      y:2 -> d
    1    6.60 ..    6.80  propagation y:2 -> d
    1    6.80 ..   86.80  body        y:2 -> d
    2    0.00 ..    0.20  propagation c -> y:1
    2    0.20 ..    0.68  decision    c -> y:1
    2    0.68 ..    2.20  set-up      y:0 -> x:0
    2    2.20 ..    2.40  propagation y:0 -> x:0
    2    2.40 ..    2.88  decision    y:0 -> x:0
    2    2.88 ..    4.40  set-up      x:1 -> a
    2    4.40 ..    4.60  propagation x:1 -> a
    2    4.60 ..   84.60  body        x:1 -> a
    3    0.00 ..    0.20  propagation c -> y:1
    3    0.20 ..    0.68  decision    c -> y:1
    3    0.68 ..    2.20  set-up      y:0 -> x:0
    3    2.20 ..    2.40  propagation y:0 -> x:0
    3    2.40 ..    2.88  decision    y:0 -> x:0
    3    2.88 ..    4.40  set-up      x:2 -> b
    3    4.40 ..    4.60  propagation x:2 -> b
    3    4.60 ..   84.60  body        x:2 -> b
    ");
}

#[test]
fn three_switches_copy_twice() {
    let all = multicast("b", &["a", "c", "b"]);
    insta::assert_snapshot!(ladder(three_switches(), saturated(vec![all], 1000), 3), @"
    0    0.00 ..    0.20  propagation b -> y:1
    0    0.20 ..    0.68  decision    b -> y:1
    0    0.68 ..    2.20  set-up      y:0 -> r:0
    0    2.20 ..    2.40  propagation y:0 -> r:0
    0    2.40 ..    2.88  decision    y:0 -> r:0
    0    2.88 ..    4.40  set-up      r:0 -> y:0
    0    4.40 ..    4.60  propagation r:0 -> y:0
    0    4.60 ..    5.08  decision    r:0 -> y:0
    0    5.08 ..    6.60  set-up      y:1 -> b
    0    6.60 ..    6.80  propagation y:1 -> b
    0    6.80 ..   86.80  body        y:1 -> b
    1    0.00 ..    0.20  propagation b -> y:1
    1    0.20 ..    0.68  decision    b -> y:1
    1    0.68 ..    2.20  set-up      y:0 -> r:0
    1    2.20 ..    2.40  propagation y:0 -> r:0
    1    2.40 ..    2.88  decision    y:0 -> r:0
    1    2.88 ..    4.40  set-up      r:1 -> z:0
    1    4.40 ..    4.60  propagation r:1 -> z:0
    1    4.60 ..    5.08  decision    r:1 -> z:0
    1    5.08 ..    6.60  set-up      z:1 -> c
    1    6.60 ..    6.80  propagation z:1 -> c
    1    6.80 ..   86.80  body        z:1 -> c
    2    0.00 ..    0.20  propagation b -> y:1
    2    0.20 ..    0.68  decision    b -> y:1
    2    0.68 ..    2.20  set-up      y:0 -> r:0
    2    2.20 ..    2.40  propagation y:0 -> r:0
    2    2.40 ..    2.88  decision    y:0 -> r:0
    2    2.88 ..    4.40  set-up      r:2 -> a
    2    4.40 ..    4.60  propagation r:2 -> a
    2    4.60 ..   84.60  body        r:2 -> a
    ");
}

#[test]
fn a_packet_captures_outputs_as_they_become_free_and_waits_for_the_last() {
    // The unicast takes the link to a for 400 us; the broadcast reserves those to b and y meanwhile.
    let traffic = |first: Flow| saturated(vec![Flow { class: Some("long".into()), ..first }], 5000);
    let mut both = traffic(flow("b", "a"));
    let group = Flow {
        sizes: Some(Sizes::Fixed(Data::from_bytes(1000))),
        class: Some("group".into()),
        load: Some(Load::Fraction(0.1)),
        ..multicast("c", &["a", "b", "d"])
    };
    let Pattern::Flows(flows) = &mut both.pattern else { unreachable!("flows") };
    flows.push(group);
    let plan = An1Plan::new(two_switches(), An1Params::default(), both).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_until(Time::ZERO + Span::from_ms(100));
    let now = simulation.now();
    let report = simulation.model.report(now);
    let held = |link: &str, why: HoldWhy| {
        let row = report.resources.iter();
        let row =
            row.filter(|row| row.kind == ResourceKind::Output).find(|row| row.title().starts_with(link));
        let held = &row.expect("an output").held_in;
        held.iter().find(|part| part.activity.why == why).map_or(0.0, |part| part.occupancy)
    };
    // The outputs to b and y were held in reserve, that to a was the last to be captured.
    for link in ["x:2", "x:0"] {
        assert!(held(link, HoldWhy::OtherOutputs) > 0.05, "{link}");
    }
    assert_eq!(held("x:1", HoldWhy::OtherOutputs), 0.0);
}

#[test]
fn every_host_has_a_lone_broadcast_after_the_time_of_its_path() {
    // A tree of three levels. From each host: 2 us a switch, 0.2 us a link, by way of the root, and 80 us of bits.
    let depths = [0, 1, 1, 2, 2];
    let tree = || {
        let hosts = [("h0", 0), ("h1", 1), ("h2", 2), ("h3", 3), ("h4", 4)];
        network(&["r", "p", "q", "s", "t"], &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 4)], &hosts)
    };
    for sender in 0..5 {
        let name = format!("h{sender}");
        let traffic = flows(vec![multicast(&name, &["h0", "h1", "h2", "h3", "h4"])], 0.001);
        let plan = An1Plan::new(tree(), An1Params::default(), traffic).expect("a valid scenario");
        let mut simulation = Arc::new(plan).simulation(1, ());
        simulation.run_until(Time::ZERO + Span::from_s(1));
        let pairs = simulation.model.monitor().waits_between_hosts();
        assert_eq!(pairs.len(), 4, "every other host");
        let expected = |to: usize| {
            let switches = f64::from(depths[sender] + 1 + depths[to]);
            2.0 * switches + 0.2 * (switches + 1.0) + 80.0
        };
        for pair in &pairs {
            assert_eq!(pair.wait_us, 0.0);
            let expected = expected(pair.to as usize);
            assert!((pair.life_us - expected).abs() < 1e-9, "{sender} {pair:?} {expected}");
        }
        let now = simulation.now();
        let last = (0..5).filter(|&to| to != sender).map(expected).fold(0.0, f64::max);
        let measured = mean(&simulation.model.report(now), "last delivery.mean");
        assert!((measured - last).abs() < 1e-9, "{measured} {last}");
    }
}

#[test]
fn whole_packets_take_their_time_at_every_switch() {
    let mut params = An1Params::default();
    params.switch.switching = Switching::StoreAndForward;
    let traffic = flows(vec![multicast("c", &["a", "b", "d"])], 0.001);
    let plan = An1Plan::new(two_switches(), params, traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    simulation.run_until(Time::ZERO + Span::from_s(1));
    for pair in simulation.model.monitor().waits_between_hosts() {
        // c - y - x - a; c - y - x - y - d.
        let switches = if pair.to == 3 { 3.0 } else { 2.0 };
        let expected = (2.0 + 80.0) * switches + 0.2 * (switches + 1.0) + 80.0;
        assert!((pair.life_us - expected).abs() < 1e-9, "{pair:?} {expected}");
    }
}

/// The network of a deadlock: the root r above p and q, d below q and e below p, and a link d - e that is in no tree
/// and leads down to e. Unicasts go from x on q by d and e to h; the group of s on r is h on e and g on d. t is on r,
/// too.
fn crossed() -> Network {
    let hosts = [("s", 0), ("x", 2), ("g", 3), ("h", 4), ("t", 0)];
    network(&["r", "p", "q", "d", "e"], &[(0, 1), (0, 2), (1, 4), (2, 3), (3, 4)], &hosts)
}

/// What becomes of that network when s and x always have something to send, in packets of 1500 bytes, and so have
/// these others.
fn crossing(stop: MulticastStop, fifo: u64, others: Vec<Flow>) -> Result<Report, Stuck> {
    let mut params = An1Params::default();
    params.switch.multicast_stop = stop;
    (params.switch.fifo, params.switch.stop_above) =
        (Fifo::Bytes(Data::from_bytes(fifo)), Data::from_bytes(512));
    let traffic = saturated([vec![multicast("s", &["g", "h"]), flow("x", "h")], others].concat(), 1500);
    let plan = An1Plan::new(crossed(), params, traffic).expect("a valid scenario");
    let mut simulation = Arc::new(plan).simulation(1, ());
    for _ in 0..50 {
        simulation.run_events(10_000);
        let now = simulation.now();
        if let Some(stuck) = simulation.model.stuck(now) {
            return Err(stuck);
        }
    }
    let now = simulation.now();
    Ok(simulation.model.report(now))
}

#[test]
fn packets_for_several_hosts_that_obey_stop_lock_up_in_spite_of_up_down_routes() {
    let stuck = crossing(MulticastStop::Obeyed, 1024, Vec::new()).expect_err("a deadlock");
    insta::assert_snapshot!(format!("{}\n{}", stuck.reason, stuck.cycle.join("\n")), @"
    a cycle of 7 buffers, held by 3 packets
    s -> h in r:2 holds r:0 -> p:0 and r:1 -> q:0 and is stopped on r:1 -> q:0
    s -> 1 host of a group in q:0 waits for q:1 -> d:0
    x -> h in q:2 holds q:1 -> d:0 and is stopped
    x -> h in d:0 holds d:1 -> e:1 and is stopped
    x -> h in e:1 waits for e:2 -> h
    s -> h in e:0 holds e:2 -> h and waits for its own rest
    s -> h in p:0 holds p:1 -> e:0 and waits for its own rest
    ");
}

#[test]
fn those_that_ignore_it_do_not_and_need_room_for_a_whole_packet() {
    // 512 B, 5 B on the way, 1500 B of a packet that has begun, and what comes until the next whole picosecond.
    // Short packets of t fill the FIFO of q almost to its threshold.
    let short = Flow { sizes: Some(Sizes::Fixed(Data::from_bytes(500))), ..flow("t", "g") };
    let report = crossing(MulticastStop::Ignored, 2018, vec![short]).expect("no deadlock");
    assert!(mean(&report, "throughput.rate") > 0.1);
    let peak = report.resources.iter().filter(|row| row.kind == ResourceKind::InputFifo).map(|row| row.peak);
    let peak = peak.fold(0.0, f64::max);
    assert!(peak > 1990.0 && peak <= 2018.0, "{peak}");
}

fn refusal(change: impl FnOnce(&mut An1Params, &mut TrafficSpec)) -> String {
    let mut params = An1Params::default();
    let mut traffic = flows(vec![multicast("a", &["b", "c"])], 0.5);
    change(&mut params, &mut traffic);
    let problems = An1Plan::new(two_switches(), params, traffic).expect_err("a refusal");
    let lines = problems.iter().map(|p| format!("{}: {}; expected {}", p.path, p.problem, p.expected));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_does_not_go_together_is_refused() {
    let to = |names: &'static [&'static str]| {
        refusal(|_, traffic| traffic.pattern = Pattern::Flows(vec![multicast("a", names)]))
    };
    let refusals = [
        to(&[]),
        to(&["a"]),
        to(&["b", "c", "b"]),
        to(&["b", "nobody"]),
        refusal(|_, traffic| traffic.sizes = Sizes::Fixed(Data::from_bytes(2044))),
        refusal(|params, _| {
            params.switch.directive = Timing::EverySlots(256);
            params.switch.fifo = Fifo::Bytes(Data::from_bytes(3000));
        }),
        refusal(|params, _| params.switch.arbiter = hopscope_fabric::Arbiter::Random),
        refusal(|params, _| params.switch.discipline = hopscope_an1::Discipline::RandomAccess),
        refusal(|params, _| params.switch.switching = Switching::VirtualCutThrough),
        refusal(|params, _| params.switch.ttl = Some(9)),
        refusal(|params, _| params.fabric.routing.rule = hopscope_fabric::Rule::Shortest),
        refusal(|params, _| params.fabric.routing.roots = vec!["x".into(), "y".into()]),
        refusal(|_, traffic| traffic.bursts = Some(hopscope_traffic::Bursts::default())),
    ];
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    traffic.pattern.flows[0].to: the group is empty; expected at least one host
    traffic.pattern.flows[0].to: the sender is the only host of the group; expected at least one other host
    traffic.pattern.flows[0].to[2]: host "b" is in the group twice; expected each host once
    traffic.pattern.flows[0].to[1]: no host is called "nobody"; expected the name of one of the 4 hosts
    switch.fifo: a packet of 2044 B for several hosts ignores a stop on link y:0 -> x:0 and may overflow the FIFO; expected at least 4098 B, a lower stop_above, or shorter packets
    switch.fifo: a packet of 1000 B for several hosts ignores a stop on link y:0 -> x:0 and may overflow the FIFO; expected at least 3310 B, a lower stop_above, or shorter packets
    switch.arbiter: two packets for several hosts that reserve outputs could wait for each other forever; expected arbiter = "oldest": the earlier reserves first
    switch.discipline: packets for several hosts need input FIFOs; expected discipline = "input-fifo"
    switch.switching: virtual cut-through is not defined for packets that need several outputs; expected "cut-through" or "store-and-forward"
    switch.ttl: packets for several hosts have no time to live; expected no ttl, or one receiver each
    routing.rule: packets for several hosts follow the spanning tree of up*/down* routes; expected rule = "up-down"
    routing.roots: packets for several hosts climb to one root; expected at most `root`
    traffic.bursts: bursts together with messages for several hosts: their windows are those of one receiver; expected no bursts, or one receiver each
    "#);
}

#[test]
fn a_fifo_of_the_size_that_is_named_is_enough() {
    // 2048 B above the threshold, less 5 B on the way and the next picosecond.
    let plan = |bytes| {
        let sizes = Sizes::Fixed(Data::from_bytes(bytes));
        let traffic = TrafficSpec { sizes, ..flows(vec![multicast("a", &["b", "c"])], 0.5) };
        An1Plan::new(two_switches(), An1Params::default(), traffic).is_ok()
    };
    assert_eq!((plan(2042), plan(2043)), (true, false));
}

/// Every host broadcasts at this load.
fn broadcast(load: Load, bytes: u64) -> TrafficSpec {
    let sizes = Sizes::Fixed(Data::from_bytes(bytes));
    TrafficSpec { pattern: Pattern::Broadcast, load, sizes, ..flows(Vec::new(), 1.0) }
}

#[test]
fn the_load_of_broadcasts_is_what_every_link_to_a_host_carries() {
    let network =
        NetworkSpec::Random(Random { switches: 6, degree: 3, hosts_per_switch: 3, ..Random::default() });
    let network = network.build().expect("a network");
    let plan = An1Plan::new(network, An1Params::default(), broadcast(Load::Fraction(0.3), 500));
    let mut simulation = Arc::new(plan.expect("a valid scenario")).simulation(1, ());
    simulation.run_events(1_000_000);
    let now = simulation.now();
    let report = simulation.model.report(now);
    let carried = mean(&report, "carried.mean");
    assert!((carried - 0.3).abs() < 0.01, "{carried}");
}

fn load() -> impl Strategy<Value = Load> {
    prop_oneof![
        Just(Load::Saturated),
        (1u32..=20).prop_map(|twentieths| Load::Fraction(f64::from(twentieths) / 20.0))
    ]
}

/// Switches with FIFOs just large enough for packets of `bytes` bytes.
fn params(bytes: u64) -> impl Strategy<Value = An1Params> {
    let timing = prop_oneof![2 => Just(Timing::Immediate), 1 => (1u32..300).prop_map(Timing::EverySlots)];
    let switching = prop_oneof![3 => Just(Switching::CutThrough), 1 => Just(Switching::StoreAndForward)];
    (timing, switching, 1500u64..3000, 0u64..1000, 0u64..1500, 0u64..1500).prop_map(
        move |(directive, switching, stop, delay, decision, setup)| {
            let mut params = An1Params::default();
            let waits = if let Timing::EverySlots(slots) = directive { u64::from(slots) } else { 0 };
            let on_the_way = 2 * delay.div_ceil(80) + waits + 2;
            params.switch.fifo = Fifo::Bytes(Data::from_bytes(stop + on_the_way + bytes));
            params.switch.stop_above = Data::from_bytes(stop);
            (params.switch.directive, params.switch.switching) = (directive, switching);
            (params.switch.decision, params.switch.setup) = (Span::from_ns(decision), Span::from_ns(setup));
            params.fabric.link.delay = Span::from_ns(delay);
            params
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The run itself asserts that no FIFO overflows and that every delivery's stages add up to its life; the report
    /// that as many packets leave as were made.
    #[test]
    fn every_broadcast_reaches_every_host_once(
        (bytes, params) in (10u64..1500).prop_flat_map(|bytes| (Just(bytes), params(bytes))),
        load in load(), switches in 1u32..10, degree in 2u32..5, seed in 0u64..1000,
    ) {
        let spec = NetworkSpec::Random(Random { switches, degree, hosts_per_switch: 2, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        let hosts = network.hosts().len() as u64;
        let plan = An1Plan::new(network, params, broadcast(load, bytes));
        let plan = plan.map_err(|p| TestCaseError::fail(format!("{p:?}")))?;
        let mut simulation = Arc::new(plan).simulation(seed, JourneyLog::new(20 * hosts));
        simulation.run_events(20_000);
        let now = simulation.now();
        prop_assert_eq!(simulation.model.stuck(now), None);
        let report = simulation.model.report(now);
        let mut arrivals: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for row in report.journeys.iter().filter(|row| row.stage.word() == "body") {
            let host = row.place.rsplit(' ').next().expect("a host").to_owned();
            arrivals.entry(row.message / hosts).or_default().push(host);
        }
        let mut complete = 0;
        for (message, mut reached) in arrivals {
            let copies = reached.len() as u64;
            reached.sort_unstable();
            reached.dedup();
            prop_assert_eq!(reached.len() as u64, copies, "a host has message {} twice", message);
            complete += u64::from(copies == hosts);
        }
        prop_assert!(complete > 0);
    }

    /// Broadcasts, multicasts and unicasts together, with links that are in no tree.
    #[test]
    fn mixed_with_others_they_never_lock_up(
        (bytes, params) in (10u64..1500).prop_flat_map(|bytes| (Just(bytes), params(bytes))),
        load in load(), switches in 2u32..10, degree in 2u32..5, seed in 0u64..1000,
    ) {
        let spec = NetworkSpec::Random(Random { switches, degree, hosts_per_switch: 2, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        let names: Vec<&str> = network.hosts().iter().map(|host| host.name.as_str()).collect();
        let pattern = names.iter().enumerate().map(|(i, &from)| match i % 4 {
            0 => multicast(from, &names),
            1 => multicast(from, &names[..names.len().div_ceil(2) + 1]),
            _ => flow(from, names[(i * 7 + seed as usize) % (names.len() - 1)]),
        });
        let pattern: Vec<Flow> = pattern.filter(|flow| flow.to.names()[..] != [flow.from.clone()]).collect();
        // Unicasts are longer than FIFOs.
        let long = |flow: Flow| match flow.to {
            Receivers::One(_) if params.switch.switching == Switching::CutThrough => {
                Flow { sizes: Some(Sizes::Fixed(Data::from_bytes(9000))), ..flow }
            }
            _ => flow,
        };
        let traffic = saturated(pattern.into_iter().map(long).collect(), bytes);
        let plan = An1Plan::new(network, params, TrafficSpec { load, ..traffic });
        let plan = plan.map_err(|p| TestCaseError::fail(format!("{p:?}")))?;
        let mut simulation = Arc::new(plan).simulation(seed, ());
        for part in 0..4 {
            simulation.run_events(10_000);
            let now = simulation.now();
            prop_assert_eq!(simulation.model.stuck(now), None);
            simulation.model.report(now);
            if part == 1 {
                simulation.model.restart(now);
            }
        }
        prop_assert!(simulation.model.monitor().measured() > 0);
    }
}
