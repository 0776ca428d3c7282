//! The family of a network from its cables alone, and what is odd about it.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{
    Anomaly, AnomalyKind, Family, LinkId, Network, NetworkBuilder, NetworkSpec, Node, Port, Role, SwitchId,
    anomalies,
};
use hopscope_units::Rate;
use proptest::prelude::*;

fn network(toml: &str) -> Network {
    toml::from_str::<NetworkSpec>(toml).unwrap().build().unwrap()
}

fn words(toml: &str) -> String {
    Family::of(&network(toml)).words()
}

#[test]
fn every_family_is_recognised_without_its_generator() {
    let told = [
        ("fat-tree = { radix = 4 }", "fat tree of 3 levels: 8 leaves, 8 spines, 4 core switches"),
        ("fat-tree = { radix = 8, tiers = 2 }", "fat tree of 2 levels: 8 leaves, 4 spines"),
        ("torus = { width = 5, height = 4, servers = 0 }", "torus of 5 x 4"),
        ("torus = { width = 5, height = 3, servers = 0 }", "torus of 5 x 3"),
        ("torus = { width = 7, height = 7, servers = 0 }", "torus of 7 x 7"),
        ("torus = { width = 4, height = 4, servers = 0 }", "hypercube of 4 dimensions"),
        ("mesh = { width = 6, height = 3, servers = 0 }", "mesh of 6 x 3"),
        ("mesh = { width = 5, height = 2, servers = 0 }", "mesh of 5 x 2"),
        ("hypercube = { dimensions = 5, servers = 0 }", "hypercube of 5 dimensions"),
        ("ring = { switches = 7 }", "ring of 7 switches"),
        ("line = { switches = 5 }", "line of 5 switches"),
        ("dragonfly = {}", "dragonfly of 9 groups of 4 switches"),
        ("random = { switches = 20, degree = 4 }", "irregular"),
        ("star = { arms = 0, hosts_at_hub = 4 }", "single switch"),
        (
            "star = { arms = 5, hosts_per_arm = 3, hosts_at_hub = 0 }",
            "fat tree of 2 levels: 5 leaves, 1 spine",
        ),
    ];
    for (toml, expected) in told {
        assert_eq!(words(toml), expected, "{toml}");
    }
}

#[test]
fn roles_and_positions_name_switches() {
    let tree = network("fat-tree = { radix = 4, tiers = 2 }");
    let names = Family::of(&tree).role_names(&tree).unwrap();
    // The generator gives its spines the smallest uids.
    assert_eq!(names, ["spine1", "spine2", "leaf1", "leaf2", "leaf3", "leaf4"]);
    let mesh = network("mesh = { width = 3, height = 2, servers = 0 }");
    let own: BTreeSet<String> = mesh.switches().iter().map(|switch| switch.name.clone()).collect();
    let found: BTreeSet<String> = Family::of(&mesh).role_names(&mesh).unwrap().into_iter().collect();
    assert_eq!(found, own);
}

/// Four leaves and two spines with `cables` cables each; host links and cables of 100 Gbit/s and 4 lanes.
fn leaf_spine(cables: usize, change: impl Fn(&mut NetworkBuilder, LinkId, usize)) -> Network {
    let mut builder = NetworkBuilder::new();
    let rate = Some(Rate::from_mbit_s(100_000));
    let leaves: Vec<SwitchId> = (0..4).map(|i| builder.add_switch(format!("leaf{i}"))).collect();
    let spines: Vec<SwitchId> = (0..2).map(|i| builder.add_switch(format!("spine{i}"))).collect();
    for (i, leaf) in leaves.iter().enumerate() {
        for j in 0..2 * cables {
            let host = builder.add_loose_host(format!("h{i}-{j}"), Role::Any);
            builder.attach(host, *leaf, None, rate, None);
        }
    }
    let mut number = 0;
    for leaf in &leaves {
        for spine in &spines {
            for _ in 0..cables {
                let link = builder.add_link(*leaf, *spine, rate, None);
                builder.set_lanes(link, 4);
                change(&mut builder, link, number);
                number += 1;
            }
        }
    }
    builder.build().unwrap()
}

fn odd(network: &Network) -> Vec<Anomaly> {
    anomalies(network, &Family::of(network))
}

/// A tree of leaves, each with its number of hosts, and of spines; then further hosts at the named switches.
fn leaves_with_hosts(leaves: &[usize], spines: usize, further: &[(&str, usize)]) -> Network {
    let mut builder = NetworkBuilder::new();
    let upper: Vec<SwitchId> = (0..spines).map(|i| builder.add_switch(format!("spine{i}"))).collect();
    let lower: Vec<SwitchId> = (0..leaves.len()).map(|i| builder.add_switch(format!("leaf{i}"))).collect();
    let attach = |builder: &mut NetworkBuilder, switch, name: String| {
        let host = builder.add_loose_host(name, Role::Any);
        builder.attach(host, switch, None, None, None);
    };
    for (i, hosts) in leaves.iter().enumerate() {
        (0..*hosts).for_each(|j| attach(&mut builder, lower[i], format!("h{i}-{j}")));
    }
    for (name, hosts) in further {
        let (kind, number) = name.split_at(name.len() - 1);
        let switch = if kind == "spine" { &upper } else { &lower }[number.parse::<usize>().unwrap()];
        (0..*hosts).for_each(|j| attach(&mut builder, switch, format!("m-{name}-{j}")));
    }
    for leaf in &lower {
        upper.iter().for_each(|spine| _ = builder.add_link(*leaf, *spine, None, None));
    }
    builder.build().unwrap()
}

/// One host in seventeen is more than OpenSM leaves out of account, and is one host that manages the subnet.
#[test]
fn a_host_at_a_spine_of_a_small_tree_leaves_it_a_tree_and_is_told() {
    let one = leaves_with_hosts(&[4; 4], 2, &[("spine0", 1)]);
    assert_eq!(Family::of(&one).words(), "fat tree of 2 levels: 4 leaves, 2 spines");
    let stray = |words: &str| vec![(AnomalyKind::StrayHost, words.to_owned())];
    let words = "one host is not at a leaf of the fat tree, as all others are: m-spine0-0 at spine0";
    assert_eq!(told(&one), stray(words));
    let each = leaves_with_hosts(&[8; 6], 2, &[("spine0", 2), ("spine1", 1)]);
    assert_eq!(Family::of(&each).words(), "fat tree of 2 levels: 6 leaves, 2 spines");
    let words = "3 hosts are not at leaves of the fat tree: m-spine0-0 at spine0, m-spine0-1 at spine0, \
                 m-spine1-0 at spine1";
    assert_eq!(told(&each), stray(words));
}

/// A leaf with few hosts is a leaf, also beside a spine with as many.
#[test]
fn a_leaf_with_few_hosts_stays_a_leaf() {
    for leaves in [[8, 8, 8, 1], [8, 8, 1, 1]] {
        for further in [&[][..], &[("spine0", 1)]] {
            let tree = leaves_with_hosts(&leaves, 2, further);
            let words = Family::of(&tree).words();
            assert_eq!(words, "fat tree of 2 levels: 4 leaves, 2 spines", "{leaves:?} {further:?}");
        }
    }
    // A spine with as many hosts as leaves have, or more, is none.
    for hosts in [4, 40] {
        let odd = leaves_with_hosts(&[4; 4], 2, &[("spine0", hosts)]);
        assert_eq!(Family::of(&odd), Family::Irregular, "{hosts}");
    }
}

/// A tree of `leaves` leaves with four hosts each and of two spines, with a switch of `hosts` hosts on some leaves.
fn with_a_small_switch(leaves: usize, hosts: usize, on: &[usize]) -> Network {
    let mut builder = NetworkBuilder::new();
    let lower: Vec<SwitchId> = (0..leaves).map(|i| builder.add_switch(format!("leaf{i}"))).collect();
    for name in ["spine0", "spine1"] {
        let spine = builder.add_switch(name);
        lower.iter().for_each(|leaf| _ = builder.add_link(*leaf, spine, None, None));
    }
    let small = builder.add_switch("small");
    on.iter().for_each(|leaf| _ = builder.add_link(lower[*leaf], small, None, None));
    for (at, count) in lower.iter().map(|leaf| (*leaf, 4)).chain([(small, hosts)]) {
        for j in 0..count {
            let host = builder.add_loose_host(format!("h{}-{j}", at.index()), Role::Any);
            builder.attach(host, at, None, None, None);
        }
    }
    builder.build().unwrap()
}

/// The switch that hangs from leaves is no spine: as a root it would have no route to the hosts of other leaves.
#[test]
fn a_small_switch_on_a_leaf_is_no_spine() {
    for on in [&[0][..], &[1, 2]] {
        let network = with_a_small_switch(4, 1, on);
        let family = Family::of(&network);
        let words = "fat tree of 2 levels: 4 leaves, 2 spines, 1 switch that hangs from leaves";
        assert_eq!((family.words().as_str(), family.tops().len()), (words, 2), "{on:?}");
        assert_eq!(family.role_names(&network).unwrap()[6], "below1");
        let words = "one host is not at a leaf of the fat tree, as all others are: h6-0 at small".to_owned();
        let found = told(&network).into_iter().filter(|(kind, _)| *kind != AnomalyKind::SinglePoint);
        assert_eq!(found.collect::<Vec<_>>(), [(AnomalyKind::StrayHost, words)], "{on:?}");
    }
    // Three leaves of four are a spine that lacks a cable; the last leaf reaches its host over the other spines.
    let spine = with_a_small_switch(4, 1, &[0, 1, 2]);
    let family = Family::of(&spine);
    assert_eq!(family.words(), "fat tree of 2 levels: 4 leaves, 3 spines");
    let roots: Vec<&str> = family.tops().iter().map(|id| spine.switch(*id).name.as_str()).collect();
    assert_eq!(roots, ["spine0", "spine1"]);
    let words = "1 cable is missing from the fat tree: leaf3 - small (has 0 of 1)".to_owned();
    assert!(told(&spine).contains(&(AnomalyKind::MissingLink, words)));
}

/// A row of a few switches says nothing of how many cables each two of them should have.
#[test]
fn a_line_with_single_and_double_cables_lacks_none() {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<SwitchId> = (0..4).map(|i| builder.add_switch(format!("s{i}"))).collect();
    for (a, b) in [(0, 1), (1, 2), (1, 2), (2, 3), (2, 3)] {
        builder.add_link(switches[a], switches[b], None, None);
    }
    for at in [0, 1, 3] {
        let host = builder.add_loose_host(format!("h{at}"), Role::Any);
        builder.attach(host, switches[at], None, None, None);
    }
    let line = builder.build().unwrap();
    assert_eq!(Family::of(&line).words(), "line of 4 switches");
    assert!(told(&line).iter().all(|(kind, _)| *kind == AnomalyKind::SinglePoint));
}

#[test]
fn a_healthy_tree_has_nothing_odd() {
    assert_eq!(odd(&leaf_spine(3, |_, _, _| ())), []);
    for toml in
        ["torus = { width = 5, height = 4, servers = 0 }", "dragonfly = {}", "fat-tree = { radix = 4 }"]
    {
        assert_eq!(odd(&network(toml)), [], "{toml}");
    }
}

#[test]
fn a_narrow_cable_is_told_with_its_ports_and_with_what_others_have() {
    let tree = leaf_spine(3, |builder, link, number| {
        if number == 7 {
            builder.set_lanes(link, 1);
        }
    });
    let found = odd(&tree);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, AnomalyKind::NarrowLink);
    let words = "the cable leaf1:7 - spine0:4 runs at 1x, 100 Gbit/s, where most have 4x, 100 Gbit/s";
    assert_eq!(found[0].words, words);
}

#[test]
fn without_a_cable_a_tree_is_a_tree_and_the_cable_is_missed() {
    let whole = leaf_spine(2, |_, _, _| ());
    let cut = whole.link_ids().find(|id| whole.link(*id).switches().is_some()).unwrap();
    let found = odd(&whole.keeping_links(|link| link != cut));
    let words: Vec<&str> = found.iter().map(|anomaly| anomaly.words.as_str()).collect();
    let empty = "empty ports: leaf0:4, spine0:0";
    assert_eq!(
        words,
        [format!("1 cable is missing from the fat tree: leaf0 - spine0 (has 1 of 2; {empty})")]
    );
}

/// The two ends of a cable, each a switch with its port.
type Ends = [(&'static str, Port); 2];

/// A tree of these cables between switches, with two hosts at each leaf.
fn tree(cables: &[Ends]) -> Network {
    let mut builder = NetworkBuilder::new();
    let names = ["leaf0", "leaf1", "leaf2", "leaf3", "spine0", "spine1"];
    let switches = names.map(|name| (name, builder.add_switch(name)));
    for (leaf, id) in &switches[..4] {
        for j in 0..2 {
            let host = builder.add_loose_host(format!("h-{leaf}-{j}"), Role::Any);
            builder.attach(host, *id, Some(j), None, None);
        }
    }
    let switch = |name: &str| switches.iter().find(|(known, _)| *known == name).unwrap().1;
    for ends in cables {
        builder.add_link_at(ends.map(|(name, port)| (switch(name), Some(port))), None, None);
    }
    builder.build().unwrap()
}

/// `each` cables between each of four leaves and each of two spines, by leaf, then spine. Leaves have them in ports
/// from 2 on, those to spine0 first; spines have those of leaf0 first.
fn regular(each: Port) -> Vec<Ends> {
    let leaves = ["leaf0", "leaf1", "leaf2", "leaf3"].into_iter().zip(0..);
    let pairs = leaves.flat_map(|leaf| ["spine0", "spine1"].into_iter().zip(0..).map(move |s| (leaf, s)));
    let cables = |((leaf, i), (spine, j)): ((&'static str, Port), (&'static str, Port))| {
        (0..each).map(move |n| [(leaf, 2 + j * each + n), (spine, i * each + n)])
    };
    pairs.flat_map(cables).collect()
}

fn told(network: &Network) -> Vec<(AnomalyKind, String)> {
    odd(network).into_iter().map(|anomaly| (anomaly.kind, anomaly.words)).collect()
}

fn misplaced(words: &str) -> Vec<(AnomalyKind, String)> {
    vec![(AnomalyKind::MisplacedLink, words.to_owned())]
}

#[test]
fn a_cable_between_two_leaves_is_odd_and_should_be_where_one_is_missing() {
    let mut cables = regular(3);
    cables.push([("leaf0", 20), ("leaf1", 20)]);
    let added = tree(&cables);
    assert_eq!(Family::of(&added).words(), "fat tree of 2 levels: 4 leaves, 2 spines");
    let words = "the cable leaf0:20 - leaf1:20 joins two leaves, which no cable of a fat tree does; neither end \
                 lacks a cable";
    assert_eq!(told(&added), misplaced(words));
    // The first cable of leaf0 to spine1 goes to leaf1 instead: nothing is missing but that one.
    cables.pop();
    cables[3][1] = ("leaf1", 20);
    let words = "the cable leaf0:5 - leaf1:20 joins two leaves, which no cable of a fat tree does: it should \
                 probably be leaf0 - spine1 (has 2 of 3)";
    assert_eq!(told(&tree(&cables)), misplaced(words));
    // More than a few of them are another network.
    let ring = [("leaf0", "leaf1"), ("leaf1", "leaf2"), ("leaf2", "leaf3"), ("leaf3", "leaf0")];
    cables.extend(ring.map(|(a, b)| [(a, 30), (b, 31)]));
    assert_eq!(Family::of(&tree(&cables)), Family::Irregular);
}

/// A cable of leaf0 and one of leaf1 that are exchanged at the spines.
#[test]
fn two_exchanged_cables_are_told_with_their_ports() {
    for each in [2, 3, 6] {
        let mut cables = regular(each);
        let (one, other) = (usize::from(each) - 1, 3 * usize::from(each));
        let ends = [cables[one][1], cables[other][1]];
        assert_eq!(
            [cables[one][0].0, ends[0].0, cables[other][0].0, ends[1].0],
            ["leaf0", "spine0", "leaf1", "spine1"]
        );
        (cables[one][1], cables[other][1]) = (ends[1], ends[0]);
        let words = format!(
            "the cable leaf0:{} - spine1:{each} and the cable leaf1:{} - spine0:{} are probably exchanged: they \
             should be leaf0 - spine0 (has {few} of {each}) and leaf1 - spine1 (has {few} of {each})",
            each + 1,
            each + 2,
            each - 1,
            few = each - 1
        );
        assert_eq!(told(&tree(&cables)), misplaced(&words));
    }
}

/// Where ports say nothing, the pairs do.
#[test]
fn exchanged_cables_in_any_ports_are_told_by_their_switches() {
    let mut cables = regular(2);
    for (number, ends) in (0..).zip(&mut cables) {
        // Every leaf and spine has its cables in an order of its own.
        (ends[0].1, ends[1].1) = (2 + (number * 7) % 17, (number * 5) % 17);
    }
    let (one, other) = (cables[0][1], cables[6][1]);
    assert_eq!((one.0, other.0, cables[6][0].0), ("spine0", "spine1", "leaf1"));
    (cables[0][1], cables[6][1]) = (other, one);
    let words = "a cable leaf0 - spine1 and a cable leaf1 - spine0 are probably exchanged: they should be \
                 leaf0 - spine0 (has 1 of 2) and leaf1 - spine1 (has 1 of 2)";
    assert_eq!(told(&tree(&cables)), misplaced(words));
}

/// The lower ends of two cables are joined, and so are their upper ends.
#[test]
fn cables_exchanged_between_levels_are_one_of_leaves_and_one_of_spines() {
    let mut cables = regular(2);
    let [a, b] = [cables[0], cables[6]];
    (cables[0], cables[6]) = ([a[0], b[0]], [a[1], b[1]]);
    let words = "the cable leaf0:2 - leaf1:4 and the cable spine0:0 - spine1:2 are probably exchanged: they should \
                 be leaf0 - spine0 (has 1 of 2) and leaf1 - spine1 (has 1 of 2)";
    assert_eq!(told(&tree(&cables)), misplaced(words));
}

/// A leaf's cable in the wrong spine: one pair has one too many, another one too few. Without that cable it is missing.
#[test]
fn a_cable_in_the_wrong_spine_is_told_from_one_that_is_missing() {
    let mut cables = regular(3);
    cables[2][1] = ("spine1", 20);
    let words = "the cable leaf0:4 - spine1:20 should probably be leaf0 - spine0 (has 2 of 3)";
    assert_eq!(told(&tree(&cables)), misplaced(words));
    cables.remove(2);
    let words =
        "1 cable is missing from the fat tree: leaf0 - spine0 (has 2 of 3; empty ports: leaf0:4, spine0:2)";
    assert_eq!(told(&tree(&cables)), [(AnomalyKind::MissingLink, words.to_owned())]);
}

/// A fat tree of three levels of switches with eight ports, with some cables between switches replaced by others.
fn pods(without: &[(&str, &str)], with: &[(&str, &str)]) -> Network {
    let whole = network("fat-tree = { radix = 8 }");
    let mut builder = NetworkBuilder::new();
    whole.switches().iter().for_each(|switch| _ = builder.add_switch(switch.name.clone()));
    for host in whole.hosts() {
        let id = builder.add_loose_host(host.name.clone(), Role::Any);
        builder.attach(id, host.switch, None, None, None);
    }
    let ends_of = |name: &str| whole.switch_ids().find(|id| whole.switch(*id).name == name).unwrap();
    let chosen = |pairs: &[(&str, &str)]| -> Vec<[SwitchId; 2]> {
        pairs.iter().map(|(a, b)| [*a, *b].map(ends_of)).collect()
    };
    let (left_out, mut kept) = (chosen(without), chosen(with));
    let is_left_out = |[a, b]: [SwitchId; 2]| left_out.iter().any(|pair| *pair == [a, b] || *pair == [b, a]);
    let between = whole.link_ids().filter_map(|id| whole.link(id).switches());
    kept.extend(between.filter(|ends| !is_left_out(*ends)));
    for [a, b] in kept {
        builder.add_link(a, b, None, None);
    }
    builder.build().unwrap()
}

fn is_told(network: &Network, parts: &[&str]) {
    assert_eq!(Family::of(network).words(), Family::of(&pods(&[], &[])).words());
    let found = told(network);
    let [(AnomalyKind::MisplacedLink, words)] = &found[..] else { panic!("{found:?}") };
    for part in parts {
        assert!(words.contains(part), "{words}");
    }
}

/// Two cables of different pods of a tree of three levels join pods that nothing else joins.
#[test]
fn cables_exchanged_between_pods_are_told() {
    let exchanged = pods(&[("p0e0", "p0a0"), ("p1e1", "p1a1")], &[("p0e0", "p1a1"), ("p1e1", "p0a0")]);
    is_told(&exchanged, &["probably exchanged", "p0e0 - p0a0 (has 0 of 1)", "p1e1 - p1a1 (has 0 of 1)"]);
}

/// A leaf's cable in a core switch, in place of a spine: by itself, and exchanged with one of a spine.
#[test]
fn a_cable_from_a_leaf_to_a_core_switch_is_told() {
    let added = pods(&[], &[("p0e0", "core0")]);
    let words = "joins one of the leaves to one of the core switches, which no cable of a fat tree does";
    is_told(&added, &["the cable p0e0:", words, "neither end lacks a cable"]);
    let elsewhere = pods(&[("p0e0", "p0a0")], &[("p0e0", "core0")]);
    is_told(&elsewhere, &[words, "it should probably be p0e0 - p0a0 (has 0 of 1)"]);
    let exchanged = pods(&[("p0e0", "p0a0"), ("p1a0", "core0")], &[("p0e0", "core0"), ("p1a0", "p0a0")]);
    is_told(&exchanged, &["probably exchanged", "p0e0 - p0a0 (has 0 of 1)", "p1a0 - core0 (has 0 of 1)"]);
}

/// More than a mistake makes.
#[test]
fn a_core_switch_with_many_cables_to_leaves_makes_no_fat_tree() {
    let leaves = ["p0e0", "p1e0", "p2e0", "p3e0", "p4e0", "p5e0"];
    assert_eq!(Family::of(&pods(&[], &leaves.map(|leaf| (leaf, "core0")))), Family::Irregular);
}

/// Leaves, each with its number of hosts and of cables to one spine; all of 100 Gbit/s.
fn leaves_below_a_spine(leaves: &[(usize, usize)]) -> Network {
    let mut builder = NetworkBuilder::new();
    let rate = Some(Rate::from_mbit_s(100_000));
    let spine = builder.add_switch("spine");
    for (i, (hosts, cables)) in leaves.iter().enumerate() {
        let leaf = builder.add_switch(format!("leaf{i}"));
        (0..*cables).for_each(|_| _ = builder.add_link(leaf, spine, rate, None));
        for j in 0..*hosts {
            let host = builder.add_loose_host(format!("h{i}-{j}"), Role::Any);
            builder.attach(host, leaf, None, rate, None);
        }
    }
    builder.build().unwrap()
}

fn of_up_links(network: &Network) -> Vec<String> {
    let found = told(network).into_iter();
    found.filter(|(kind, _)| *kind == AnomalyKind::UnequalUpDown).map(|(_, words)| words).collect()
}

/// The worst leaf is reported with its ratio, however few are like it.
#[test]
fn an_oversubscribed_tree_says_so_once_and_by_its_worst_leaf() {
    let cases: [(&[(usize, usize)], &str); 6] = [
        (&[(4, 1); 3], "every leaf is oversubscribed 4.0:1 (400 Gbit/s of downlinks, 100 Gbit/s of uplinks)"),
        (
            &[(2, 2), (2, 2), (2, 2), (8, 2)],
            "1 of 4 leaves is oversubscribed 4.0:1: leaf3 (800 Gbit/s of downlinks, 200 Gbit/s of uplinks)",
        ),
        (
            &[(8, 4), (8, 4), (8, 4), (9, 4)],
            "every leaf is oversubscribed, most 2.0:1, at worst 2.25:1: leaf3 (900 Gbit/s of downlinks, \
             400 Gbit/s of uplinks)",
        ),
        (
            &[(2, 2), (4, 2), (3, 2)],
            "2 of 3 leaves are oversubscribed, at worst 2.0:1: leaf1 (400 Gbit/s of downlinks, 200 Gbit/s of uplinks)",
        ),
        (
            &[(4, 2), (8, 4)],
            "every leaf is oversubscribed 2.0:1: leaf0 (400 Gbit/s of downlinks, 200 Gbit/s of uplinks), leaf1 \
             (800 Gbit/s of downlinks, 400 Gbit/s of uplinks)",
        ),
        (
            &[(2, 2), (8, 2), (8, 2)],
            "2 of 3 leaves are oversubscribed 4.0:1: leaf1 (800 Gbit/s of downlinks, 200 Gbit/s of uplinks), leaf2 \
             (800 Gbit/s of downlinks, 200 Gbit/s of uplinks)",
        ),
    ];
    for (leaves, words) in cases {
        assert_eq!(of_up_links(&leaves_below_a_spine(leaves))[..1], [words], "{leaves:?}");
    }
    assert_eq!(of_up_links(&leaves_below_a_spine(&[(2, 2); 3])), [] as [&str; 0]);
}

/// A missing cable is reported as missing, and makes no leaf oversubscribed besides.
#[test]
fn a_missing_cable_oversubscribes_no_leaf() {
    let whole = leaf_spine(2, |_, _, _| ());
    let cut = whole.link_ids().find(|id| whole.link(*id).switches().is_some()).unwrap();
    let torn = whole.keeping_links(|link| link != cut);
    assert_eq!(of_up_links(&torn), [] as [&str; 0]);
}

/// A core switch that is not there leaves the same port of several spines empty.
#[test]
fn a_missing_core_switch_is_told_by_the_port_of_the_spines() {
    let whole = network("fat-tree = { radix = 8 }");
    let rate = Some(Rate::from_mbit_s(100_000));
    let mut builder = NetworkBuilder::new();
    let present = whole.switches().iter().filter(|switch| switch.name != "core1");
    let of_name: BTreeMap<&str, SwitchId> =
        present.map(|switch| (switch.name.as_str(), builder.add_switch(switch.name.clone()))).collect();
    for host in whole.hosts() {
        let id = builder.add_loose_host(host.name.clone(), Role::Any);
        builder.attach(id, of_name[whole.switch(host.switch).name.as_str()], Some(host.port), rate, None);
    }
    for link in whole.link_ids().filter(|id| whole.link(*id).switches().is_some()) {
        let ends = whole.link(link).ends.map(|end| (of_name.get(whole.name(end.node)), Some(end.port)));
        if let [(Some(a), from), (Some(b), to)] = ends {
            builder.add_link_at([(*a, from), (*b, to)], rate, None);
        }
    }
    let torn = builder.build().unwrap();
    let found = of_up_links(&torn);
    let [words] = &found[..] else { panic!("{found:?}") };
    let begin = "8 spines have less uplink capacity than most: p0a0 (300 Gbit/s of uplinks, where most have 400 Gbit/s; \
                 oversubscribed 1.33:1), p1a0 (";
    assert!(words.starts_with(begin), "{words}");
    let end = "; port 1 of each is empty, where all others have a cable up: one of the core switches is probably \
               missing";
    assert!(words.ends_with(end), "{words}");
}

/// Of cables of which half are slower, neither rate is that of most.
#[test]
fn half_of_the_cables_are_not_most() {
    let half =
        leaf_spine(2, |builder, link, number| builder.set_lanes(link, if number % 2 == 0 { 4 } else { 1 }));
    let words = "8 cables run at 1x, 100 Gbit/s, where others have 4x, 100 Gbit/s: ";
    assert!(told(&half)[0].1.starts_with(words), "{:?}", told(&half));
}

/// Hosts at both ends of every line: by hand, all inner switches and all cables of a line part them.
#[test]
fn single_points_are_those_of_a_line() {
    let found = odd(&network("line = { switches = 4 }"));
    let words: Vec<&str> = found.iter().map(|anomaly| anomaly.words.as_str()).collect();
    assert!(words[0].starts_with("2 switches are single points of failure"), "{words:?}");
    assert!(words[1].starts_with("3 cables are single points of failure"), "{words:?}");
}

proptest! {
    /// Any one cable of a torus may be missing: it is a torus still, and that cable is named.
    #[test]
    fn a_torus_lacks_the_cable_that_was_taken(cut in 0_usize..35, width in 5_u32..8, height in 5_u32..8) {
        let whole = network(&format!("torus = {{ width = {width}, height = {height}, servers = 0 }}"));
        let trunks: Vec<LinkId> =
            whole.link_ids().filter(|id| whole.link(*id).switches().is_some()).collect();
        let cut = trunks[cut % trunks.len()];
        let ends = whole.link(cut).switches().unwrap();
        let torn = whole.keeping_links(|link| link != cut);
        let Family::Grid(coordinates) = Family::of(&torn) else { panic!("no grid") };
        let sizes: BTreeSet<usize> = coordinates.dimensions.iter().map(|(size, _)| *size).collect();
        prop_assert_eq!(sizes, BTreeSet::from([width as usize, height as usize]));
        let missing = coordinates.missing[0];
        prop_assert!(missing == ends || [missing[1], missing[0]] == ends);
        prop_assert_eq!(coordinates.missing.len(), 1);
    }

    /// Taking a single point away parts hosts; taking any other switch does not.
    #[test]
    fn single_points_are_just_those_that_part_hosts(seed in 0_u64..200) {
        let toml = format!("random = {{ switches = 14, degree = 2, seed = {seed} }}");
        let Ok(network) = toml::from_str::<NetworkSpec>(&toml).unwrap().build() else { return Ok(()) };
        let found = odd(&network);
        let told = |name: &str| {
            found.iter().any(|a| {
                a.kind == AnomalyKind::SinglePoint
                    && a.words.contains("switch")
                    && a.words.split([' ', ',', ':']).any(|word| word == name)
            })
        };
        let parting: Vec<SwitchId> = network.switch_ids().filter(|id| parts_hosts(&network, *id)).collect();
        for id in network.switch_ids() {
            if parting.len() <= 4 {
                prop_assert_eq!(told(&network.switch(id).name), parting.contains(&id));
            }
        }
    }
}

/// Whether hosts of other switches cannot reach each other without this one.
fn parts_hosts(network: &Network, without: SwitchId) -> bool {
    let with_hosts: BTreeSet<SwitchId> = network.hosts().iter().map(|host| host.switch).collect();
    let mut others = with_hosts.iter().filter(|id| **id != without);
    let Some(first) = others.next() else { return false };
    let mut reached = BTreeSet::from([*first]);
    let mut open = vec![*first];
    while let Some(at) = open.pop() {
        for (_, _, far, _) in network.neighbours(at) {
            if far != without && reached.insert(far) {
                open.push(far);
            }
        }
    }
    others.any(|id| !reached.contains(id))
}

#[test]
fn hosts_are_told_by_their_names_in_cables() {
    let tree = leaf_spine(1, |_, _, _| ());
    let link = tree.host(hopscope_topology::HostId::new(0)).link;
    assert_eq!(hopscope_topology::cable(&tree, link), "leaf0:0 - h0-0");
    assert!(matches!(tree.node("h0-0"), Some(Node::Host(_))));
}
