//! AN1's six networks against Table 1 and what section 3.2 says of their routes.

use hopscope_topology::{
    ChannelDependencies, Demand, Figures, Network, NetworkSpec, Node, Role, Routes, RoutingRule,
    ShortestPathsLost, SinglePoints, SwitchId,
};

const SIX: [&str; 6] = ["torus", "hypercube", "corefringe", "mstage", "floors", "floors-plus"];
const UP_DOWN: RoutingRule = RoutingRule::UpDown { roots: Vec::new() };

fn network(toml: &str) -> Network {
    toml::from_str::<NetworkSpec>(toml).unwrap().build().unwrap()
}

fn default_network(family: &str) -> Network {
    network(&format!("[{family}]"))
}

fn figures(network: &Network, rule: &RoutingRule) -> Figures {
    Figures::new(network, &Routes::compute(network, rule).unwrap(), Demand::of(network))
}

#[test]
fn table_1() {
    let rows: Vec<String> = SIX
        .iter()
        .map(|family| {
            let network = default_network(family);
            let servers = network.hosts().iter().filter(|host| host.role == Role::Server).count();
            let (switches, hosts) = (network.switches().len(), network.hosts().len());
            format!("{family:11} {switches:3} switches {hosts:3} hosts {servers:2} servers")
        })
        .collect();
    // Corefringe's 28 in Table 1 leave out the root, which carries no traffic.
    insta::assert_snapshot!(rows.join("\n"), @r"
    torus        20 switches  80 hosts  8 servers
    hypercube    32 switches  96 hosts  9 servers
    corefringe   29 switches  80 hosts  8 servers
    mstage       24 switches  88 hosts  8 servers
    floors       24 switches  80 hosts  8 servers
    floors-plus  24 switches  80 hosts  8 servers
    ");
}

#[test]
fn no_switch_has_more_than_an_an1_switchs_12_ports() {
    for family in SIX {
        let network = default_network(family);
        let most = network.switches().iter().map(|switch| switch.ports.len()).max();
        assert!(most <= Some(12), "{family}: {most:?}");
    }
}

/// Section 2.3: failure of a single switch cannot partition the network.
#[test]
fn no_single_failure_cuts_a_network() {
    for family in SIX {
        let found = figures(&default_network(family), &UP_DOWN).single_points_of_failure;
        assert_eq!(found, SinglePoints::default(), "{family}");
    }
}

#[test]
fn all_shortest_paths_are_legal_where_the_paper_says_so() {
    for (family, legal) in [
        ("torus", false),
        ("hypercube", false),
        ("corefringe", true),
        ("mstage", true),
        ("floors", false),
        ("floors-plus", true),
        // A ring of floors has two ways between opposite floors, and only the one by the root's is legal.
        ("floors-plus]\ninterconnect = \"ring\"\n#", false),
        ("floors-plus]\ninterconnect = \"line\"\n#", true),
        ("mstage]\npairing = \"all-pairs\"\n#", true),
        ("mstage]\npairing = \"fixed-pairs\"\n#", true),
    ] {
        let network = default_network(family);
        let up_down = Routes::compute(&network, &UP_DOWN).unwrap();
        let shortest = Routes::compute(&network, &RoutingRule::Shortest).unwrap();
        let lost = ShortestPathsLost::new(&network, &up_down, &shortest, Demand::ClientServer);
        assert_eq!(lost.is_none(), legal, "{family}: {lost:?}");
    }
}

#[test]
fn a_root_at_level_1_of_mstage_forbids_shortest_paths() {
    let network = default_network("mstage");
    let shortest = Routes::compute(&network, &RoutingRule::Shortest).unwrap();
    let rule = RoutingRule::UpDown { roots: vec!["l1s0".into()] };
    let up_down = Routes::compute(&network, &rule).unwrap();
    assert!(!ShortestPathsLost::new(&network, &up_down, &shortest, Demand::ClientServer).is_none());
}

/// A d-cube's route clears the bits that differ on the way up and sets the others on the way down. It passes the root
/// where no bit is set at both ends: 3 of 4 cases for each bit.
#[test]
fn the_root_of_a_cube_passes_three_quarters_to_the_d() {
    for dimensions in 1..=6 {
        let network = network(&format!(
            "hypercube = {{ dimensions = {dimensions}, hosts_per_switch = 1, servers = 0 }}"
        ));
        let share = figures(&network, &UP_DOWN).through_root.unwrap();
        assert!((share - 0.75f64.powi(dimensions)).abs() < 1e-12, "d = {dimensions}: {share}");
    }
    let an1 = figures(&default_network("hypercube"), &UP_DOWN);
    assert!((an1.through_root.unwrap() - 0.2373).abs() < 0.0001);
}

/// On Floors no traffic passes the second centre of the root's floor; the links that Floors+ adds cure that and carry
/// nothing.
#[test]
fn floors_loses_a_centre_and_floors_plus_gets_it_back() {
    for interconnect in ["full", "ring", "line"] {
        let floors = network(&format!("floors = {{ interconnect = \"{interconnect}\" }}"));
        let found = figures(&floors, &UP_DOWN);
        assert_eq!(found.idle_switches, ["f0c1"], "{interconnect}");
        assert!(found.idle_links.iter().all(|ends| ends.contains(&"f0c1".to_owned())));
        let Some(Node::Switch(centre)) = floors.node("f0c1") else { panic!("f0c1 is a switch") };
        assert_eq!(found.idle_links.len(), floors.switch(centre).ports.len());

        let plus = network(&format!("floors-plus = {{ interconnect = \"{interconnect}\" }}"));
        let found = figures(&plus, &UP_DOWN);
        assert!(found.idle_switches.is_empty());
        let added = [["f0c0", "f0c1"], ["f1c0", "f1c1"], ["f2c0", "f2c1"], ["f3c0", "f3c1"]];
        assert_eq!(found.idle_links, added, "{interconnect}");
    }
}

#[test]
fn corefringes_root_carries_no_traffic() {
    let network = default_network("corefringe");
    let found = figures(&network, &UP_DOWN);
    assert_eq!(found.root.as_deref(), Some("root"));
    assert_eq!(found.idle_switches, ["root"]);
    assert_eq!(found.through_root, Some(0.0));
    assert_eq!(found.idle_links.len(), 8);
}

/// Two fringe switches have one or two core switches in common; those of one group have all four.
#[test]
fn fringe_switches_share_core_switches() {
    let network = default_network("corefringe");
    let cores = |fringe: SwitchId| network.neighbours(fringe).map(|(_, _, core, _)| core).collect::<Vec<_>>();
    let fringes: Vec<SwitchId> =
        network.switch_ids().filter(|id| network.switch(*id).name.starts_with("fringe")).collect();
    for (i, &a) in fringes.iter().enumerate() {
        assert_eq!(cores(a).len(), 4);
        for &b in &fringes[i + 1..] {
            let common = cores(a).iter().filter(|core| cores(b).contains(core)).count();
            let same_group = cores(a) == cores(b);
            assert!(
                if same_group { common == 4 } else { common == 1 || common == 2 },
                "{a:?} and {b:?}: {common}"
            );
        }
    }
}

#[test]
fn mstage_servers_are_three_switches_from_clients() {
    let found = figures(&default_network("mstage"), &UP_DOWN);
    assert_eq!(found.hop_histogram.into_iter().collect::<Vec<_>>(), [(3, 2 * 8 * 80)]);
    assert_eq!(found.diameter, 4);
    assert!((found.mean_hops - 3.0).abs() < 1e-12);
}

#[test]
fn figures_of_the_six() {
    let mut rows = Vec::new();
    for family in SIX {
        let network = default_network(family);
        for rule in [UP_DOWN, RoutingRule::Shortest] {
            let found = figures(&network, &rule);
            let top = &found.most_loaded_links[0];
            rows.push(format!(
                "{family:11} {:8} diameter {} mean hops {:.3} root {:10} through root {} top {} -> {} {:.4}",
                if rule == UP_DOWN { "up-down" } else { "shortest" },
                found.diameter,
                found.mean_hops,
                found.root.as_deref().unwrap_or("-"),
                found.through_root.map_or("-".into(), |share| format!("{share:.4}")),
                top.from,
                top.to,
                top.share,
            ));
        }
    }
    insta::assert_snapshot!(rows.join("\n"), @r"
    torus       up-down  diameter 5 mean hops 3.264 root x0y0       through root 0.2925 top x2y0 -> x1y0 0.0796
    torus       shortest diameter 4 mean hops 3.208 root -          through root - top x1y0 -> x2y0 0.0367
    hypercube   up-down  diameter 5 mean hops 3.519 root s00000     through root 0.2373 top s00000 -> s00001 0.0497
    hypercube   shortest diameter 5 mean hops 3.519 root -          through root - top s00000 -> s00001 0.0218
    corefringe  up-down  diameter 2 mean hops 2.917 root root       through root 0.0000 top core2 -> fringe7 0.0260
    corefringe  shortest diameter 2 mean hops 2.917 root -          through root - top core2 -> fringe7 0.0260
    mstage      up-down  diameter 4 mean hops 3.000 root l0s0       through root 0.2515 top l0s0 -> l1s0 0.0312
    mstage      shortest diameter 4 mean hops 3.000 root -          through root - top l0s0 -> l1s0 0.0312
    floors      up-down  diameter 3 mean hops 3.639 root f0c0       through root 0.4219 top f0c0 -> f0a0 0.0833
    floors      shortest diameter 3 mean hops 3.639 root -          through root - top f0c0 -> f0a0 0.0417
    floors-plus up-down  diameter 3 mean hops 3.639 root f0c0       through root 0.2109 top f0c0 -> f0a0 0.0417
    floors-plus shortest diameter 3 mean hops 3.639 root -          through root - top f0c0 -> f0a0 0.0417
    ");
}

#[test]
fn up_down_cannot_deadlock_and_shortest_paths_can() {
    let mut rows = Vec::new();
    for family in SIX {
        let network = default_network(family);
        let cycle = |rule: &RoutingRule| {
            let routes = Routes::compute(&network, rule).unwrap();
            ChannelDependencies::new(&network, &routes).shortest_cycle().map(|cycle| cycle.len())
        };
        assert_eq!(cycle(&UP_DOWN), None, "{family}");
        rows.push(format!("{family:11} {:?}", cycle(&RoutingRule::Shortest)));
    }
    insta::assert_snapshot!(rows.join("\n"), @r"
    torus       Some(4)
    hypercube   Some(4)
    corefringe  None
    mstage      Some(4)
    floors      None
    floors-plus None
    ");
}
