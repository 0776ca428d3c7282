//! Each family against counts that can be made by hand.

use std::collections::BTreeSet;

use hopscope_topology::{
    ChannelDependencies, Demand, Figures, Link, Network, NetworkSpec, Random, Role, Routes, RoutingRule,
    SwitchId,
};
use hopscope_units::{Rate, Span};
use proptest::prelude::*;

fn network(toml: &str) -> Network {
    toml::from_str::<NetworkSpec>(toml).unwrap().build().unwrap()
}

fn figures(network: &Network) -> Figures {
    let routes = Routes::compute(network, &RoutingRule::Shortest).unwrap();
    Figures::new(network, &routes, Demand::of(network))
}

fn counts(toml: &str) -> (usize, usize, usize, u16) {
    let found = figures(&network(toml));
    (found.switches, found.hosts, found.links, found.diameter)
}

#[test]
fn switches_hosts_links_and_diameter() {
    assert_eq!(
        counts("torus = { width = 4, height = 4, hosts_per_switch = 1, servers = 0 }"),
        (16, 16, 32, 4)
    );
    assert_eq!(counts("torus = { width = 2, height = 2, hosts_per_switch = 1, servers = 0 }"), (4, 4, 4, 2));
    assert_eq!(
        counts("mesh = { width = 4, height = 3, hosts_per_switch = 2, servers = 0 }"),
        (12, 24, 17, 5)
    );
    assert_eq!(counts("line = { switches = 5 }"), (5, 5, 4, 4));
    assert_eq!(counts("ring = { switches = 7 }"), (7, 7, 7, 3));
    assert_eq!(counts("star = { arms = 6, hosts_per_arm = 3, hosts_at_hub = 2 }"), (7, 20, 6, 2));
    assert_eq!(counts("fat-tree = { radix = 4 }"), (20, 16, 32, 4));
    assert_eq!(counts("fat-tree = { radix = 8, tiers = 2, hosts_per_edge = 8 }"), (12, 64, 32, 2));
    assert_eq!(
        counts("dragonfly = { routers = 4, hosts_per_router = 2, global_links = 2 }"),
        (36, 72, 90, 3)
    );
    assert_eq!(counts("hypercube = { dimensions = 0, hosts_per_switch = 2, servers = 0 }"), (1, 2, 0, 0));
}

/// Nodes at one place in a drawing cannot be distinguished.
#[test]
fn no_two_switches_are_drawn_at_one_place() {
    for toml in [
        "torus = {}",
        "mesh = {}",
        "ring = { switches = 7 }",
        "line = { switches = 5 }",
        "star = { arms = 6, hosts_per_arm = 3, hosts_at_hub = 2 }",
        "fat-tree = { radix = 4 }",
        "fat-tree = { radix = 8, tiers = 2 }",
        "dragonfly = {}",
        "hypercube = { dimensions = 4 }",
        "random = { switches = 20, degree = 4 }",
        "floors = {}",
        "floors-plus = {}",
        "mstage = {}",
    ] {
        let built = network(toml);
        let places: Vec<(f64, f64)> = built.switches().iter().filter_map(|switch| switch.position).collect();
        for (number, place) in places.iter().enumerate() {
            assert!(!places[..number].contains(place), "{toml}: two switches at {place:?}");
        }
    }
}

/// The mean distance round a ring of 5 is (0+1+1+2+2)/5, round one of 4 (0+1+2+1)/4; the two add. Without a host's
/// messages to itself, 19 of 20 pairs are left; hops count switches, one more than links.
#[test]
fn mean_distance_of_a_torus() {
    let torus = network("torus = { hosts_per_switch = 1, servers = 0 }");
    let links = (6.0 / 5.0 + 4.0 / 4.0) * 20.0 / 19.0;
    assert!((figures(&torus).mean_hops - (links + 1.0)).abs() < 1e-12);
}

/// In a 5 x 4 torus a packet chooses among all next hops of the rectangle between two corners: both steps of an L.
#[test]
fn next_hops_of_a_torus() {
    let torus = network("torus = { hosts_per_switch = 1, servers = 0 }");
    let routes = Routes::compute(&torus, &RoutingRule::Shortest).unwrap();
    let id = |name| match torus.node(name) {
        Some(hopscope_topology::Node::Switch(id)) => id,
        other => panic!("{name} is {other:?}"),
    };
    let next = |to| {
        let ports = routes.next_ports(id("x0y0"), 0, id(to));
        ports
            .iter()
            .map(|port| torus.switch(routes.step(id("x0y0"), *port).0).name.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(next("x1y1"), ["x1y0", "x0y1"]);
    assert_eq!(next("x2y0"), ["x1y0"]);
    // Two rows apart of four, north and south are equally near.
    assert_eq!(next("x0y2"), ["x0y1", "x0y3"]);
    assert_eq!(next("x0y0"), [""; 0]);
}

#[test]
fn any_two_groups_of_a_dragonfly_share_one_link() {
    let dragonfly = network("dragonfly = { routers = 4, hosts_per_router = 2, global_links = 2 }");
    let group = |id: SwitchId| dragonfly.switch(id).name.split('r').next().unwrap().to_owned();
    let mut between = BTreeSet::new();
    for link in dragonfly.links() {
        let Some([a, b]) = link.switches() else { continue };
        let (a, b) = (group(a), group(b));
        assert!(a == b || between.insert((a.clone().min(b.clone()), a.max(b))), "two links between groups");
    }
    assert_eq!(between.len(), 9 * 8 / 2);
    for id in dragonfly.switch_ids() {
        assert_eq!(dragonfly.neighbours(id).count(), 3 + 2);
    }
}

/// A fat tree has every shortest path up and then down, so that it cannot deadlock, whatever the rule.
#[test]
fn fat_trees_are_free_of_deadlock() {
    for tiers in [2, 3] {
        let tree = network(&format!("fat-tree = {{ radix = 4, tiers = {tiers} }}"));
        let routes = Routes::compute(&tree, &RoutingRule::Shortest).unwrap();
        let dependencies = ChannelDependencies::new(&tree, &routes);
        assert!(dependencies.dependency_count() > 0);
        assert_eq!(dependencies.shortest_cycle(), None);
    }
}

#[test]
fn the_only_cycles_of_a_ring_go_all_the_way_round() {
    let ring = network("ring = { switches = 7 }");
    let routes = Routes::compute(&ring, &RoutingRule::Shortest).unwrap();
    let cycle = ChannelDependencies::new(&ring, &routes).shortest_cycle().unwrap();
    assert_eq!(cycle.len(), 7);
    for (channel, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        assert_eq!(routes.step(channel.from, channel.port).0, next.from);
    }
}

#[test]
fn servers_are_spread_one_to_a_switch() {
    for toml in ["torus = {}", "hypercube = {}", "corefringe = {}", "torus = { placement_seed = 7 }"] {
        let network = network(toml);
        let servers: Vec<SwitchId> =
            network.hosts().iter().filter(|host| host.role == Role::Server).map(|host| host.switch).collect();
        assert_eq!(BTreeSet::from_iter(&servers).len(), servers.len(), "{toml}");
        assert!(network.hosts().iter().all(|host| host.role != Role::Any));
    }
}

#[test]
fn placement_seed_0_goes_to_the_farthest_switch_each_time() {
    let line = network("line = { switches = 9, servers = 4 }");
    let servers = line.hosts().iter().filter(|host| host.role == Role::Server);
    let places: Vec<usize> = servers.map(|host| host.switch.index()).collect();
    // 0 first, then the far end, then the middle, then the first of those 2 hops from all of them.
    assert_eq!(places, [0, 2, 4, 8]);
}

#[test]
fn placement_seeds_differ_and_repeat() {
    let roles = |seed: u64| {
        let network = network(&format!("torus = {{ placement_seed = {seed} }}"));
        network.hosts().iter().map(|host| host.role).collect::<Vec<_>>()
    };
    assert_eq!(roles(3), roles(3));
    assert_ne!(roles(3), roles(4));
}

#[test]
fn a_network_written_out() {
    let toml = r#"
        [custom]
        switches = ["a", "b"]
        links = [{ between = ["a", "b"], rate = "10 Mbit/s" }, { between = ["b", "a"], delay = "1 us" }]
        hosts = [{ name = "c", at = "a", role = "client" }, { name = "s", at = "b", role = "server" }]
    "#;
    let network = network(toml);
    assert_eq!(network.links().len(), 4);
    assert_eq!(network.links()[0].rate.map(Rate::bit_s), Some(10_000_000));
    assert_eq!(network.links()[1].delay.map(Span::ps), Some(1_000_000));
    let routes = Routes::compute(&network, &RoutingRule::Shortest).unwrap();
    assert_eq!(routes.next_ports(SwitchId::new(0), 0, SwitchId::new(1)), [0, 1], "both links are next hops");
}

#[test]
fn wrong_parameters_are_named_with_what_was_expected() {
    let problems: Vec<String> = [
        "torus = { width = 0, height = 20000 }",
        "torus = { width = 1000, height = 1000 }",
        "torus = { width = 2, height = 2, hosts_per_switch = 1 }",
        "hypercube = { dimensions = 40 }",
        "corefringe = { hosts_per_switch = 4000000000 }",
        "mstage = { level_1 = 3, pairing = \"fixed-pairs\" }",
        "mstage = { level_2 = 0 }",
        "star = { arms = 0, hosts_at_hub = 30001 }",
        "floors = { hosts_per_arm = 0 }",
        "ring = { switches = 2 }",
        "fat-tree = { radix = 5 }",
        "fat-tree = { tiers = 4 }",
        "fat-tree = { radix = 1000000 }",
        "dragonfly = { routers = 300 }",
        "random = { switches = 5, degree = 3 }",
        "random = { switches = 4, degree = 4 }",
        "file = { path = \"mine.graphml\" }",
        "custom = { switches = [] }",
        "custom = { switches = [\"a\", \"b\"] }",
        "custom = { switches = [\"a\", \"a\"], links = [{ between = [\"a\", \"x\"], rate = \"0 bit/s\" }] }",
        "custom = { switches = [\"a\"], hosts = [{ name = \"h\", at = \"h\" }] }",
        "custom = { switches = [\"a\"], links = [{ between = [\"a\", \"a\"] }] }",
        "custom = { switches = [\"\", \"a:1\"], hosts = [{ name = \" \", at = \"a:1\" }, { name = \"h\\n\", at = \"a:1\" }, { name = \"h -> a\", at = \"a:1\" }] }",
    ]
    .iter()
    .flat_map(|toml| toml::from_str::<NetworkSpec>(toml).unwrap().build().expect_err(toml))
    .map(|problem| format!("{}: {}; expected {}", problem.path, problem.problem, problem.expected))
    .collect();
    insta::assert_snapshot!(problems.join("\n"), @r#"
    torus.width: 0 is out of range; expected 1 to 10000
    torus.height: 20000 is out of range; expected 1 to 10000
    torus: 1000000 switches are too many; expected at most 65534 switches
    torus.servers: 8 servers among 4 hosts; expected at most 4
    hypercube.dimensions: 40 is out of range; expected 0 to 15
    corefringe.hosts_per_switch: 4000000000 is out of range; expected 0 to 30000
    mstage.level_1: 3 switches do not form pairs; expected an even number
    mstage.level_2: 0 is out of range; expected 1 to 30000
    star.hosts_at_hub: 30001 is out of range; expected 0 to 30000
    floors.hosts_per_arm: 0 is out of range; expected 1 to 10000
    ring.switches: 2 is out of range; expected 3 to 65534
    fat-tree.radix: 5 is odd; expected an even number
    fat-tree.tiers: 4 is out of range; expected 2 to 3
    fat-tree.radix: 1000000 is out of range; expected 2 to 256
    dragonfly.routers: 300 is out of range; expected 1 to 256
    random.degree: an odd number of link ends; expected switches times degree even
    random.degree: 4 is out of range; expected 2 to 3
    file.path: the network is in a file; expected a file that has been read
    custom.switches: the network has no switch; expected at least one switch
    custom.links: the network is not connected: no path leads from "a" to "b"; expected a path between any two switches
    custom.switches[1]: "a" is the name of another node; expected a name of its own
    custom.links[0].between[1]: there is no switch "x"; expected the name of one of the switches
    custom.links[0].rate: link rate 0 is out of range; expected more than zero
    custom.hosts[0].at: "h" is a host; expected the name of one of the switches
    custom.links[0].between: "a" is linked to itself; expected two different switches
    custom.switches[0]: the name is empty; expected a name such as "s1" or "rack 3"
    custom.hosts[0].name: the name is empty; expected a name such as "s1" or "rack 3"
    "#);
}

#[test]
fn a_name_like_the_wrong_one_is_offered() {
    let toml =
        "custom = { switches = [\"north\", \"south\"], links = [{ between = [\"nroth\", \"south\"] }] }";
    let problems = toml::from_str::<NetworkSpec>(toml).unwrap().build().unwrap_err();
    assert_eq!(problems[0].hint.as_deref(), Some("did you mean \"north\"?"));
}

#[test]
fn every_family_refuses_unknown_fields() {
    for family in [
        "torus",
        "mesh",
        "hypercube",
        "corefringe",
        "mstage",
        "floors",
        "floors-plus",
        "line",
        "ring",
        "star",
        "fat-tree",
        "dragonfly",
        "random",
    ] {
        let error = toml::from_str::<NetworkSpec>(&format!("{family} = {{ colour = 1 }}")).unwrap_err();
        assert!(error.to_string().contains("unknown field `colour`"), "{family}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_networks_have_the_degree_asked_for(half in 2u32..60, degree in 2u32..7, seed: u64, regular: bool) {
        let switches = 2 * half;
        prop_assume!(degree < switches);
        let spec = NetworkSpec::Random(Random { switches, degree, seed, regular, ..Random::default() });
        let network = spec.build().unwrap();
        let links = network.links().len() - network.hosts().len();
        prop_assert_eq!(links as u32, half * degree);
        let mut pairs: Vec<_> = network.links().iter().filter_map(Link::switches).collect();
        pairs.iter_mut().for_each(|pair| pair.sort());
        prop_assert_eq!(BTreeSet::from_iter(&pairs).len(), links, "no doubled links");
        if regular {
            prop_assert!(network.switch_ids().all(|id| network.neighbours(id).count() == degree as usize));
        }
        prop_assert_eq!(spec.build().unwrap(), network);
    }
}
