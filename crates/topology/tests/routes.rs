//! Routes on random networks: what must hold whatever the network and the root.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{
    ChannelDependencies, Demand, Figures, Link, Network, NetworkBuilder, Role, RouteError, Routes,
    RoutingRule, ShortestPathsLost, SwitchId,
};
use petgraph::algo::dijkstra;
use petgraph::graph::{DiGraph, UnGraph};
use proptest::prelude::*;

/// A connected network: a random tree, more random links (doubled ones too), hosts at some switches and uids in any
/// order.
fn networks() -> impl Strategy<Value = Network> {
    (2usize..24).prop_flat_map(|switches| {
        let parents = prop::collection::vec(any::<prop::sample::Index>(), switches - 1);
        let chords = prop::collection::vec((0..switches, 0..switches), 0..2 * switches);
        let uids = Just((0..switches as u64).collect::<Vec<_>>()).prop_shuffle();
        let hosts = prop::collection::vec(0usize..3, switches);
        (parents, chords, uids, hosts).prop_map(|(parents, chords, uids, hosts)| {
            let mut builder = NetworkBuilder::new();
            let ids: Vec<SwitchId> = uids
                .iter()
                .map(|uid| {
                    let id = builder.add_switch(format!("s{uid}"));
                    builder.set_uid(id, *uid);
                    id
                })
                .collect();
            for (child, parent) in parents.iter().enumerate() {
                builder.add_link(ids[parent.index(child + 1)], ids[child + 1], None, None);
            }
            for (a, b) in chords {
                if a != b {
                    builder.add_link(ids[a], ids[b], None, None);
                }
            }
            for (&id, count) in ids.iter().zip(hosts) {
                for _ in 0..count {
                    builder.add_host(format!("h{}", builder.host_count()), id, Role::Any);
                }
            }
            builder.build().unwrap()
        })
    })
}

fn with_hosts(network: &Network) -> Vec<SwitchId> {
    let hosts = network.hosts_per_switch();
    network.switch_ids().filter(|id| hosts[id.index()] > 0).collect()
}

/// The links from a switch to all others, by another's breadth-first search.
fn oracle(network: &Network, from: SwitchId) -> Vec<u16> {
    let mut graph = UnGraph::<(), ()>::new_undirected();
    let nodes: Vec<_> = network.switch_ids().map(|_| graph.add_node(())).collect();
    for [a, b] in network.links().iter().filter_map(Link::switches) {
        graph.add_edge(nodes[a.index()], nodes[b.index()], ());
    }
    let distances = dijkstra(&graph, nodes[from.index()], None, |_| 1u16);
    nodes.iter().map(|node| distances[node]).collect()
}

/// Every (switch, phase) that a packet between two switches can be in by the tables, the ends among them.
fn states(routes: &Routes, from: SwitchId, to: SwitchId) -> BTreeSet<(SwitchId, u8)> {
    let mut met = BTreeSet::from([(from, 0)]);
    let mut frontier = vec![(from, 0)];
    while let Some((switch, phase)) = frontier.pop() {
        let next = routes.next_ports(switch, phase, to).iter().map(|port| routes.step(switch, *port));
        frontier.extend(next.filter(|state| met.insert(*state)));
    }
    met
}

fn root_named(network: &Network, index: &prop::sample::Index) -> RoutingRule {
    RoutingRule::UpDown {
        roots: vec![network.switches()[index.index(network.switches().len())].name.clone()],
    }
}

proptest! {
    #[test]
    fn shortest_routes_are_the_shortest_and_all_of_them(network in networks()) {
        let routes = Routes::compute(&network, &RoutingRule::Shortest).unwrap();
        for to in with_hosts(&network) {
            let distances = oracle(&network, to);
            for from in network.switch_ids() {
                prop_assert_eq!(routes.distance(from, 0, to), Some(distances[from.index()]));
                let nearer = network.neighbours(from).filter(|(_, _, far, _)| {
                    from != to && distances[far.index()] + 1 == distances[from.index()]
                });
                let ports: Vec<_> = nearer.map(|(port, ..)| port).collect();
                prop_assert_eq!(routes.next_ports(from, 0, to), ports);
            }
        }
    }

    #[test]
    fn up_down_reaches_all_and_never_goes_up_after_down(
        network in networks(), root in any::<prop::sample::Index>()
    ) {
        let routes = Routes::compute(&network, &root_named(&network, &root)).unwrap();
        for to in with_hosts(&network) {
            let distances = oracle(&network, to);
            for from in network.switch_ids() {
                let distance = routes.distance(from, 0, to);
                prop_assert!(distance >= Some(distances[from.index()]), "{:?} to {:?}: {:?}", from, to, distance);
                for (switch, phase) in states(&routes, from, to) {
                    let here = routes.distance(switch, phase, to);
                    prop_assert!(here.is_some());
                    for &port in routes.next_ports(switch, phase, to) {
                        let link = network.switch(switch).ports[usize::from(port)].unwrap();
                        let end = network.link(link).switches().unwrap().iter().position(|end| *end == switch);
                        let up = routes.is_up(link, end.unwrap()).unwrap();
                        prop_assert!(!(phase == 1 && up), "up after down");
                        let (next, next_phase) = routes.step(switch, port);
                        prop_assert_eq!(next_phase, u8::from(!up));
                        let beyond = routes.distance(next, next_phase, to);
                        prop_assert_eq!(beyond.map(|links| links + 1), here, "each hop is one nearer");
                    }
                }
            }
        }
    }

    #[test]
    fn links_go_up_by_level_and_then_by_uid(network in networks(), root in any::<prop::sample::Index>()) {
        let routes = Routes::compute(&network, &root_named(&network, &root)).unwrap();
        let levels = oracle(&network, routes.root().unwrap());
        for id in network.switch_ids() {
            prop_assert_eq!(routes.level(id), Some(levels[id.index()]));
        }
        let height = |id: SwitchId| (levels[id.index()], network.switch(id).uid);
        for id in network.link_ids() {
            match network.link(id).switches() {
                Some([a, b]) => prop_assert_eq!(routes.is_up(id, 0), Some(height(b) < height(a))),
                None => prop_assert_eq!(routes.is_up(id, 0), None),
            }
        }
    }

    #[test]
    fn up_down_never_closes_a_cycle_of_channels(network in networks(), root in any::<prop::sample::Index>()) {
        let routes = Routes::compute(&network, &root_named(&network, &root)).unwrap();
        let dependencies = ChannelDependencies::new(&network, &routes);
        prop_assert_eq!(dependencies.shortest_cycle(), None);
    }

    /// The cycle found is one, and no shorter one exists, by a search over all start channels without its shortcuts.
    #[test]
    fn the_cycle_found_is_a_shortest(network in networks()) {
        let routes = Routes::compute(&network, &RoutingRule::Shortest).unwrap();
        let found = ChannelDependencies::new(&network, &routes).shortest_cycle();
        let edges = dependencies_by_paths(&network, &routes);
        if let Some(cycle) = &found {
            for (channel, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                prop_assert!(edges.contains(&((channel.from, channel.port), (next.from, next.port))));
            }
        }
        let mut graph = DiGraph::<(), ()>::new();
        let mut nodes = BTreeMap::new();
        let mut node = |graph: &mut DiGraph<_, _>, end| *nodes.entry(end).or_insert_with(|| graph.add_node(()));
        let mut ends = Vec::new();
        for (a, b) in edges {
            let (a, b) = (node(&mut graph, a), node(&mut graph, b));
            graph.add_edge(a, b, ());
            ends.push((a, b));
        }
        let around = |(a, b)| dijkstra(&graph, b, Some(a), |_| 1u32).get(&a).map(|length| length + 1);
        prop_assert_eq!(found.map(|cycle| cycle.len() as u32), ends.into_iter().filter_map(around).min());
    }

    /// The mean number of links that a message takes, by distances, is the sum of all links' shares, by flows.
    #[test]
    fn the_shares_of_links_add_up_to_the_mean_distance(network in networks(), root in any::<prop::sample::Index>()) {
        for rule in [RoutingRule::Shortest, root_named(&network, &root)] {
            let routes = Routes::compute(&network, &rule).unwrap();
            let found = Figures::new(&network, &routes, Demand::Uniform);
            let hosts = network.hosts().len() as u64;
            let pairs = hosts * hosts.saturating_sub(1);
            prop_assert_eq!(found.hop_histogram.values().sum::<u64>(), pairs);
            let shares: f64 = found.most_loaded_links.iter().map(|link| link.share).sum();
            let links = if pairs == 0 { 0.0 } else { found.mean_hops - 1.0 };
            if found.links <= 5 {
                prop_assert!((shares - links).abs() < 1e-9, "{} and {}", shares, links);
            } else {
                prop_assert!(shares < links + 1e-9);
            }
        }
    }

    /// Each switch and each link in turn is taken away, and those that are left are searched from one of them.
    #[test]
    fn single_points_of_failure_are_those_without_which_the_rest_falls_apart(network in networks()) {
        let routes = Routes::compute(&network, &RoutingRule::Shortest).unwrap();
        let found = Figures::new(&network, &routes, Demand::Uniform).single_points_of_failure;
        let name = |id: SwitchId| network.switch(id).name.clone();
        let links: Vec<[SwitchId; 2]> = network.links().iter().filter_map(Link::switches).collect();
        let falls_apart = |lost_switch: Option<SwitchId>, lost_link: Option<usize>| {
            let left: Vec<SwitchId> = network.switch_ids().filter(|id| Some(*id) != lost_switch).collect();
            let mut reached = BTreeSet::from([left[0]]);
            loop {
                let ends = links.iter().enumerate().filter(|(at, ends)| {
                    Some(*at) != lost_link && !ends.iter().any(|end| Some(*end) == lost_switch)
                });
                let more: Vec<SwitchId> = ends
                    .filter(|(_, ends)| ends.iter().any(|end| reached.contains(end)))
                    .flat_map(|(_, ends)| *ends)
                    .filter(|end| !reached.contains(end))
                    .collect();
                if more.is_empty() {
                    return reached.len() < left.len();
                }
                reached.extend(more);
            }
        };
        let switches: Vec<String> =
            network.switch_ids().filter(|id| falls_apart(Some(*id), None)).map(name).collect();
        let cut: Vec<[String; 2]> = (0..links.len())
            .filter(|at| falls_apart(None, Some(*at)))
            .map(|at| links[at].map(name))
            .collect();
        prop_assert_eq!(found.nodes, switches);
        prop_assert_eq!(found.links, cut);
    }

    #[test]
    fn shortest_paths_lose_nothing_to_themselves(network in networks()) {
        let routes = Routes::compute(&network, &RoutingRule::Shortest).unwrap();
        let lost = ShortestPathsLost::new(&network, &routes, &routes, Demand::Uniform);
        prop_assert!(lost.is_none());
        let switches = with_hosts(&network).len() as u64;
        prop_assert_eq!(lost.pairs, switches * switches.saturating_sub(1));
    }
}

type ChannelEnd = (SwitchId, u16);

/// The dependencies of channels from their definition: consecutive channels of all paths between switches with hosts.
fn dependencies_by_paths(network: &Network, routes: &Routes) -> BTreeSet<(ChannelEnd, ChannelEnd)> {
    let mut edges = BTreeSet::new();
    for to in with_hosts(network) {
        for from in with_hosts(network) {
            for (switch, phase) in states(routes, from, to) {
                for &port in routes.next_ports(switch, phase, to) {
                    let (next, next_phase) = routes.step(switch, port);
                    let after = routes.next_ports(next, next_phase, to);
                    edges.extend(after.iter().map(|next_port| ((switch, port), (next, *next_port))));
                }
            }
        }
    }
    edges
}

#[test]
fn a_root_must_be_a_switch() {
    let mut builder = NetworkBuilder::new();
    let (a, b) = (builder.add_switch("alpha"), builder.add_switch("beta"));
    builder.add_link(a, b, None, None);
    builder.add_host("gamma", b, Role::Any);
    let network = builder.build().unwrap();
    let error = |root: &str| {
        Routes::compute(&network, &RoutingRule::UpDown { roots: vec![root.into()] }).unwrap_err()
    };
    assert_eq!(error("alpa"), RouteError::UnknownRoot { root: "alpa".into(), like: Some("alpha".into()) });
    assert_eq!(error("zeppelin"), RouteError::UnknownRoot { root: "zeppelin".into(), like: None });
    assert_eq!(error("gamma"), RouteError::RootIsHost { root: "gamma".into(), switch: "beta".into() });
    assert_eq!(error("gamma").to_string(), "the root \"gamma\" is a host; a root is a switch");
}

#[test]
fn the_root_is_the_smallest_uid_unless_named() {
    let mut builder = NetworkBuilder::new();
    let (a, b) = (builder.add_switch("a"), builder.add_switch("b"));
    builder.set_uid(a, 9);
    builder.add_link(a, b, None, None);
    let network = builder.build().unwrap();
    let root = |rule| Routes::compute(&network, &rule).unwrap().root();
    assert_eq!(root(RoutingRule::UpDown { roots: Vec::new() }), Some(b));
    assert_eq!(root(RoutingRule::UpDown { roots: vec!["a".into()] }), Some(a));
    assert_eq!(root(RoutingRule::Shortest), None);
}

#[test]
fn a_network_that_loses_or_gains_a_link_has_routes_of_its_own() {
    let mut builder = NetworkBuilder::new();
    let ids: Vec<SwitchId> = (0..4).map(|i| builder.add_switch(format!("s{i}"))).collect();
    for (i, &id) in ids.iter().enumerate() {
        builder.add_link(id, ids[(i + 1) % 4], None, None);
        builder.add_host(format!("h{i}"), id, Role::Any);
    }
    let ring = builder.build().unwrap();
    let distance = |network: &Network, from: usize, to: usize| {
        Routes::compute(network, &RoutingRule::Shortest).unwrap().distance(ids[from], 0, ids[to])
    };
    assert_eq!((distance(&ring, 0, 1), distance(&ring, 0, 2)), (Some(1), Some(2)));
    let first = ring.link_ids().next().unwrap();
    assert_eq!(distance(&ring.keeping_links(|link| link != first), 0, 1), Some(3));
    assert_eq!(distance(&ring.with_link([ids[0], ids[2]], None, None), 0, 2), Some(1));
}
