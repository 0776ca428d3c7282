//! Tables by destination: what the engines compute, and what the check finds in tables that are wrong.

use hopscope_topology::{
    Chain, ChannelDependencies, Demand, DestinationTables, Dragonfly, FatTree, Figures, Grid, HostId,
    Hypercube, Misdelivery, Network, NetworkBuilder, NetworkSpec, Node, PathEnd, Random, Role, Routes,
    RoutingRule, SwitchId, TableCheck, TableEngine, TableEngineError, UsedInPart,
};
use proptest::prelude::*;

fn built(spec: &NetworkSpec) -> Network {
    spec.build().expect("parameters in range")
}

fn ring(switches: u32) -> Network {
    built(&NetworkSpec::Ring(Chain { switches, hosts_per_switch: 1, servers: 0, ..Chain::default() }))
}

fn torus(width: u32, height: u32) -> Network {
    built(&NetworkSpec::Torus(Grid { width, height, hosts_per_switch: 2, servers: 0, placement_seed: 0 }))
}

fn checked(network: &Network, engine: &TableEngine) -> TableCheck {
    let tables = DestinationTables::compute(network, engine).expect("an engine for this network");
    TableCheck::new(network, &tables, &[])
}

fn up_down() -> TableEngine {
    TableEngine::UpDown { roots: Vec::new() }
}

#[test]
fn shortest_paths_of_a_torus_can_lock_and_up_down_cannot() {
    let network = torus(7, 5);
    let shortest = checked(&network, &TableEngine::Shortest);
    assert_eq!((shortest.unreachable_pairs, shortest.looping_pairs), (0, 0));
    assert_eq!(shortest.detours.keys().copied().collect::<Vec<_>>(), [0]);
    // A circle of seven in a row, or of five in a column, each a step of two: four channels close it at the least.
    assert!(shortest.credit_loop.expect("a torus turns round").len() >= 3);
    let legal = checked(&network, &up_down());
    assert_eq!((legal.switches, legal.hosts, legal.links), (35, 70, 70));
    assert!(legal.is_safe(), "{:?}", legal.credit_loop);
    assert_eq!(legal.down_up_turns, 0);
}

#[test]
fn a_dimension_at_a_time_is_free_of_cycles_in_a_mesh_and_a_cube() {
    let mesh = built(&NetworkSpec::Mesh(Grid { width: 4, height: 4, servers: 0, ..Grid::default() }));
    let cube = built(&NetworkSpec::Hypercube(Hypercube { servers: 0, ..Hypercube::default() }));
    for network in [mesh, cube] {
        let check = checked(&network, &TableEngine::DimensionOrder);
        assert!(check.is_safe());
        assert_eq!(check.longest as usize, longest_shortest_path(&network));
    }
}

fn longest_shortest_path(network: &Network) -> usize {
    let routes = Routes::compute(network, &RoutingRule::Shortest).expect("routes");
    Figures::new(network, &routes, Demand::Uniform).diameter.into()
}

#[test]
fn a_path_arrives_at_its_host_or_another_is_lost_or_loops() {
    let network = ring(4);
    let mut tables = DestinationTables::compute(&network, &TableEngine::Shortest).expect("tables");
    let (from, to) = (HostId::new(0), HostId::new(2));
    let path = tables.path(&network, from, to);
    assert_eq!((path.hops.len(), path.end), (3, PathEnd::Arrives));
    let second = network.node(&path.hops[1].from);
    let Some(Node::Switch(second)) = second else { panic!("{second:?} is on the way") };
    let back = network.neighbours(second).find(|(_, _, far, _)| *far == network.host(from).switch);
    tables.set(second, to, back.expect("it came from there").0);
    assert_eq!(tables.path(&network, from, to).end, PathEnd::Loops);
    let other = network.host_ids().find(|id| network.host(*id).switch == second).expect("each has one");
    tables.set(second, to, network.host(other).port);
    let path = tables.path(&network, from, to);
    assert_eq!((path.hops.len(), path.end), (2, PathEnd::WrongHost));
    tables.set(second, to, 99);
    assert_eq!(tables.path(&network, from, to).end, PathEnd::Lost);
}

#[test]
fn d_mod_k_spreads_a_fat_tree_evenly() {
    let network = built(&NetworkSpec::FatTree(FatTree::default()));
    let check = checked(&network, &TableEngine::DModK);
    assert!(check.is_safe());
    assert_eq!(check.detours.keys().copied().collect::<Vec<_>>(), [0]);
    let [first, .., last] = &check.most_loaded[..] else { panic!("a tree has links") };
    assert_eq!(first.pairs, last.pairs, "the most loaded links are alike");
}

/// Four leaves of 8 hosts, two spines, and four cables for each pair: in the leaf's ports spine after spine, or in
/// turns.
fn with_parallel_cables(in_turns: bool) -> (NetworkBuilder, SwitchId) {
    let mut builder = NetworkBuilder::new();
    let leaves: Vec<SwitchId> = (0..4).map(|number| builder.add_switch(format!("leaf{number}"))).collect();
    let spines: Vec<SwitchId> = (0..2).map(|number| builder.add_switch(format!("spine{number}"))).collect();
    leaves.iter().for_each(|leaf| add_hosts(&mut builder, *leaf, 8));
    for (i, leaf) in (0..).zip(&leaves) {
        for (j, spine) in (0..).zip(&spines) {
            for n in 0..4 {
                let up = 8 + if in_turns { 2 * n + j } else { 4 * j + n };
                builder.add_link_at([(*leaf, Some(up)), (*spine, Some(4 * i + n))], None, None);
            }
        }
    }
    (builder, leaves[0])
}

fn add_hosts(builder: &mut NetworkBuilder, at: SwitchId, count: u16) {
    for number in 0..count {
        let host = builder.add_loose_host(format!("h{}-{number}", at.index()), Role::Any);
        builder.attach(host, at, Some(number), None, None);
    }
}

/// Packets for a host come down the other end of the cable that they would go up by, so parallel cables carry alike
/// both ways: whatever the order of a leaf's ports.
#[test]
fn d_mod_k_spreads_over_parallel_cables() {
    for in_turns in [false, true] {
        let (builder, _) = with_parallel_cables(in_turns);
        let check = checked(&builder.build().expect("a tree"), &TableEngine::DModK);
        assert!(check.most_loaded.iter().all(|load| load.pairs == 24), "{:?}", check.most_loaded);
        assert_eq!(check.worst_permutation.map(|worst| worst.flows), Some(3));
    }
}

/// With all of its core as roots, up*/down* on a fat tree is any shortest path, and as balanced as d-mod-k: but for the
/// pairs that a leaf has within it, every link carries alike.
#[test]
fn all_engines_for_trees_spread_a_fat_tree_evenly() {
    let network = built(&NetworkSpec::FatTree(FatTree { radix: 8, ..FatTree::default() }));
    let roots = network.switch_ids().filter(|id| network.switch(*id).name.starts_with("core")).collect();
    for engine in [TableEngine::UpDown { roots }, TableEngine::Shortest, TableEngine::DModK] {
        let check = checked(&network, &engine);
        // 128 hosts; an up link of a leaf takes 4 senders to a quarter of the 124 others.
        assert_eq!((check.most_loaded[0].pairs, check.worst_permutation.map(|w| w.flows)), (4 * 31, Some(7)));
    }
}

/// In a torus of odd sides dimension order leaves no choice but the direction, and all links of a dimension carry
/// alike.
#[test]
fn dimension_order_spreads_a_torus_evenly() {
    let check = checked(&torus(7, 5), &TableEngine::DimensionOrder);
    // Two hosts a switch. Across: the ways to 1, 2 and 3 switches further take 1 + 2 + 3 links in each of two
    // directions.
    let across = 2 * 2 * (1 + 2 + 3) * 5;
    assert_eq!(check.most_loaded[0].pairs, across);
    assert!(check.most_loaded.iter().all(|load| load.pairs == across));
}

/// A leaf that sends up by 2 of its 8 links leaves 6 of them idle, one way.
#[test]
fn a_switch_that_uses_some_of_its_up_links_is_told() {
    let (builder, leaf) = with_parallel_cables(false);
    let network = builder.build().expect("a tree");
    let spines: Vec<SwitchId> =
        network.switch_ids().filter(|id| network.switch(*id).name.starts_with("spine")).collect();
    let mut tables = DestinationTables::compute(&network, &TableEngine::DModK).expect("a tree");
    let even = TableCheck::new(&network, &tables, &spines);
    assert_eq!((even.idle_channels, even.used_in_part), (0, vec![]));
    for host in network.host_ids().filter(|id| network.host(*id).switch != leaf) {
        tables.set(leaf, host, 8 + 4 * (host.index() % 2) as u16);
    }
    let uneven = TableCheck::new(&network, &tables, &spines);
    let expected = UsedInPart { switch: "leaf0".to_owned(), used: 2, links: 8 };
    assert!(uneven.is_safe());
    assert_eq!((uneven.idle_channels, uneven.used_in_part), (6, vec![expected]));
}

/// A small switch below a leaf, for storage say, changes nothing of the tree above it: leaves still go by each host's
/// own number.
#[test]
fn d_mod_k_spreads_a_tree_with_a_switch_below_a_leaf() {
    let (mut builder, leaf) = with_parallel_cables(false);
    let below = builder.add_switch("storage".to_owned());
    add_hosts(&mut builder, below, 3);
    for n in 0..6 {
        builder.add_link_at([(below, Some(10 + n)), (leaf, Some(20 + n))], None, None);
    }
    let check = checked(&builder.build().expect("a tree"), &TableEngine::DModK);
    assert!(check.is_safe());
    assert_eq!(check.detours.keys().copied().collect::<Vec<_>>(), [0]);
    // Down, the 24 hosts of the other leaves send to one host of the first leaf and to one of the 3 below it. Up, the
    // 11 hosts of both send to 3 hosts of the other leaves by each of 8 links.
    let loads: Vec<_> = check.most_loaded.iter().map(|load| (&load.channel.from[..4], load.pairs)).collect();
    assert_eq!(loads[..4], [("spin", 48), ("spin", 48), ("spin", 48), ("leaf", 33)]);
}

#[test]
fn d_mod_k_is_refused_where_there_are_no_tiers() {
    let refused = DestinationTables::compute(&ring(5), &TableEngine::DModK);
    assert!(matches!(refused, Err(TableEngineError::NoTree { tier: 0, .. })));
}

#[test]
fn two_roots_without_a_way_between_them_are_refused() {
    let network =
        built(&NetworkSpec::Line(Chain { switches: 3, hosts_per_switch: 1, servers: 0, ..Chain::default() }));
    let roots = vec![SwitchId::new(0), SwitchId::new(2)];
    let refused = DestinationTables::compute(&network, &TableEngine::UpDown { roots });
    assert!(matches!(refused, Err(TableEngineError::NoRoute { .. })), "{refused:?}");
}

/// In a ring of five, all hosts send clockwise: all pairs arrive, and the ring of channels waits for itself.
#[test]
fn a_ring_that_turns_one_way_is_a_credit_loop() {
    let network = ring(5);
    let tables = clockwise(&network);
    let check = TableCheck::new(&network, &tables, &[]);
    assert_eq!((check.unreachable_pairs, check.looping_pairs), (0, 0));
    assert_eq!(check.credit_loop.as_ref().map(Vec::len), Some(5));
    assert_eq!(check.longest, 4);
    // Three of every switch's four ways round are 1 or 2 links longer than the other way: 3 - 2, 4 - 1.
    assert_eq!(check.detours.into_iter().collect::<Vec<_>>(), [(0, 10), (1, 5), (3, 5)]);
    // Every link carries the flow to each of 4 receivers from 1, 2, 3, 4 senders, and 4 of those can be kept apart.
    let loads: Vec<u64> = check.most_loaded.iter().map(|load| load.pairs).collect();
    assert_eq!(loads, [10, 10, 10, 10, 10, 0, 0, 0, 0, 0]);
    let worst = check.worst_permutation.expect("flows between switches");
    assert_eq!((worst.flows, worst.exact, worst.pairs.len()), (4, true, 4));
}

fn clockwise(network: &Network) -> DestinationTables {
    let mut tables = DestinationTables::new(network);
    for host in network.host_ids() {
        for switch in network.switch_ids() {
            let next = SwitchId::new((switch.index() + 1) % network.switches().len());
            let way = network.neighbours(switch).find(|(_, _, far, _)| *far == next);
            let (port, ..) = way.expect("a ring");
            let own = network.host(host).switch == switch;
            tables.set(switch, host, if own { network.host(host).port } else { port });
        }
    }
    tables
}

/// A port without a cable stands once for all receivers, and a host that no switch has an entry for once for all
/// switches: before, each was a row for every pair of both.
#[test]
fn a_port_without_a_cable_and_a_host_without_entries_stand_once() {
    let network = ring(6);
    let lost = |change: &dyn Fn(&mut DestinationTables)| {
        let mut tables = clockwise(&network);
        change(&mut tables);
        TableCheck::new(&network, &tables, &[]).unreachable
    };
    let at_a_port = lost(&|tables| {
        (1..4).for_each(|host| tables.set(SwitchId::new(0), HostId::new(host), 99));
    });
    let told =
        |pair: &hopscope_topology::Pair| (pair.port, pair.also_to, pair.also_at.clone(), pair.way.len());
    assert_eq!(at_a_port.iter().map(told).collect::<Vec<_>>(), [(Some(99), 2, vec![], 1)]);
    // To host 1 from switches 0, 2, 3, 4 and 5; to host 2 from 0, 3, 4 and 5; to host 3 from 0, 4 and 5.
    assert_eq!(at_a_port[0].pairs, 5 + 4 + 3);
    let empty = DestinationTables::new(&network);
    let without_entry = TableCheck::new(&network, &empty, &[]).unreachable;
    let further = without_entry.iter().map(|pair| (pair.port, pair.also_at.len(), pair.pairs));
    // The host's own switch has no sender to it.
    assert_eq!(further.collect::<Vec<_>>(), vec![(None, 4, 5); 6]);
}

#[test]
fn what_is_lost_what_goes_round_and_what_comes_to_another_host_is_told_apart() {
    let network = ring(4);
    let mut tables = clockwise(&network);
    let port = |from: usize, to: usize| {
        let mut ways = network.neighbours(SwitchId::new(from));
        ways.find(|(_, _, far, _)| far.index() == to).expect("neighbours").0
    };
    // Towards host 0, switches 1 and 2 send to each other; towards host 1, switch 3 drops everything; towards host 2,
    // switch 0 hands everything to its own host: what comes from host 3, and from that host itself.
    tables.set(SwitchId::new(2), HostId::new(0), port(2, 1));
    tables.set(SwitchId::new(3), HostId::new(1), 99);
    let own = network.host(HostId::new(0)).port;
    tables.set(SwitchId::new(0), HostId::new(2), own);
    let check = TableCheck::new(&network, &tables, &[]);
    assert!(!check.is_safe());
    assert_eq!((check.looping_pairs, check.unreachable_pairs, check.misdelivered_pairs), (2, 2, 2));
    let way = |pair: &hopscope_topology::Pair| (pair.from.clone(), pair.to.clone(), pair.way.join(" "));
    assert_eq!(way(&check.loops[0]), ("h1".into(), "h0".into(), "s1 s2 s1".into()));
    assert_eq!(way(&check.unreachable[0]), ("h2".into(), "h1".into(), "s2 s3".into()));
    // Each entry and each loop stands once, with its port and with the pairs that meet it.
    assert_eq!(
        (check.unreachable.len(), check.unreachable[0].port, check.unreachable[0].pairs),
        (1, Some(99), 2)
    );
    let ring_ports = vec![port(1, 2), port(2, 1)];
    assert_eq!((check.loops.len(), &check.loops[0].ports, check.loops[0].pairs), (1, &ring_ports, 2));
    let wrong = |to: &str, port, reached: &str, pairs| Misdelivery {
        switch: "s0".to_owned(),
        port,
        to: to.to_owned(),
        lid: None,
        reached: reached.to_owned(),
        pairs,
    };
    assert_eq!(check.misdelivered, [wrong("h2", own, "h0", 2)]);
    // Alone it is no less unsafe, and what a run refuses has the host's name.
    let mut alone = clockwise(&network);
    alone.set(SwitchId::new(0), HostId::new(2), own);
    let check = TableCheck::new(&network, &alone, &[]);
    assert_eq!((check.unreachable_pairs, check.is_safe()), (0, false));
    let pair = alone.dropped(&network).expect("packets that do not arrive");
    assert_eq!((pair.to.as_str(), pair.wrong_host.as_deref()), ("h2", Some("h0")));
}

#[test]
fn figures_of_tables_are_those_of_the_same_routes() {
    let network =
        built(&NetworkSpec::Line(Chain { switches: 6, hosts_per_switch: 3, servers: 0, ..Chain::default() }));
    let computed = Routes::compute(&network, &RoutingRule::Shortest).expect("routes");
    let tables = DestinationTables::compute(&network, &TableEngine::Shortest).expect("tables");
    let followed = Routes::of_tables(&network, tables).expect("routes");
    assert_eq!(
        Figures::new(&network, &computed, Demand::Uniform),
        Figures::new(&network, &followed, Demand::Uniform)
    );
}

/// What OpenSM's updn computes: each switch its own shortest legal way, whatever way packets have come to it. Of
/// several ports the lowest is taken.
fn without_input_ports(network: &Network, root: SwitchId) -> DestinationTables {
    let root = network.switch(root).name.clone();
    let rule = RoutingRule::UpDown { roots: vec![root] };
    let routes = Routes::compute(network, &rule).expect("a root of the network");
    let mut tables = DestinationTables::new(network);
    for host in network.host_ids() {
        let to = network.host(host).switch;
        for sender in network.hosts() {
            let from = sender.switch;
            let own = (from == to).then_some(network.host(host).port);
            let from_host = routes.phase(from, sender.port);
            let port = own.or_else(|| routes.next_ports(from, from_host, to).first().copied());
            tables.set(from, host, port.expect("up*/down* reaches everything"));
        }
    }
    tables
}

/// The networks on which `tests/python/fabrics/test_subnet.py` has OpenSM compute its tables.
fn irregular(seed: u64) -> Network {
    let random = Random { switches: 24, degree: 3, regular: false, seed, ..Random::default() };
    built(&NetworkSpec::Random(random))
}

/// Tables do not see the input port. That the shortest legal way of each switch is not enough then shows on some
/// irregular networks as an illegal turn, and on some of these as a credit loop; ours have neither on any.
#[test]
fn the_shortest_legal_way_of_each_switch_can_lock_an_irregular_network() {
    let root = SwitchId::new(0);
    let (mut turning, mut locking) = (0, 0);
    for seed in 0..40 {
        let network = irregular(seed);
        let naive = TableCheck::new(&network, &without_input_ports(&network, root), &[root]);
        assert_eq!((naive.unreachable_pairs, naive.looping_pairs), (0, 0));
        turning += u32::from(naive.down_up_turns > 0);
        locking += u32::from(!naive.is_safe());
        assert!(naive.is_safe() || naive.down_up_turns > 0, "only an illegal turn closes a circle");
        let ours = checked(&network, &TableEngine::UpDown { roots: vec![root] });
        assert!(ours.is_safe() && ours.down_up_turns == 0);
    }
    assert!(locking > 0 && turning > locking, "{turning} networks with illegal turns, {locking} that lock");
}

fn random_network() -> impl Strategy<Value = Network> {
    (3_u32..24, 2_u32..5, any::<u64>(), 1_u32..4).prop_map(|(switches, degree, seed, hosts_per_switch)| {
        let random = Random {
            switches,
            degree: degree.min(switches - 1),
            regular: false,
            seed,
            hosts_per_switch,
            ..Random::default()
        };
        built(&NetworkSpec::Random(random))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn up_down_tables_are_safe_on_any_network(network in random_network(), root in any::<prop::sample::Index>()) {
        let root = SwitchId::new(root.index(network.switches().len()));
        let tables = DestinationTables::compute(&network, &TableEngine::UpDown { roots: vec![root] }).expect("tables");
        let check = TableCheck::new(&network, &tables, &[root]);
        prop_assert!(check.is_safe());
        prop_assert_eq!(check.down_up_turns, 0);
        let all: u64 = check.detours.values().sum();
        prop_assert_eq!(all, check.pairs);
    }

    #[test]
    fn shortest_tables_are_shortest_on_any_network(network in random_network()) {
        let check = checked(&network, &TableEngine::Shortest);
        prop_assert_eq!(check.detours.into_iter().collect::<Vec<_>>(), [(0, check.pairs)]);
    }

    /// The cycle that is printed is one: each channel ends where the next begins, and some packet goes on by it.
    #[test]
    fn a_credit_loop_is_a_loop(network in random_network()) {
        let tables = DestinationTables::compute(&network, &TableEngine::Shortest).expect("tables");
        let cycle = ChannelDependencies::of_tables(&network, &tables).shortest_cycle().unwrap_or_default();
        for (channel, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            prop_assert_eq!(channel.to(&network), next.from);
            let follows = |host: HostId| {
                tables.port(channel.from, host) == Some(channel.port) && tables.port(next.from, host) == Some(next.port)
            };
            prop_assert!(network.host_ids().any(follows));
        }
    }

    /// No random permutation puts more flows on a link than the worst one found.
    #[test]
    fn no_permutation_is_worse_than_the_worst(network in random_network(), shift in 1_usize..50) {
        let tables = DestinationTables::compute(&network, &up_down()).expect("tables");
        let worst = TableCheck::new(&network, &tables, &[]).worst_permutation.expect("several switches");
        prop_assert!(worst.exact);
        let hosts = network.hosts().len();
        let mut flows = std::collections::BTreeMap::new();
        for from in 0..hosts {
            let to = HostId::new((from + shift) % hosts);
            let mut at = network.host(HostId::new(from)).switch;
            while at != network.host(to).switch {
                let port = tables.port(at, to).expect("complete tables");
                *flows.entry((at, port)).or_insert(0) += 1;
                at = hopscope_topology::Channel { from: at, port, lane: 0 }.to(&network);
            }
        }
        prop_assert!(flows.values().all(|carried| *carried <= worst.flows));
        prop_assert_eq!(worst.pairs.len() as u64, worst.flows);
    }
}

/// Three switches in a ring. By the first LID of each host one pair goes the long way round, by the second two others
/// do: each alone leaves the ring open, and both together close it.
#[test]
fn a_credit_loop_may_run_over_the_paths_of_several_lids() {
    let network = ring(3);
    let switch_of = |host: HostId| network.host(host).switch;
    let mut way_to = vec![DestinationTables::compute(&network, &TableEngine::Shortest).expect("tables"); 2];
    let onward = |from: usize| {
        let mut ways = network.neighbours(SwitchId::new(from));
        ways.find(|(_, _, far, _)| far.index() == (from + 1) % 3).expect("a link to the next").0
    };
    for (path, from) in [(0, 0), (1, 1), (1, 2)] {
        let to = network.host_ids().find(|id| switch_of(*id).index() == (from + 2) % 3).expect("a host");
        way_to[path].set(SwitchId::new(from), to, onward(from));
    }
    for tables in &way_to {
        assert!(TableCheck::new(&network, tables, &[]).is_safe());
    }
    let both = TableCheck::of_paths(&network, &way_to, &[]);
    let around: Vec<_> = both.credit_loop.as_ref().expect("a ring").iter().map(|hop| &hop.from).collect();
    assert_eq!(around.len(), 3);
    assert_eq!((both.paths, both.pairs, both.detours.get(&1)), (2, 12, Some(&3)));
    assert!(!both.is_safe() && both.worst_permutation.is_none());
}

#[test]
fn tables_are_found_to_be_the_same_while_they_are_computed_and_afterwards() {
    let dragonfly = NetworkSpec::Dragonfly(Dragonfly { servers: 0, ..Dragonfly::default() });
    let random = Random { switches: 40, degree: 5, hosts_per_switch: 3, servers: 0, ..Random::default() };
    let networks = [
        built(&NetworkSpec::FatTree(FatTree { radix: 16, ..FatTree::default() })),
        built(&dragonfly),
        built(&NetworkSpec::Random(random)),
        torus(7, 5),
    ];
    for network in &networks {
        for engine in [up_down(), TableEngine::Shortest, TableEngine::DimensionOrder] {
            let meanwhile = TableCheck::of_engine(network, &engine, &[]).expect("an engine for any network");
            assert_eq!(meanwhile, checked(network, &engine), "{engine:?}");
        }
    }
    let refused = TableCheck::of_engine(&ring(5), &TableEngine::DModK, &[]);
    assert!(matches!(refused, Err(TableEngineError::NoTree { .. })), "{refused:?}");
}

/// A ring whose hosts have the larger numbers at the smaller ports: engines compute their tables by port, so the first
/// host of a turn is not the first that is looked at.
#[test]
fn the_first_host_of_a_turn_is_told_in_whichever_order_tables_come() {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<SwitchId> = (0..5).map(|number| builder.add_switch(format!("s{number}"))).collect();
    for at in 0..5 {
        builder.add_link_at([(switches[at], Some(0)), (switches[(at + 1) % 5], Some(1))], None, None);
    }
    for number in 0..20 {
        let host = builder.add_loose_host(format!("h{number}"), Role::Any);
        builder.attach(host, switches[number / 4], Some(5 - (number % 4) as u16), None, None);
    }
    let network = builder.build().expect("a ring");
    let meanwhile = TableCheck::of_engine(&network, &TableEngine::Shortest, &[]).expect("any network");
    assert!(meanwhile.down_up_turns > 0);
    assert_eq!(meanwhile.turns, checked(&network, &TableEngine::Shortest).turns);
    for turn in &meanwhile.turns {
        assert!(turn.to[1..].parse::<usize>().expect("a number") % 4 == 0, "{turn:?}");
    }
}
