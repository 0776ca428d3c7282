//! Tori, dragonflies and full meshes with a fault: they keep their family, and the fault is reported.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{
    AnomalyKind, Family, Link, Network, NetworkBuilder, NetworkSpec, Port, Role, SwitchId, anomalies,
    with_cables_mended,
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

/// A family's words, whichever of its dimensions comes first.
fn any_order(words: &str) -> Vec<&str> {
    let mut words: Vec<&str> = words.split(' ').collect();
    words.sort_unstable();
    words
}

fn is_told(network: &Network, family: &str, parts: &[&str]) {
    let (words, odd) = told(network);
    assert_eq!(any_order(&words), any_order(family), "{odd:?}");
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

/// Repairing what is reported leaves no anomaly.
fn is_mended(network: &Network, family: &str) {
    let mended = with_cables_mended(network, &Family::of(network));
    let (words, odd) = told(&mended);
    assert_eq!((any_order(&words), odd), (any_order(family), Vec::new()));
}

/// A network with two cables for each.
fn doubled(whole: &Network) -> Network {
    let name = |id: SwitchId| whole.switch(id).name.as_str();
    let cables: Vec<Ends<'_>> =
        whole.links().iter().filter_map(Link::switches).map(|[a, b]| (name(a), name(b))).collect();
    changed(whole, "", &[], &cables)
}

#[test]
fn exchanged_cables_of_grids_are_told_and_put_right() {
    let torus =
        |width, height| network(&format!("torus = {{ width = {width}, height = {height}, servers = 0 }}"));
    let cases = [
        // Near each other, where new cables are sides of as many squares as others; and with rings of three.
        (torus(5, 5), "torus of 5 x 5", [("x3y0", "x4y0"), ("x1y1", "x2y1")]),
        (torus(6, 3), "torus of 3 x 6", [("x1y0", "x2y0"), ("x4y0", "x4y1")]),
    ];
    for (whole, family, [one, other]) in cases {
        let crossed = [(one.0, other.1), (other.0, one.1)];
        let should = [format!("{} - {}", one.0, one.1), format!("{} - {}", other.0, other.1)];
        let parts = ["are probably exchanged: they should be", &should[0], &should[1]];
        let exchanged = changed(&whole, "", &[one, other], &crossed);
        is_told(&exchanged, family, &parts);
        is_mended(&exchanged, family);
        // One of two parallel cables each.
        let twice = doubled(&whole);
        let parallel = changed(&twice, "", &[one, other], &[one, other, crossed[0], crossed[1]]);
        is_told(&parallel, family, &parts);
        is_mended(&parallel, family);
        // A further cable is missing.
        let missing = changed(&exchanged, "", &[("x0y1", "x0y2")], &[]);
        let (words, odd) = told(&missing);
        assert_eq!((any_order(&words), odd.len()), (any_order(family), 2), "{odd:?}");
        assert!(odd[1].contains("1 cable is missing from the grid: x0y1 - x0y2 (has 0 of 1"), "{odd:?}");
        is_mended(&missing, family);
    }
}

/// Two cables side by side, crossed: two others of a cube may be meant as well.
#[test]
fn every_exchange_that_gives_a_cube_is_told() {
    let cube = network("hypercube = { dimensions = 3, servers = 0 }");
    let id = |i: usize| cube.switches()[i].name.as_str();
    let crossed = changed(&cube, "", &[(id(0), id(1)), (id(2), id(3))], &[(id(0), id(3)), (id(2), id(1))]);
    is_told(&crossed, "hypercube of 3 dimensions", &["are probably exchanged", "; or else "]);
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
    is_told(
        &changed(&whole, &gone, &[], &[]),
        family,
        &["one switch is probably missing from the group of "],
    );
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
    let group = |group: &str| {
        let first = whole.switch_ids().find(|id| groups(*id) == group).unwrap();
        whole.switch(first).name.clone()
    };
    let [g0, g1, g3, g6] = ["g0", "g1", "g3", "g6"].map(group);
    let end = format!(
        "are probably exchanged: they should be the group of {g0} - that of {g1} and the group of {g3} - that of {g6}"
    );
    is_told(&exchanged, family, &["one of the 2 cables", &end]);
    is_mended(&exchanged, family);
}

#[test]
fn cables_within_groups_of_a_dragonfly_are_told_and_put_right() {
    let whole = network("dragonfly = {}");
    let family = "dragonfly of 9 groups of 4 switches";
    let roles = Family::of(&whole).role_names(&whole).unwrap();
    let name = |role: &str| {
        let at = roles.iter().position(|name| name == role).unwrap();
        whole.switches()[at].name.as_str()
    };
    let [a, b, c, d] = ["g3r1", "g3r2", "g5r0", "g5r3"].map(name);
    let exchanged = changed(&whole, "", &[(a, b), (c, d)], &[(a, d), (c, b)]);
    let should = [format!("{a} - {b}"), format!("{c} - {d}")];
    is_told(&exchanged, family, &["are probably exchanged: they should be", &should[0], &should[1]]);
    is_mended(&exchanged, family);
    is_mended(&changed(&whole, "", &[(a, b)], &[]), family);
    // The cable between two groups: the switches that lack it have fewest to other groups.
    let ends = whole.links().iter().filter_map(Link::switches).find(|ends| {
        let groups = ends.map(|id| roles[id.index()].split('r').next().unwrap());
        groups == ["g2", "g6"] || groups == ["g6", "g2"]
    });
    let [x, y] = ends.unwrap().map(|id| whole.switch(id).name.as_str());
    let missing = changed(&whole, "", &[(x, y)], &[]);
    is_told(&missing, family, &[" (has 0 of 1; probably ", x, y]);
    is_mended(&missing, family);
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
    let (gone, crossed) = ([("s0", "s1"), ("s3", "s4")], [("s0", "s4"), ("s3", "s1")]);
    let twice = doubled(&mesh);
    let of_two = changed(&twice, "", &gone, &[gone[0], gone[1], crossed[0], crossed[1]]);
    for exchanged in [changed(&mesh, "", &gone, &crossed), of_two] {
        let parts = ["s0 - s4 and one of the", "are probably exchanged: they should be s0 - s1 and s3 - s4"];
        is_told(&exchanged, "full mesh of 6 switches", &parts);
        is_mended(&exchanged, "full mesh of 6 switches");
    }
    let lacks = changed(&twice, "", &[("s2", "s4")], &[("s2", "s4")]);
    is_told(
        &lacks,
        "full mesh of 6 switches",
        &["1 cable is missing from the full mesh: s2 - s4 (has 1 of 2"],
    );
    is_mended(&lacks, "full mesh of 6 switches");
}

/// What is no such network but for a fault has no family.
#[test]
fn random_networks_stay_irregular() {
    for seed in 0..20 {
        let random = network(&format!("random = {{ switches = 20, degree = 4, seed = {seed} }}"));
        assert_eq!(Family::of(&random), Family::Irregular, "{seed}");
    }
}

/// A torus of 6 by 6 without one of its cables, which would be in the first port of one switch.
#[test]
fn a_grid_gets_the_cables_that_it_lacks() {
    const SIZE: Port = 6;
    let mut builder = NetworkBuilder::new();
    let ids: Vec<_> = (0..SIZE * SIZE).map(|i| builder.add_switch(format!("s{i}"))).collect();
    for (number, id) in ids.iter().enumerate() {
        let host = builder.add_loose_host(format!("h{number}"), Role::Any);
        builder.attach(host, *id, Some(4), None, None);
    }
    for (row, column) in (0..SIZE).flat_map(|row| (0..SIZE).map(move |column| (row, column))) {
        let at = |row: Port, column: Port| ids[usize::from(SIZE * (row % SIZE) + column % SIZE)];
        if (row, column) != (1, 1) {
            builder.add_link_at([(at(row, column), Some(0)), (at(row, column + 1), Some(1))], None, None);
        }
        builder.add_link_at([(at(row, column), Some(2)), (at(row + 1, column), Some(3))], None, None);
    }
    let network = builder.build().unwrap();
    let odd = anomalies(&network, &Family::of(&network));
    let missing = odd.iter().find(|odd| odd.kind == AnomalyKind::MissingLink).expect("a missing cable");
    let words = ": s7 - s8 (has 0 of 1; empty ports: s7:0, s8:1)";
    assert!(missing.words.ends_with(words), "{}", missing.words);
    let mended = with_cables_mended(&network, &Family::of(&network));
    let new = &mended.links()[network.links().len()..];
    assert_eq!(new.iter().map(Link::switches).collect::<Vec<_>>(), [Some([ids[7], ids[8]])]);
}
