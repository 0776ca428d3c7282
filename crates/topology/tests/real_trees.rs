//! Fat trees as they are run, with racks that are off, hosts that manage the subnet at their spines, unequal uplinks
//! and cables of two generations: the family is the same, and nothing correct is reported.

use std::collections::BTreeMap;

use hopscope_topology::{Anomaly, AnomalyKind, Family, Network, NetworkBuilder, Port, Role, anomalies};
use hopscope_units::Rate;

/// A cable between two switches, each with its port.
type Cable = [(String, Port); 2];

/// Switches with the rates of their hosts' cables, and the cables between switches with theirs, in Gbit/s.
struct Tree {
    switches: Vec<(String, Vec<u64>)>,
    cables: Vec<(Cable, u64)>,
}

impl Tree {
    /// Leaves with these numbers of hosts, and of cables to each spine, by leaf. All run at 100 Gbit/s.
    fn leaf_spine(hosts: usize, cables: &[Vec<Port>]) -> Self {
        let spines = cables[0].len();
        let leaves = (1..=cables.len()).map(|i| (format!("leaf{i}"), vec![100; hosts]));
        let mut switches: Vec<_> = leaves.collect();
        switches.extend((1..=spines).map(|j| (format!("spine{j}"), Vec::new())));
        let (mut joined, mut used) = (Vec::new(), BTreeMap::<String, Port>::new());
        let mut port = |switch: &str, first: usize| {
            let used = used.entry(switch.to_owned()).or_insert(first as Port);
            *used += 1;
            (switch.to_owned(), *used)
        };
        for (i, of_leaf) in (1..).zip(cables) {
            for (j, count) in (1..).zip(of_leaf) {
                for _ in 0..*count {
                    let ends = [port(&format!("leaf{i}"), hosts), port(&format!("spine{j}"), 0)];
                    joined.push((ends, 100));
                }
            }
        }
        Self { switches, cables: joined }
    }

    /// `count` pods of four leaves with four hosts each, four spines, and sixteen core switches.
    fn pods(count: Port) -> Self {
        let mut switches: Vec<_> = (1..=16).map(|i| (format!("core{i}"), Vec::new())).collect();
        let mut cables = Vec::new();
        for pod in 1..=count {
            for i in 1..=4 {
                switches.push((format!("p{pod}leaf{i}"), vec![100; 4]));
                switches.push((format!("p{pod}spine{i}"), Vec::new()));
                for j in 1..=4 {
                    let lower = (format!("p{pod}leaf{i}"), 4 + j);
                    cables.push(([lower, (format!("p{pod}spine{j}"), i)], 100));
                    let core = format!("core{}", 4 * (i - 1) + j);
                    cables.push(([(format!("p{pod}spine{i}"), 4 + j), (core, pod)], 100));
                }
            }
        }
        Self { switches, cables }
    }

    fn hosts(&mut self, switch: &str) -> &mut Vec<u64> {
        let found = self.switches.iter_mut().find(|(name, _)| name == switch);
        &mut found.unwrap_or_else(|| panic!("{switch}")).1
    }

    fn without_hosts(mut self, switches: &[&str]) -> Self {
        switches.iter().for_each(|switch| self.hosts(switch).clear());
        self
    }

    fn with_a_host(mut self, switches: &[&str]) -> Self {
        switches.iter().for_each(|switch| self.hosts(switch).push(100));
        self
    }

    /// Sets the rate of the cables of these switches, in Gbit/s.
    fn with_rates(mut self, rate: u64, is_of: impl Fn(&Cable) -> bool) -> Self {
        self.cables.iter_mut().filter(|(cable, _)| is_of(cable)).for_each(|(_, own)| *own = rate);
        self
    }

    fn without(mut self, switch: &str, port: Port) -> Self {
        self.cables.retain(|(cable, _)| !cable.contains(&(switch.to_owned(), port)));
        self
    }

    fn network(&self) -> Network {
        let mut builder = NetworkBuilder::new();
        let rate = |gbit_s: u64| Some(Rate::from_mbit_s(1_000 * gbit_s));
        let mut ids = BTreeMap::new();
        for (name, hosts) in &self.switches {
            let id = builder.add_switch(name.clone());
            ids.insert(name.clone(), id);
            for (number, of_host) in hosts.iter().enumerate() {
                let host = builder.add_loose_host(format!("h-{name}-{number}"), Role::Any);
                // Hosts at spines and core switches are in ports behind those of cables.
                let first = if name.contains("leaf") { 1 } else { 100 };
                builder.attach(host, id, Some(first + number as Port), rate(*of_host), None);
            }
        }
        for (ends, of_cable) in &self.cables {
            builder.add_link_at(
                ends.each_ref().map(|(name, port)| (ids[name], Some(*port))),
                rate(*of_cable),
                None,
            );
        }
        builder.build().unwrap()
    }

    /// The family, and what is odd of these kinds.
    fn told(&self, kinds: &[AnomalyKind]) -> (String, Vec<String>) {
        let network = self.network();
        let family = Family::of(&network);
        let of_kinds = |each: &Anomaly| kinds.contains(&each.kind);
        let odd = anomalies(&network, &family).into_iter().filter(of_kinds).map(|each| each.words).collect();
        (family.words(), odd)
    }
}

const TWO_LEVELS: &str = "fat tree of 2 levels: 8 leaves, 4 spines";
const THREE_LEVELS: &str = "fat tree of 3 levels: 32 leaves, 32 spines, 16 core switches";

/// Kinds that accuse cables or hosts.
const ACCUSING: [AnomalyKind; 5] = [
    AnomalyKind::MisplacedLink,
    AnomalyKind::MissingLink,
    AnomalyKind::MissingSwitch,
    AnomalyKind::LeafWithoutHosts,
    AnomalyKind::StrayHost,
];

fn two_levels() -> Tree {
    Tree::leaf_spine(8, &vec![vec![1; 4]; 8])
}

#[test]
fn a_leaf_whose_hosts_are_off_is_a_leaf() {
    let pod = ["p8leaf1", "p8leaf2", "p8leaf3", "p8leaf4"];
    let cases: [(Tree, &[&str], &str, &[&str]); 6] = [
        (two_levels(), &["leaf8"], TWO_LEVELS, &["the leaf leaf8 has no hosts, where others have 8"]),
        (
            two_levels(),
            &["leaf7", "leaf8"],
            TWO_LEVELS,
            &["2 leaves have no hosts, where others have 8: leaf7, leaf8"],
        ),
        (
            two_levels().without("leaf3", 10),
            &["leaf8"],
            TWO_LEVELS,
            &[
                "1 cable is missing from the fat tree: leaf3 - spine2 (has 0 of 1; empty ports: leaf3:10, spine2:3)",
                "the leaf leaf8 has no hosts, where others have 8",
            ],
        ),
        // The leaf without hosts lacks a cable itself.
        (
            two_levels().without("leaf8", 10),
            &["leaf8"],
            TWO_LEVELS,
            &[
                "1 cable is missing from the fat tree: leaf8 - spine2 (has 0 of 1; empty ports: leaf8:10, spine2:8)",
                "the leaf leaf8 has no hosts, where others have 8",
            ],
        ),
        (Tree::pods(8), &["p8leaf4"], THREE_LEVELS, &["the leaf p8leaf4 has no hosts, where others have 4"]),
        (
            Tree::pods(8),
            &pod,
            THREE_LEVELS,
            &["4 leaves have no hosts, where others have 4: p8leaf1, p8leaf2, p8leaf3, p8leaf4"],
        ),
    ];
    for (tree, off, family, odd) in cases {
        let (told, words) = tree.without_hosts(off).told(&ACCUSING);
        assert_eq!(told, family, "{off:?}");
        assert_eq!(words, odd, "{off:?}");
    }
}

#[test]
fn a_core_switch_with_a_host_is_a_core_switch() {
    let cases: [(&[&str], &str); 3] = [
        (&["core1"], "one host is not at a leaf of the fat tree, as all others are: h-core1-0 at core1"),
        (
            &["core1", "core6"],
            "2 hosts are not at leaves of the fat tree: h-core1-0 at core1, h-core6-0 at core6",
        ),
        (
            &["core1", "core2", "core3", "core4"],
            "4 hosts are not at leaves of the fat tree: h-core1-0 at core1, h-core2-0 at core2, h-core3-0 at core3, \
             h-core4-0 at core4",
        ),
    ];
    for (at, words) in cases {
        let tree = Tree::pods(8).with_a_host(at);
        assert_eq!(tree.told(&ACCUSING), (THREE_LEVELS.to_owned(), vec![words.to_owned()]), "{at:?}");
        let tops = Family::of(&tree.network()).tops();
        assert_eq!(tops.len(), 16, "{at:?}");
        // A fault elsewhere is reported besides it.
        let missing = "1 cable is missing from the fat tree: p5leaf1 - p5spine2 (has 0 of 1; empty ports: p5leaf1:6, \
                       p5spine2:1)";
        let (_, odd) = tree.without("p5leaf1", 6).told(&ACCUSING);
        assert_eq!(odd, [missing, words], "{at:?}");
    }
    // Leaves of few hosts: that of the core switch is as many as half of theirs.
    let mut small = Tree::pods(8).with_a_host(&["core1"]);
    small.switches.iter_mut().for_each(|(_, hosts)| hosts.truncate(2));
    assert_eq!(small.told(&[]).0, THREE_LEVELS);
    // A leaf with a host and few of its cables is still a leaf.
    let mut service = two_levels().without("leaf8", 11).without("leaf8", 12);
    service.hosts("leaf8").truncate(1);
    assert_eq!(service.told(&[]).0, TWO_LEVELS);
}

#[test]
fn uplinks_that_do_not_divide_by_the_spines_are_not_missing() {
    let cables: [Vec<Vec<Port>>; 4] = [
        vec![vec![3, 3, 2]; 5],
        [[3, 3, 2], [2, 3, 3], [3, 2, 3]].repeat(2).into_iter().map(Vec::from).collect(),
        vec![vec![3, 3, 2, 2]; 6],
        vec![vec![5, 5, 4, 4]; 6],
    ];
    let kinds = [AnomalyKind::MisplacedLink, AnomalyKind::MissingLink, AnomalyKind::MissingSwitch];
    for healthy in &cables {
        assert_eq!(Tree::leaf_spine(8, healthy).told(&kinds).1, [""; 0], "{healthy:?}");
    }
    // One is missing, and two are exchanged.
    let missing =
        "1 cable is missing from the fat tree: leaf2 - spine1 (has 2 of 3; empty ports: leaf2:10, spine1:5)";
    assert_eq!(Tree::leaf_spine(8, &cables[0]).without("leaf2", 10).told(&kinds).1, [missing]);
    let mut exchanged = Tree::leaf_spine(8, &cables[0]);
    let at = |tree: &Tree, end: (&str, Port)| {
        tree.cables.iter().position(|(cable, _)| cable[0] == (end.0.to_owned(), end.1)).unwrap()
    };
    let [one, other] = [("leaf2", 9), ("leaf4", 15)].map(|end| at(&exchanged, end));
    let ends = [one, other].map(|cable| exchanged.cables[cable].0[1].clone());
    assert_eq!([ends[0].0.as_str(), ends[1].0.as_str()], ["spine1", "spine3"]);
    [exchanged.cables[other].0[1], exchanged.cables[one].0[1]] = ends;
    let (_, odd) = exchanged.told(&kinds);
    let [words] = &odd[..] else { panic!("{odd:?}") };
    for part in ["leaf2:9 - spine3", "leaf4:15 - spine1", "probably exchanged"] {
        assert!(words.contains(part), "{words}");
    }
}

/// A slow cable that is reported as a fault is excluded from the comparison of leaves.
#[test]
fn what_leaves_have_up_and_down_is_counted_at_the_rates_of_their_cables() {
    let at = |switch: &'static str| move |cable: &Cable| cable.iter().any(|end| end.0 == switch);
    let mut old_hosts = two_levels();
    ["leaf1", "leaf2", "leaf3"].iter().for_each(|leaf| old_hosts.hosts(leaf).fill(50));
    let cases = [
        (two_levels(), "every leaf is oversubscribed 2.0:1 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks)"),
        (
            two_levels().with_rates(50, |cable| at("spine3")(cable) || at("spine4")(cable)),
            "every leaf is oversubscribed 2.67:1 (800 Gbit/s of downlinks, 300 Gbit/s of uplinks)",
        ),
        (
            old_hosts,
            "5 of 8 leaves are oversubscribed 2.0:1 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks)",
        ),
        (
            two_levels().with_rates(50, at("leaf5")),
            "all leaves but leaf5 are oversubscribed 2.0:1 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks); \
             leaf5 is oversubscribed 4.0:1 because of its 4 slow cables (800 Gbit/s of downlinks, 200 Gbit/s of uplinks)",
        ),
        (
            two_levels().without("leaf6", 9).without("leaf6", 10),
            "all leaves but leaf6 are oversubscribed 2.0:1 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks); \
             leaf6 is oversubscribed 4.0:1 because of missing or misplaced cables (800 Gbit/s of downlinks, 200 Gbit/s of uplinks)",
        ),
    ];
    for (tree, words) in cases {
        assert_eq!(tree.told(&[AnomalyKind::UnequalUpDown]).1, [words]);
    }
}

/// A sentence on several has the number counted.
#[test]
fn of_many_leaves_the_worst_are_counted() {
    let mut unequal = two_levels();
    [("leaf5", 6), ("leaf6", 4), ("leaf8", 3)].iter().for_each(|(leaf, n)| unequal.hosts(leaf).truncate(*n));
    let words = "5 of 8 leaves are oversubscribed 2.0:1 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks); less so: leaf5 \
                 (600 Gbit/s of downlinks, 400 Gbit/s of uplinks)";
    assert_eq!(unequal.told(&[AnomalyKind::UnequalUpDown]).1, [words]);
}

/// The other end of a missing cable is named too, where a single port is empty between others.
#[test]
fn both_ends_of_missing_cables_have_empty_ports() {
    let core = (2..=8).fold(Tree::pods(8), |tree, port| tree.without("core7", port));
    let (_, odd) = core.told(&[AnomalyKind::MissingLink]);
    let [words] = &odd[..] else { panic!("{odd:?}") };
    assert!(words.contains("p2spine2 - core7 (has 0 of 1; empty ports: p2spine2:7, core7:2)"), "{words}");
    let leaf = (9..=11).fold(two_levels(), |tree, port| tree.without("leaf3", port));
    let (_, odd) = leaf.told(&[AnomalyKind::MissingLink]);
    let [words] = &odd[..] else { panic!("{odd:?}") };
    assert!(words.contains("leaf3 - spine1 (has 0 of 1; empty ports: leaf3:9, spine1:3)"), "{words}");
}
