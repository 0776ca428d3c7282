//! Dimension order on virtual channels and structured buffer pools: always there by a shortest way, and never a cycle.

use hopscope_topology::{
    Chain, ChannelDependencies, Grid, Hypercube, Network, NetworkSpec, Random, RouteError, Routes,
    RoutingRule, SwitchId,
};
use proptest::prelude::*;

/// Meshes, tori, hypercubes, lines and rings with a host at every switch.
fn cubes() -> impl Strategy<Value = Network> {
    let grid = (1u32..8, 1u32..8, any::<bool>()).prop_map(|(width, height, wraps)| {
        let grid = Grid { width, height, hosts_per_switch: 1, servers: 0, ..Grid::default() };
        if wraps { NetworkSpec::Torus(grid) } else { NetworkSpec::Mesh(grid) }
    });
    let cube = (0u32..6).prop_map(|dimensions| {
        NetworkSpec::Hypercube(Hypercube {
            dimensions,
            hosts_per_switch: 1,
            servers: 0,
            ..Hypercube::default()
        })
    });
    let ring = (3u32..12).prop_map(|switches| NetworkSpec::Ring(Chain { switches, ..Chain::default() }));
    prop_oneof![3 => grid, 1 => cube, 1 => ring].prop_map(|spec| spec.build().expect("a family in range"))
}

/// The number of hops of a packet that follows the tables, each of which brings it nearer.
fn hops(routes: &Routes, from: SwitchId, to: SwitchId) -> usize {
    let (mut at, mut hops) = (from, 0);
    while at != to {
        let ports = routes.next_ports(at, 0, to);
        assert_eq!(ports.len(), 1, "dimension order leaves no choice");
        at = routes.step(at, ports[0]).0;
        hops += 1;
        assert!(hops < 1000, "the route never ends");
    }
    hops
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn dimension_order_takes_a_shortest_way_and_closes_no_cycle(network in cubes()) {
        let routes = Routes::compute(&network, &RoutingRule::DimensionOrder).expect("a cube");
        let shortest = Routes::compute(&network, &RoutingRule::Shortest).expect("any network");
        for from in network.switch_ids() {
            for to in network.switch_ids() {
                prop_assert_eq!(Some(hops(&routes, from, to) as u16), shortest.distance(from, 0, to));
            }
        }
        prop_assert_eq!(ChannelDependencies::new(&network, &routes).shortest_cycle(), None);
    }

    #[test]
    fn structured_pools_close_no_cycle_on_any_network(switches in 1u32..20, degree in 2u32..5, seed in 0u64..1000) {
        let spec = NetworkSpec::Random(Random { switches, degree, hosts_per_switch: 1, seed, ..Random::default() });
        let Ok(network) = spec.build() else { return Ok(()) };
        let routes = Routes::compute(&network, &RoutingRule::StructuredPools).expect("any network");
        let shortest = Routes::compute(&network, &RoutingRule::Shortest).expect("any network");
        for from in network.switch_ids() {
            for to in network.switch_ids() {
                prop_assert_eq!(routes.next_ports(from, 0, to), shortest.next_ports(from, 0, to));
            }
        }
        prop_assert_eq!(ChannelDependencies::new(&network, &routes).shortest_cycle(), None);
    }
}

/// The virtual channels that a network needs under a rule, and the length of the shortest cycle without any.
fn lanes_and_cycle(spec: &NetworkSpec, rule: &RoutingRule) -> (u16, Option<usize>) {
    let network = spec.build().expect("a family in range");
    let lanes = Routes::compute(&network, rule).expect("a cube").lanes();
    let shortest = Routes::compute(&network, &RoutingRule::Shortest).expect("any network");
    (lanes, ChannelDependencies::new(&network, &shortest).shortest_cycle().map(|cycle| cycle.len()))
}

#[test]
fn a_ring_of_four_needs_a_dateline_and_one_of_three_does_not() {
    let ring = |switches| NetworkSpec::Ring(Chain { switches, ..Chain::default() });
    let order = RoutingRule::DimensionOrder;
    assert_eq!(lanes_and_cycle(&ring(3), &order), (1, None));
    assert_eq!(lanes_and_cycle(&ring(4), &order), (2, Some(4)));
    assert_eq!(lanes_and_cycle(&NetworkSpec::Mesh(Grid::default()), &order), (1, Some(4)));
    assert_eq!(lanes_and_cycle(&NetworkSpec::Torus(Grid::default()), &order).0, 2);
    assert_eq!(lanes_and_cycle(&NetworkSpec::Hypercube(Hypercube::default()), &order).0, 1);
}

#[test]
fn structured_pools_need_a_class_for_each_hop_of_the_longest_route() {
    let pools = RoutingRule::StructuredPools;
    assert_eq!(lanes_and_cycle(&NetworkSpec::Hypercube(Hypercube::default()), &pools).0, 5);
    assert_eq!(lanes_and_cycle(&NetworkSpec::Torus(Grid::default()), &pools).0, 4);
}

/// A switch without hosts may be further from a destination than all that have some.
#[test]
fn structured_pools_have_no_class_for_hops_that_no_packet_makes() {
    let row = serde_json::json!({
        "switches": ["a", "b", "c", "d"],
        "links": [{ "between": ["a", "b"] }, { "between": ["b", "c"] }, { "between": ["c", "d"] }],
        "hosts": [{ "name": "g", "at": "a" }, { "name": "h", "at": "b" }],
    });
    let row = NetworkSpec::Custom(serde_json::from_value(row).expect("a listed network"));
    let network = row.build().expect("a network");
    let routes = Routes::compute(&network, &RoutingRule::StructuredPools).expect("any network");
    assert_eq!(routes.lanes(), 1);
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| network.switch_ids().nth(at).expect("four switches"));
    assert_eq!(routes.next_channels(b, 0, a).len(), 1);
    assert_eq!([c, d].map(|from| routes.next_channels(from, 0, a).len()), [0, 0]);
}

#[test]
fn a_network_without_dimensions_has_no_dimension_order() {
    let network = NetworkSpec::Random(Random::default()).build().expect("a random network");
    let refusal = Routes::compute(&network, &RoutingRule::DimensionOrder).map(|routes| routes.lanes());
    assert_eq!(refusal, Err(RouteError::NoDimensions));
}
