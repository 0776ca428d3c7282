//! Bounds of a network's capacity against sums by hand.

use hopscope_topology::capacity::{
    CapacityBounds, ChannelFlows, Effort, HeadOfLine, IdleByLevels, PacketService, Place, Stream,
};
use hopscope_topology::{
    ChannelDependencies, HostId, Network, NetworkSpec, Node, Role, Routes, RoutingRule, SwitchId,
};
use proptest::prelude::*;

/// All links carry this much.
const RATE: f64 = 1e8;

fn network(toml: &str) -> Network {
    #[derive(serde::Deserialize)]
    struct Holder {
        network: NetworkSpec,
    }
    toml::from_str::<Holder>(toml).expect("a network").network.build().expect("no problems")
}

fn up_down() -> RoutingRule {
    RoutingRule::UpDown { roots: Vec::new() }
}

/// Every host sends at the full rate of its link at load 1, to all others alike.
fn uniform(network: &Network) -> Vec<Stream> {
    vec![Stream {
        senders: network.host_ids().map(|id| (id, RATE)).collect(),
        receivers: network.host_ids().map(|id| (id, 1.0)).collect(),
    }]
}

/// Each server's link is full at load 1 in both directions.
fn client_server(network: &Network) -> Vec<Stream> {
    let with = |role| network.host_ids().filter(|id| network.host(*id).role == role).collect::<Vec<HostId>>();
    let (clients, servers) = (with(Role::Client), with(Role::Server));
    let share = servers.len() as f64 / clients.len() as f64;
    let all = |hosts: &[HostId], value: f64| hosts.iter().map(|id| (*id, value)).collect();
    vec![
        Stream { senders: all(&clients, RATE * share), receivers: all(&servers, 1.0) },
        Stream { senders: all(&servers, RATE), receivers: all(&clients, 1.0) },
    ]
}

fn bounds(network: &Network, rule: &RoutingRule, streams: &[Stream]) -> CapacityBounds {
    let routes = Routes::compute(network, rule).unwrap();
    let rates = vec![RATE; network.links().len()];
    CapacityBounds::new(network, &routes, streams, &rates, None, Effort::for_network(network))
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
}

fn switch(network: &Network, name: &str) -> SwitchId {
    match network.node(name) {
        Some(Node::Switch(id)) => id,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn a_star_is_bounded_by_its_arms() {
    // 4 arms of 3 hosts each: of what an arm's 3 hosts send, 9/11 leave by its one link.
    let star = network("network.star = { arms = 4, hosts_per_arm = 3 }");
    let found = bounds(&star, &up_down(), &uniform(&star));
    near(found.host_link.unwrap().load, 1.0);
    near(found.even_split.unwrap().load, 1.0 / (3.0 * 9.0 / 11.0));
    let root = found.root_share.unwrap();
    near(root.passing, 9.0 / 11.0);
    near(root.unavoidable, 9.0 / 11.0);
    near(found.root.unwrap().load, 4.0 / (12.0 * 9.0 / 11.0));
}

#[test]
fn a_host_that_takes_less_than_its_link_brings_bounds_the_load() {
    let star = network("network.star = { arms = 4, hosts_per_arm = 3 }");
    let slow = |share: f64| {
        let intakes = [(HostId::new(5), share * RATE)];
        bounds(&star, &up_down(), &uniform(&star)).with_intakes(&star, &uniform(&star), intakes)
    };
    near(slow(0.1).host_link.unwrap().load, 0.1);
    near(slow(0.1).at_most(), 0.1);
    assert_eq!(
        slow(2.0).host_link,
        bounds(&star, &up_down(), &uniform(&star)).host_link,
        "its link is slower"
    );
}

#[test]
fn hosts_of_one_switch_are_never_counted_by_pairs() {
    // Two switches of 30,000 hosts each: 900 million pairs at each of them.
    let hosts = 30_000;
    let line = network(&format!("network.line = {{ switches = 2, hosts_per_switch = {hosts} }}"));
    let found = bounds(&line, &up_down(), &uniform(&line));
    let (all, of_one) = (2.0 * f64::from(hosts), f64::from(hosts));
    near(found.host_link.unwrap().load, 1.0);
    near(found.even_split.unwrap().load, (all - 1.0) / (of_one * of_one));
    near(found.flows.sent(switch(&line, "s0"), 1), RATE);
}

#[test]
fn a_line_is_bounded_by_its_middle() {
    // 6 switches with a host each: 3 x 3 of 30 ordered pairs cross the middle each way.
    let line = network("network.line = { switches = 6, hosts_per_switch = 1 }");
    let found = bounds(&line, &up_down(), &uniform(&line));
    near(found.even_split.unwrap().load, 1.0 / (6.0 * 9.0 / 30.0));
    let split = found.best_split.unwrap();
    near(split.attainable, found.even_split.unwrap().load);
    assert!(
        split.at_most <= 1.005 * split.attainable,
        "the search ends when half a per cent is left: {split:?}"
    );
}

#[test]
fn a_ring_under_shortest_paths_is_bounded_by_any_of_its_links() {
    // 5 switches: each sends 1/4 to each other one, over 1, 1, 2 and 2 links; 6/4 over 2 channels a switch.
    let ring = network("network.ring = { switches = 5, hosts_per_switch = 1 }");
    let found = bounds(&ring, &RoutingRule::Shortest, &uniform(&ring));
    near(found.even_split.unwrap().load, 4.0 / 3.0);
    assert_eq!(found.root, None, "shortest paths have no root");
}

#[test]
fn a_torus_under_shortest_paths_is_bounded_by_its_mean_distance() {
    // k = 4, all channels alike: N hosts send over a mean distance of k/2 = 2 links x N/(N-1), by 4 channels a switch.
    let torus = network("network.torus = { width = 4, height = 4, hosts_per_switch = 1 }");
    let found = bounds(&torus, &RoutingRule::Shortest, &uniform(&torus));
    near(found.even_split.unwrap().load, 4.0 / (2.0 * 16.0 / 15.0));
    let split = found.best_split.unwrap();
    assert!(split.at_most < 1.001 * split.attainable, "even parts are best by symmetry: {split:?}");
}

#[test]
fn the_share_of_a_cubes_root_is_three_quarters_to_its_dimension() {
    for d in 1..=6 {
        let cube = network(&format!(
            "network.hypercube = {{ dimensions = {d}, hosts_per_switch = 1, servers = 0 }}"
        ));
        let n = f64::from(1 << d);
        let found = bounds(&cube, &up_down(), &uniform(&cube));
        // (3/4)^d of all n^2 pairs, of which one is the root's own with itself: among different hosts there are n^2 -
        // n.
        let expected = (0.75f64.powi(d) * n * n - 1.0) / (n * n - n);
        near(found.root_share.unwrap().passing, expected);
    }
}

#[test]
fn one_switch_of_n_ports_saturates_at_n_over_2n_minus_1() {
    for n in [2, 4, 8, 16] {
        let star =
            network(&format!("network.star = {{ arms = 0, hosts_at_hub = {}, servers = {n} }}", 2 * n));
        let routes = Routes::compute(&star, &up_down()).unwrap();
        let flows = ChannelFlows::new(&star, &routes, &client_server(&star)[..1], true);
        let service = PacketService { mean_bits: 8e3, squared_cv: 1.0, decision_s: 0.0, setup_s: 0.0 };
        let found = HeadOfLine::new(&star, &flows, &service, |_, _| RATE).unwrap();
        let n = f64::from(n);
        assert!((found.load - n / (2.0 * n - 1.0)).abs() < 1e-6, "{n}: {}", found.load);
    }
}

#[test]
fn fixed_lengths_saturate_a_large_switch_at_two_less_the_root_of_two() {
    let star = network("network.star = { arms = 0, hosts_at_hub = 600, servers = 300 }");
    let routes = Routes::compute(&star, &up_down()).unwrap();
    let streams = client_server(&star);
    let flows = ChannelFlows::new(&star, &routes, &streams[..1], true);
    let service = PacketService { mean_bits: 8e3, squared_cv: 0.0, decision_s: 0.0, setup_s: 0.0 };
    let found = HeadOfLine::new(&star, &flows, &service, |_, _| RATE).unwrap();
    let limit = 2.0 - std::f64::consts::SQRT_2;
    assert!(limit < found.load && found.load < limit + 0.002, "{}", found.load);
}

#[test]
fn the_levels_of_floors_leave_the_second_centre_idle_and_a_link_to_the_first_cures_it() {
    let floors = network("[network.floors]");
    let streams = client_server(&floors);
    let idle_in = |network: &Network| {
        let routes = Routes::compute(network, &up_down()).unwrap();
        let flows = ChannelFlows::new(network, &routes, &streams, false);
        IdleByLevels::new(network, &flows, &streams)
    };
    let idle = idle_in(&floors);
    assert_eq!(idle.switches, [switch(&floors, "f0c1")]);
    assert_eq!(idle.links.len(), 10, "its four arms and the six centres of other floors");
    let joined = floors.with_link([switch(&floors, "f0c0"), switch(&floors, "f0c1")], None, None);
    assert_eq!(idle_in(&joined), IdleByLevels::default());
}

#[test]
fn the_best_split_beats_even_parts_where_ways_are_uneven() {
    // Two ways from a to d, one of them shared with a flow that has no other: b's host sends to d as well.
    let text = r#"
        [network.custom]
        switches = ["a", "b", "c", "d"]
        links = [{ between = ["a", "b"] }, { between = ["a", "c"] }, { between = ["b", "d"] }, { between = ["c", "d"] }]
        hosts = [{ name = "x", at = "a" }, { name = "y", at = "b" }, { name = "z", at = "d" }]
    "#;
    let diamond = network(text);
    let host = |name: &str| match diamond.node(name) {
        Some(Node::Host(id)) => id,
        other => panic!("{name} is {other:?}"),
    };
    let to_z = Stream {
        senders: vec![(host("x"), RATE), (host("y"), RATE / 2.0)],
        receivers: vec![(host("z"), 1.0)],
    };
    let found = bounds(&diamond, &RoutingRule::Shortest, &[to_z]);
    let even = found.even_split.unwrap();
    near(even.load, 1.0);
    assert_eq!(even.place, Place::Port(switch(&diamond, "b"), 1));
    // 1.5 in all over two channels into d: 3/4 each.
    let split = found.best_split.unwrap();
    assert!(split.attainable > 1.3 && split.at_most >= 4.0 / 3.0 - 1e-9, "{split:?}");
    assert!(split.at_most < 1.36, "{split:?}");
    near(found.host_link.unwrap().load, 1.0 / 1.5);
}

/// A random network of this many switches, two hosts at each.
fn random(switches: u32, degree: u32, seed: u64) -> Network {
    let text = format!(
        "network.random = {{ switches = {switches}, degree = {degree}, seed = {seed}, hosts_per_switch = 2 }}"
    );
    network(&text)
}

proptest! {
    #[test]
    fn what_is_sent_arrives_and_no_root_closes_a_cycle(
        pairs in 3u32..12, seed in 0u64..1000, root in any::<prop::sample::Index>()
    ) {
        let network = random(2 * pairs, 3, seed);
        let name = network.switches()[root.index(network.switches().len())].name.clone();
        let routes = Routes::compute(&network, &RoutingRule::UpDown { roots: vec![name] }).unwrap();
        prop_assert_eq!(ChannelDependencies::new(&network, &routes).shortest_cycle(), None);

        let flows = ChannelFlows::new(&network, &routes, &uniform(&network), true);
        for host in network.hosts() {
            let arrives = flows.sent(host.switch, host.port);
            prop_assert!((arrives / RATE - 1.0).abs() < 1e-9, "{}: {arrives}", host.name);
        }
        // What enters a switch leaves it.
        for id in network.switch_ids() {
            let hosts = network.hosts().iter().filter(|host| host.switch == id).count() as f64;
            let enters: f64 = network.neighbours(id).map(|(_, _, far, port)| flows.sent(far, port)).sum();
            let ports = network.switch(id).ports.len() as u16;
            let leaves: f64 = (0..ports).map(|port| flows.sent(id, port)).sum();
            prop_assert!((enters + hosts * RATE - leaves).abs() < 1e-6 * RATE);
        }
    }

    #[test]
    fn even_parts_never_beat_the_best_split_nor_that_the_bound_by_prices(
        pairs in 3u32..8, seed in 0u64..1000
    ) {
        let network = random(2 * pairs, 3, seed);
        let found = bounds(&network, &up_down(), &uniform(&network));
        let split = found.best_split.unwrap();
        prop_assert!(found.even_split.unwrap().load <= split.attainable * (1.0 + 1e-9));
        prop_assert!(split.attainable <= split.at_most * (1.0 + 1e-9));
    }
}

#[test]
fn routes_are_shared_by_the_clones_of_a_network_but_not_by_one_with_another_link() {
    let line = network("network.line = { switches = 4, hosts_per_switch = 1 }");
    let ends = [switch(&line, "s0"), switch(&line, "s3")];
    let before = Routes::compute(&line, &up_down()).unwrap().distance(ends[0], 0, ends[1]);
    let ring = line.with_link(ends, None, None);
    let after = Routes::compute(&ring, &up_down()).unwrap().distance(ends[0], 0, ends[1]);
    assert_eq!((before, after), (Some(3), Some(1)));
    let again = Routes::compute(&line.clone(), &up_down()).unwrap().distance(ends[0], 0, ends[1]);
    assert_eq!(again, Some(3));
}
