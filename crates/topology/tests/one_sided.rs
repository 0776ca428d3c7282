//! Fat trees of pods in which a switch has lost all its cables up or all down, and a leaf that is beside the pods.

use hopscope_topology::{AnomalyKind, Family, Network, NetworkBuilder, Role, anomalies};

/// Pods of so many leaves each, with two spines that each have a cable to every leaf of the pod and to the two core
/// switches of their place; and a leaf for storage at all core switches, if there is one. Without the cables of which
/// this holds, by the names of the lower and the upper switch.
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

/// Also where it is not of this form: nothing that is told may need a block that has both sides.
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
