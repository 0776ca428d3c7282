//! Fat trees of pods in which a switch has lost all its cables up or all down, or two have exchanged cables; and a leaf
//! that is beside the pods.

use hopscope_topology::{
    AnomalyKind, Family, Link, Network, NetworkBuilder, Role, anomalies, with_cables_mended,
};

/// Pods with these numbers of leaves, with two spines that each have a cable to every leaf of the pod and to the two
/// core switches of their place; and a leaf for storage at all core switches, if there is one. Without the cables of
/// which this holds, by the names of the lower and the upper switch.
fn pods(leaves: &[usize], storage: bool, is_lost: impl Fn(&str, &str) -> bool) -> Option<Network> {
    let mut builder = NetworkBuilder::new();
    let mut cables: Vec<(String, String)> = Vec::new();
    let cores: Vec<String> = (0..4).map(|core| format!("c{core}")).collect();
    let mut names: Vec<(String, usize)> = cores.iter().map(|core| (core.clone(), 0)).collect();
    for (pod, leaves) in leaves.iter().enumerate() {
        names.extend((0..*leaves).map(|leaf| (format!("p{pod}l{leaf}"), 2)));
        for place in 0..2 {
            let spine = format!("p{pod}s{place}");
            cables.extend((0..*leaves).map(|leaf| (format!("p{pod}l{leaf}"), spine.clone())));
            cables.extend((0..2).map(|core| (spine.clone(), format!("c{}", 2 * place + core))));
            names.push((spine, 0));
        }
    }
    if storage {
        names.push(("store".to_owned(), 2));
        cables.extend(cores.iter().map(|core| ("store".to_owned(), core.clone())));
    }
    let mut ids = std::collections::BTreeMap::new();
    for (name, hosts) in names {
        let id = builder.add_switch(name.clone());
        (0..hosts).for_each(|host| _ = builder.add_host(format!("{name}h{host}"), id, Role::Any));
        ids.insert(name, id);
    }
    for (a, b) in cables.iter().filter(|(a, b)| !is_lost(a, b)) {
        builder.add_link(ids[a], ids[b], None, None);
    }
    builder.build().ok()
}

/// The family, and what is odd but for single points of failure.
fn told(network: &Network) -> (String, Vec<String>) {
    let family = Family::of(network);
    let odd = anomalies(network, &family).into_iter().filter(|each| each.kind != AnomalyKind::SinglePoint);
    (family.words(), odd.map(|each| each.words).collect())
}

/// The same with the upper ends of two cables exchanged.
fn crossed(network: &Network, [one, other]: [(&str, &str); 2]) -> Network {
    let mut builder = NetworkBuilder::new();
    let ids: Vec<_> =
        network.switches().iter().map(|switch| builder.add_switch(switch.name.clone())).collect();
    for host in network.hosts() {
        builder.add_host(host.name.clone(), ids[host.switch.index()], Role::Any);
    }
    let id = |name: &str| ids[network.switches().iter().position(|switch| switch.name == name).unwrap()];
    for ends in network.links().iter().filter_map(Link::switches) {
        let [a, b] = ends.map(|end| network.switch(end).name.as_str());
        let [a, b] = match (a, b) {
            _ if (a, b) == one => [one.0, other.1],
            _ if (a, b) == other => [other.0, one.1],
            _ => [a, b],
        };
        builder.add_link(id(a), id(b), None, None);
    }
    builder.build().unwrap()
}

#[test]
fn cables_exchanged_between_two_of_three_small_pods_are_told() {
    let ends = [("p0l1", "p0s1"), ("p2l1", "p2s1")];
    for (leaves, in_doubt) in
        [([2, 2, 2], "cables up of p0l0, p0l1, p2l0, p2l1"), ([2, 4, 3], "p0l1 and p2l1")]
    {
        let network = crossed(&pods(&leaves, false, |_, _| false).unwrap(), ends);
        let (_, odd) = told(&network);
        let misplaced: Vec<&String> = odd.iter().filter(|words| words.contains("exchanged")).collect();
        let [words] = misplaced[..] else { panic!("{odd:?}") };
        assert!(words.contains("and p2l1 - p2s1 (has 0 of 1)") && words.contains(in_doubt), "{words}");
        assert!(words.contains("they should be p0l1 - p0s1 (has 0 of 1)"), "{words}");
    }
}

#[test]
fn a_spine_has_lost_its_only_leaf_to_an_exchange() {
    let whole = pods(&[1, 3, 3], false, |_, _| false).unwrap();
    let (family, before) = told(&whole);
    let network = crossed(&whole, [("p0l0", "p0s0"), ("p1s1", "c2")]);
    let (_, odd) = told(&network);
    let misplaced: Vec<&String> = odd.iter().filter(|words| !before.contains(words)).collect();
    let [words] = misplaced[..] else { panic!("{odd:?}") };
    assert!(words.ends_with("are probably exchanged: they should be p0l0 - p0s0 and p1s1 - c2"), "{words}");
    let mended = with_cables_mended(&network, &Family::of(&network));
    assert_eq!(told(&mended), (family, before));
}

#[test]
fn a_leaf_with_one_cable_to_a_core_switch_is_a_design() {
    let network = pods(&[3, 3, 3], true, |a, b| a == "store" && b != "c1").unwrap();
    let (family, odd) = told(&network);
    assert_eq!(family, "fat tree of 3 levels: 10 leaves, 6 spines, 4 core switches");
    assert!(odd.iter().all(|words| !words.contains("joins one of the leaves")), "{odd:?}");
}

const FAMILY: &str = "fat tree of 3 levels: 9 leaves, 6 spines, 4 core switches";

#[test]
fn a_spine_without_cables_up_lacks_them() {
    let (family, odd) = told(&pods(&[3, 3, 3], false, |a, b| a == "p1s1" && b.starts_with('c')).unwrap());
    assert_eq!(family, FAMILY);
    assert_eq!(odd.len(), 1, "{odd:?}");
    assert!(odd[0].starts_with("2 cables are missing from the fat tree: p1s1 - c2 (has 0 of 1"), "{odd:?}");
    assert!(odd[0].contains("p1s1 - c3 (has 0 of 1"), "{odd:?}");
}

#[test]
fn a_spine_without_cables_down_lacks_them() {
    let (family, odd) = told(&pods(&[3, 3, 3], false, |_, b| b == "p1s1").unwrap());
    assert_eq!(family, FAMILY);
    assert_eq!(odd.len(), 1, "{odd:?}");
    assert!(odd[0].starts_with("3 cables are missing from the fat tree: p1l0 - p1s1 (has 0 of 1"), "{odd:?}");
}

#[test]
fn the_only_cable_down_of_a_spine_is_missing() {
    let (family, odd) = told(&pods(&[3, 1, 2], false, |_, b| b == "p1s1").unwrap());
    assert_eq!(family, "fat tree of 3 levels: 6 leaves, 6 spines, 4 core switches");
    assert_eq!(odd.len(), 1, "{odd:?}");
    assert!(odd[0].starts_with("1 cable is missing from the fat tree: p1l0 - p1s1 (has 0 of 1"), "{odd:?}");
}

#[test]
fn a_leaf_at_the_core_switches_is_beside_the_pods() {
    let (family, odd) = told(&pods(&[2, 2, 2, 2], true, |_, _| false).unwrap());
    assert_eq!(family, "fat tree of 3 levels: 9 leaves, 8 spines, 4 core switches");
    assert!(odd.is_empty(), "{odd:?}");
}

/// Also where it is not of this form: no anomaly may need a block that has both sides.
#[test]
fn trees_without_any_two_cables_are_told_of() {
    for leaves in [&[2, 2, 2][..], &[1, 3, 2], &[1, 1, 1]] {
        for storage in [false, true] {
            let whole = pods(leaves, storage, |_, _| false).unwrap();
            let name = |id| whole.switch(id).name.clone();
            let ends = whole.links().iter().filter_map(hopscope_topology::Link::switches);
            let cables: Vec<[String; 2]> = ends.map(|ends| ends.map(name)).collect();
            for (i, one) in cables.iter().enumerate() {
                for other in &cables[i..] {
                    let is_lost = |a: &str, b: &str| [one, other].iter().any(|[x, y]| x == a && y == b);
                    let Some(network) = pods(leaves, storage, is_lost) else { continue };
                    let (family, odd) = told(&network);
                    assert!(
                        !family.is_empty() && odd.iter().all(|words| !words.contains("has 0 of 0")),
                        "{odd:?}"
                    );
                }
            }
        }
    }
}

/// Leaves with one cable to each of two spines beside others with two: exchanged cables leave as many pairs of both.
#[test]
fn exchanged_cables_beside_border_leaves_are_told_and_no_others() {
    let mut builder = NetworkBuilder::new();
    let spines: Vec<_> = (0..2).map(|i| builder.add_switch(format!("spine{i}"))).collect();
    let cables = [[2, 2], [2, 1], [2, 2], [1, 3], [3, 1], [1, 1], [1, 1]];
    for (i, cables) in cables.iter().enumerate() {
        let leaf = builder.add_switch(format!("leaf{i}"));
        (0..4).for_each(|host| _ = builder.add_host(format!("h{i}-{host}"), leaf, Role::Any));
        for (spine, count) in spines.iter().zip(cables) {
            (0..*count).for_each(|_| _ = builder.add_link(leaf, *spine, None, None));
        }
    }
    let (_, odd) = told(&builder.build().unwrap());
    assert_eq!(odd.len(), 2, "{odd:?}");
    assert!(
        odd[0].contains("exchanged: they should be leaf3 - spine0 (has 1 of 2) and leaf4 - spine1"),
        "{odd:?}"
    );
    assert!(
        odd[1].starts_with("1 cable is missing from the fat tree: leaf1 - spine1 (has 1 of 2"),
        "{odd:?}"
    );
}
