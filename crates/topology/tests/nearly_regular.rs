//! Tori, dragonflies and full meshes with a fault: they keep their family, and the fault is told.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{
    AnomalyKind, Family, Link, Network, NetworkBuilder, NetworkSpec, Role, SwitchId, anomalies,
};

fn network(toml: &str) -> Network {
    toml::from_str::<NetworkSpec>(toml).unwrap().build().unwrap()
}

/// Two switches by name.
type Ends<'a> = (&'a str, &'a str);

/// A network without some of its switches and cables, and with others.
fn changed(whole: &Network, no_switch: &str, without: &[Ends<'_>], with: &[Ends<'_>]) -> Network {
    let mut builder = NetworkBuilder::new();
    let kept = whole.switches().iter().filter(|switch| switch.name != no_switch);
    let ids: BTreeMap<&str, SwitchId> =
        kept.map(|switch| (switch.name.as_str(), builder.add_switch(switch.name.clone()))).collect();
    let name = |id: SwitchId| whole.switch(id).name.as_str();
    for host in whole.hosts().iter().filter(|host| ids.contains_key(name(host.switch))) {
        builder.add_host(host.name.clone(), ids[name(host.switch)], Role::Any);
    }
    let gone: BTreeSet<BTreeSet<&str>> = without.iter().map(|(a, b)| BTreeSet::from([*a, *b])).collect();
    let of_whole = whole.links().iter().filter_map(Link::switches).map(|[a, b]| (name(a), name(b)));
    let left = of_whole.filter(|(a, b)| !gone.contains(&BTreeSet::from([*a, *b])));
    for (a, b) in left.chain(with.iter().copied()) {
        if let (Some(a), Some(b)) = (ids.get(a), ids.get(b)) {
            builder.add_link(*a, *b, None, None);
        }
    }
    builder.build().unwrap()
}

/// The family, and what is odd but for single points of failure.
fn told(network: &Network) -> (String, Vec<String>) {
    let family = Family::of(network);
    let odd = anomalies(network, &family).into_iter().filter(|each| each.kind != AnomalyKind::SinglePoint);
    (family.words(), odd.map(|each| each.words).collect())
}

fn is_told(network: &Network, family: &str, parts: &[&str]) {
    let (words, odd) = told(network);
    assert_eq!(words, family, "{odd:?}");
    let [odd] = &odd[..] else { panic!("{odd:?}") };
    for part in parts {
        assert!(odd.contains(part), "{odd}");
    }
}

#[test]
fn two_exchanged_cables_of_a_torus_are_told() {
    let torus = network("torus = { width = 6, height = 6, servers = 0 }");
    let far = [("x1y1", "x5y3"), ("x4y3", "x2y1")];
    let near = [("x1y1", "x2y2"), ("x1y2", "x2y1")];
    let cases = [([("x1y1", "x2y1"), ("x4y3", "x5y3")], far), ([("x1y1", "x2y1"), ("x1y2", "x2y2")], near)];
    for (without, with) in cases {
        let exchanged = changed(&torus, "", &without, &with);
        is_told(
            &exchanged,
            "torus of 6 x 6",
            &["x1y1", "x2y1", "are probably exchanged: they should be x1y1 - x2y1"],
        );
    }
}

#[test]
fn a_switch_that_is_not_there_is_told() {
    let torus = network("torus = { width = 6, height = 6, servers = 0 }");
    let words = "one switch is probably missing from the grid: each of x1y2, x2y1, x2y3, x3y2 lacks a cable";
    let mut sorted = told(&changed(&torus, "x2y2", &[], &[]));
    assert_eq!(sorted.0, "torus of 6 x 6");
    let odd = sorted.1.pop().unwrap();
    for name in ["x1y2", "x2y1", "x2y3", "x3y2"] {
        assert!(odd.contains(name), "{odd}");
    }
    assert_eq!(odd.len(), words.len());
    assert_eq!(sorted.1, [""; 0]);
    let cube = network("hypercube = { dimensions = 6, servers = 0 }");
    let gone = cube.switches()[21].name.clone();
    is_told(
        &changed(&cube, &gone, &[], &[]),
        "hypercube of 6 dimensions",
        &["one switch is probably missing"],
    );
}

#[test]
fn faults_of_a_dragonfly_are_told() {
    let whole = network("dragonfly = {}");
    let family = "dragonfly of 9 groups of 4 switches";
    assert_eq!(told(&whole), (family.to_owned(), Vec::new()));
    let words = Family::of(&whole).role_names(&whole).unwrap();
    let name = |role: &str| {
        let at = words.iter().position(|name| name == role).unwrap();
        whole.switches()[at].name.clone()
    };
    let [a, b] = [name("g4r0"), name("g4r2")];
    let missing = format!("1 cable is missing from the dragonfly: {a} - {b} (has 0 of 1)");
    is_told(&changed(&whole, "", &[(&a, &b)], &[]), family, &[&missing]);
    let gone = name("g5r2");
    is_told(&changed(&whole, &gone, &[], &[]), family, &["one switch is probably missing from group 5"]);
    // Two cables between groups.
    let groups = |id: SwitchId| words[id.index()].split('r').next().unwrap().to_owned();
    let between = |one: &str, other: &str| {
        let ends = whole.links().iter().filter_map(Link::switches);
        let found = ends.map(|[a, b]| if groups(a) == one { [a, b] } else { [b, a] });
        let mut found = found.filter(|[a, b]| groups(*a) == one && groups(*b) == other);
        found.next().unwrap().map(|id| whole.switch(id).name.clone())
    };
    let [one, other] = [between("g0", "g1"), between("g3", "g6")];
    let exchanged = changed(
        &whole,
        "",
        &[(&one[0], &one[1]), (&other[0], &other[1])],
        &[(&one[0], &other[1]), (&other[0], &one[1])],
    );
    let end = "are probably exchanged: they should be group 0 - group 1 and group 3 - group 6";
    is_told(&exchanged, family, &["one of the 2 cables", end]);
}

#[test]
fn a_full_mesh_lacks_the_cable_that_was_taken() {
    let mut builder = NetworkBuilder::new();
    let switches: Vec<SwitchId> = (0..6).map(|i| builder.add_switch(format!("s{i}"))).collect();
    for (i, a) in switches.iter().enumerate() {
        builder.add_host(format!("h{i}"), *a, Role::Any);
        switches[i + 1..].iter().for_each(|b| _ = builder.add_link(*a, *b, None, None));
    }
    let mesh = builder.build().unwrap();
    assert_eq!(told(&mesh).0, "full mesh of 6 switches");
    let words = "1 cable is missing from the full mesh: s2 - s4 (has 0 of 1)";
    is_told(&changed(&mesh, "", &[("s2", "s4")], &[]), "full mesh of 6 switches", &[words]);
}

/// What is no such network but for a fault has no family.
#[test]
fn random_networks_stay_irregular() {
    for seed in 0..20 {
        let random = network(&format!("random = {{ switches = 20, degree = 4, seed = {seed} }}"));
        assert_eq!(Family::of(&random), Family::Irregular, "{seed}");
    }
}
