//! Faults in the cabling of a fat tree, with the ports of its cables: the anomalies of each, and no others.

use hopscope_topology::{
    Anomaly, AnomalyKind, Family, Link, Network, NetworkBuilder, Port, Role, anomalies, slow_links,
    with_cables_mended,
};
use hopscope_units::Rate;

/// A cable between two switches, each with its port.
type Cable = [(String, Port); 2];

/// Switches, the number of hosts at each, and the cables between them. All run at 100 Gbit/s.
#[derive(Clone)]
struct Cabling {
    switches: Vec<(String, Port)>,
    cables: Vec<Cable>,
    /// Hosts that are elsewhere than in their own port, which is in their names.
    elsewhere: Vec<(&'static str, (&'static str, Port))>,
}

impl Cabling {
    /// `leaves` leaves with `hosts` hosts each, in the first ports, then two cables to each of `spines` spines.
    fn leaf_spine(leaves: Port, spines: Port, hosts: Port) -> Self {
        let mut switches: Vec<(String, Port)> = (1..=leaves).map(|i| (format!("leaf{i}"), hosts)).collect();
        switches.extend((1..=spines).map(|j| (format!("spine{j}"), 0)));
        let mut cables = Vec::new();
        for (i, j, n) in all_of(leaves, spines, 2) {
            let ports = [hosts + 2 * j + n, 2 * i + n];
            cables.push([(format!("leaf{}", i + 1), ports[0]), (format!("spine{}", j + 1), ports[1])]);
        }
        Self { switches, cables, elsewhere: Vec::new() }
    }

    /// Four pods of four leaves and two spines with `each` cables for each pair, and two core switches for the spines
    /// of each place in their pod. Leaves have their cables in ports from 20 on.
    fn pods(each: Port) -> Self {
        let mut switches: Vec<(String, Port)> = (0..4).map(|core| (format!("core{core}"), 0)).collect();
        let mut cables = Vec::new();
        for pod in 0..4 {
            switches.extend((0..2).map(|j| (format!("p{pod}s{j}"), 0)));
            switches.extend((0..4).map(|i| (format!("p{pod}l{i}"), 2)));
            for (i, j, n) in all_of(4, 2, each) {
                let ports = [20 + j * each + n, i * each + n];
                cables.push([(format!("p{pod}l{i}"), ports[0]), (format!("p{pod}s{j}"), ports[1])]);
            }
            for (j, core, _) in all_of(2, 2, 1) {
                let core_name = format!("core{}", 2 * j + core);
                cables.push([(format!("p{pod}s{j}"), 40 + core), (core_name, pod)]);
            }
        }
        Self { switches, cables, elsewhere: Vec::new() }
    }

    fn at(&self, switch: &str, port: Port) -> usize {
        let has = |cable: &Cable| cable.iter().any(|end| (end.0.as_str(), end.1) == (switch, port));
        self.cables.iter().position(has).unwrap()
    }

    /// Two cables of leaves are exchanged at their upper ends.
    fn exchange(&mut self, one: (&str, Port), other: (&str, Port)) {
        let [one, other] = [one, other].map(|(switch, port)| self.at(switch, port));
        let (a, b) = (self.cables[one][1].clone(), self.cables[other][1].clone());
        (self.cables[one][1], self.cables[other][1]) = (b, a);
    }

    fn add(&mut self, one: (&str, Port), other: (&str, Port)) {
        self.cables.push([one, other].map(|(switch, port)| (switch.to_owned(), port)));
    }

    fn remove(&mut self, switch: &str, port: Port) {
        let cable = self.at(switch, port);
        self.cables.remove(cable);
    }

    fn network(&self) -> Network {
        let mut builder = NetworkBuilder::new();
        let rate = Some(Rate::from_mbit_s(100_000));
        let ids: Vec<_> = self.switches.iter().map(|(name, _)| builder.add_switch(name.clone())).collect();
        let id = |name: &str| ids[self.switches.iter().position(|(known, _)| known == name).unwrap()];
        for (name, hosts) in &self.switches {
            for port in 0..*hosts {
                let called = format!("h-{name}-{port}");
                let elsewhere = self.elsewhere.iter().find(|(host, _)| *host == called);
                let (at, port) = elsewhere.map_or((name.as_str(), port), |(_, at)| *at);
                let host = builder.add_loose_host(called, Role::Any);
                builder.attach(host, id(at), Some(port), rate, None);
            }
        }
        for ends in &self.cables {
            builder.add_link_at(ends.each_ref().map(|(name, port)| (id(name), Some(*port))), rate, None);
        }
        builder.build().unwrap()
    }

    /// What is odd, but for single points of failure and what a level's links carry up.
    fn told(&self) -> Vec<String> {
        let network = self.network();
        told(&network)
    }

    /// The switch and the port that a host is in once the cabling is mended.
    fn mended_place(&self, host: &str) -> (String, Port) {
        let network = self.network();
        let mended = with_cables_mended(&network, &Family::of(&network));
        assert_eq!(told(&mended), [""; 0]);
        let host = mended.host(mended.host_named(host).unwrap());
        (mended.switch(host.switch).name.clone(), host.port)
    }
}

fn told(network: &Network) -> Vec<String> {
    let found = anomalies(network, &Family::of(network)).into_iter();
    let of_cabling =
        |each: &Anomaly| !matches!(each.kind, AnomalyKind::SinglePoint | AnomalyKind::UnequalUpDown);
    found.filter(of_cabling).map(|each| each.words).collect()
}

fn all_of(a: Port, b: Port, c: Port) -> impl Iterator<Item = (Port, Port, Port)> {
    (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |n| (i, j, n))))
}

/// With two spines in a pod two exchanged cables leave their leaves with one spine in common with either pod.
#[test]
fn cables_exchanged_between_pods_of_two_spines_are_told_alone() {
    for each in [2, 3, 4] {
        assert_eq!(Cabling::pods(each).told(), [""; 0]);
        for (port, spine) in [(20, 0), (20 + each, 1)] {
            let mut cabling = Cabling::pods(each);
            cabling.exchange(("p1l0", port), ("p2l1", 20));
            let few = each - 1;
            let words = format!(
                "the cable p1s{spine}:0 - p2l1:20 and the cable p2s0:{each} - p1l0:{port} are probably exchanged: they \
                 should be p1l0 - p1s{spine} (has {few} of {each}) and p2l1 - p2s0 (has {few} of {each})"
            );
            let told = cabling.told().join("\n");
            assert_eq!(sorted(&told), sorted(&words), "{told}");
        }
    }
}

/// The words of a sentence whose parts may come in any order.
fn sorted(words: &str) -> Vec<&str> {
    let mut words: Vec<&str> = words.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words
}

/// One cable for each pair: half of a leaf's cables are in either pod. A cable in the port of the other spine shows
/// which half is wrong. Where both spines are of the same place, either half may be.
#[test]
fn of_single_cables_exchanged_between_pods_the_ports_tell() {
    let mut other_place = Cabling::pods(1);
    other_place.exchange(("p1l0", 21), ("p2l1", 20));
    let told = other_place.told();
    let [words] = &told[..] else { panic!("{told:?}") };
    for part in ["p1l0:21", "p2l1:20", "p1l0 - p1s1 (has 0 of 1)", "p2l1 - p2s0 (has 0 of 1)"] {
        assert!(words.contains(part), "{words}");
    }
    assert!(!words.contains("or else"), "{words}");
    let mut same_place = Cabling::pods(1);
    same_place.exchange(("p1l0", 20), ("p2l1", 20));
    let told = same_place.told();
    let [words] = &told[..] else { panic!("{told:?}") };
    assert!(words.contains("p1l0:20") && words.contains("p2l1:20"), "{words}");
    let end =
        "; or else it is the other half of the cables up of p1l0 and p2l1: nothing tells the halves apart";
    assert!(words.ends_with(end), "{words}");
}

/// A pod has a spine in each part of the core: the one that its other spine belongs to is not its own.
#[test]
fn of_cables_exchanged_between_pods_above_their_spines_the_pods_tell() {
    let mut cabling = Cabling::pods(1);
    cabling.exchange(("p1s0", 40), ("p2s1", 40));
    let told = cabling.told();
    let [words] = &told[..] else { panic!("{told:?}") };
    for part in ["p1s0 - core0 (has 0 of 1)", "p2s1 - core2 (has 0 of 1)"] {
        assert!(words.contains(part), "{words}");
    }
    assert!(!words.contains("or else"), "{words}");
}

/// In a pod of three leaves two exchanged cables leave too few pairs joined; the other pods show the right number. One
/// end past a level, and the only cable up of a spine, are reported as well.
#[test]
fn cables_exchanged_in_small_pods_and_between_levels_are_told() {
    let exchanges = [
        (("p1l0", 20), ("p1l2", 21), ["p1l0 - p1s0 (has 0 of 1)", "p1l2 - p1s1 (has 0 of 1)"]),
        (("p1l0", 20), ("p2s0", 40), ["p1l0 - p1s0 (has 0 of 1)", "p2s0 - core0 (has 0 of 1)"]),
    ];
    for only_core in [false, true] {
        for (one, other, should) in exchanges {
            let mut cabling = Cabling::pods(1);
            let is_left =
                |name: &str| !(name.ends_with("l3") || only_core && ["core1", "core3"].contains(&name));
            cabling.switches.retain(|(name, _)| is_left(name));
            cabling.cables.retain(|ends| ends.iter().all(|(name, _)| is_left(name)));
            assert_eq!(cabling.told(), [""; 0]);
            cabling.exchange(one, other);
            let told = cabling.told();
            let [words] = &told[..] else { panic!("{told:?}") };
            for part in should.into_iter().chain(["are probably exchanged"]) {
                assert!(words.contains(part), "{words}");
            }
        }
    }
}

#[test]
fn a_spine_that_is_not_there_is_told_by_the_ports_below() {
    let mut cabling = Cabling::leaf_spine(6, 4, 8);
    cabling.switches.retain(|(name, _)| name != "spine2");
    cabling.cables.retain(|ends| ends.iter().all(|(name, _)| name != "spine2"));
    let words = "ports 10, 11 of every leaf are empty beside ports with cables up: one of the spines is probably missing";
    assert_eq!(cabling.told(), [words]);
}

/// The ports of others that have their cables up there tell it too.
#[test]
fn a_core_switch_that_is_not_there_is_told_by_the_ports_of_other_spines() {
    let mut cabling = Cabling::pods(1);
    cabling.switches.extend((4..6).map(|core| (format!("core{core}"), 0)));
    for (pod, j, _) in all_of(4, 2, 1) {
        cabling.add((&format!("p{pod}s{j}"), 42), (&format!("core{}", 4 + j), pod));
    }
    assert_eq!(cabling.told(), [""; 0]);
    cabling.switches.retain(|(name, _)| name != "core2");
    cabling.cables.retain(|ends| ends.iter().all(|(name, _)| name != "core2"));
    let words = "port 40 of p0s1, p1s1, p2s1, p3s1 is empty beside ports with cables up: one of the core switches is \
                 probably missing";
    assert_eq!(cabling.told(), [words]);
}

/// Leaves that share the links of hosts have cables to each other in pairs; one such cable alone is a mistake.
#[test]
fn leaves_joined_in_pairs_are_a_design() {
    for each in [1, 2] {
        let mut cabling = Cabling::leaf_spine(6, 4, 8);
        for (pair, n) in (0..3).flat_map(|pair| (0..each).map(move |n| (2 * pair + 1, n))) {
            cabling.add((&format!("leaf{pair}"), 30 + n), (&format!("leaf{}", pair + 1), 30 + n));
        }
        assert_eq!(cabling.told(), [""; 0]);
        let words = "fat tree of 2 levels: 6 leaves, 4 spines, leaves joined in 3 pairs";
        assert_eq!(Family::of(&cabling.network()).words(), words);
    }
    let mut one = Cabling::leaf_spine(6, 4, 8);
    one.add(("leaf1", 30), ("leaf2", 30));
    assert!(one.told()[0].contains("joins two leaves"), "{:?}", one.told());
}

/// Hosts for storage at every spine are few beside those at leaves.
#[test]
fn a_tree_with_hosts_at_all_spines_is_a_tree() {
    let mut cabling = Cabling::leaf_spine(6, 2, 8);
    cabling.cables.iter_mut().for_each(|[_, spine]| spine.1 += 3);
    cabling.switches.iter_mut().filter(|(name, _)| name.starts_with("spine")).for_each(|spine| spine.1 = 3);
    let network = cabling.network();
    assert_eq!(Family::of(&network).words(), "fat tree of 2 levels: 6 leaves, 2 spines");
}

/// A switch for management below a leaf hides no fault of the tree above it.
#[test]
fn faults_are_told_also_of_a_tree_with_a_switch_below_a_leaf() {
    for below in [0, 1, 2] {
        let mut cabling = Cabling::leaf_spine(6, 4, 8);
        let mut hosts = Vec::new();
        for number in 0..below {
            let name = format!("below{number}");
            cabling.switches.push((name.clone(), 2));
            // The second one hangs from the first.
            let on = if number == 0 { "leaf1" } else { "below0" };
            cabling.add((on, 30), (&name, 20));
            hosts.extend((0..2).map(|port| format!("h-{name}-{port} at {name}")));
        }
        cabling.remove("leaf3", 11);
        cabling.exchange(("leaf4", 8), ("leaf5", 10));
        let mut expected = vec![
            "the cable leaf4:8 - spine2:8 and the cable leaf5:10 - spine1:6 are probably exchanged: they should be \
             leaf4 - spine1 (has 1 of 2) and leaf5 - spine2 (has 1 of 2)"
                .to_owned(),
            "1 cable is missing from the fat tree: leaf3 - spine2 (has 1 of 2; empty ports: leaf3:11, spine2:5)"
                .to_owned(),
        ];
        if below > 0 {
            let count = hosts.len();
            expected.push(format!("{count} hosts are not at leaves of the fat tree: {}", hosts.join(", ")));
        }
        assert_eq!(cabling.told(), expected);
        assert_eq!(Family::of(&cabling.network()).tops().len(), 4, "the spines");
    }
}

#[test]
fn a_further_cable_is_told_and_counts_in_what_a_leaf_has_up() {
    let mut cabling = Cabling::leaf_spine(4, 2, 8);
    cabling.add(("leaf1", 31), ("spine1", 31));
    let words = "1 pair of switches has more cables than most: leaf1 - spine1 (has 3, most have 2; probably leaf1:31 - \
                 spine1:31)";
    assert_eq!(cabling.told(), [words]);
    let network = cabling.network();
    let found = anomalies(&network, &Family::of(&network));
    let of_up = found.iter().find(|each| each.kind == AnomalyKind::UnequalUpDown).unwrap();
    let words = "every leaf is oversubscribed, at worst 2.0:1: leaf2 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks), \
                 leaf3 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks), leaf4 (800 Gbit/s of downlinks, 400 Gbit/s of uplinks)";
    assert_eq!(of_up.words, words);
    // Beside one that should be at the other spine.
    let moved = cabling.at("leaf1", 10);
    cabling.cables[moved][1] = ("spine1".to_owned(), 30);
    let words = [
        "1 pair of switches has more cables than most: leaf1 - spine1 (has 4, most have 2; probably leaf1:31 - \
         spine1:31)",
        "the cable leaf1:10 - spine1:30 should probably be leaf1 - spine2 (has 1 of 2)",
    ];
    assert_eq!(cabling.told(), words);
}

/// Which host of leaf1, all of whose ports are others', should be at leaf4 is undetermined.
#[test]
fn a_leaf_with_a_host_too_many_beside_one_with_too_few_is_told() {
    let mut cabling = Cabling::leaf_spine(4, 2, 8);
    cabling.switches[3].1 = 7;
    assert_eq!(cabling.told(), [""; 0], "a leaf that is not full");
    for cable in cabling.cables.iter_mut().filter(|cable| cable[0].0 == "leaf1") {
        cable[0].1 += 1;
    }
    cabling.switches[0].1 = 9;
    let words = "leaves have unequal numbers of hosts, where others have 8: leaf1 has 9, leaf4 has 7; hosts may be at \
                 a wrong leaf";
    assert_eq!(cabling.told(), [words]);
}

/// A quarter of a few cables is one of them.
#[test]
fn one_slow_cable_of_four_is_slow() {
    let mut builder = NetworkBuilder::new();
    let ends = ["a", "b"].map(|name| builder.add_switch(name));
    for (number, end) in [0, 1, 0, 1].into_iter().enumerate() {
        let host = builder.add_loose_host(format!("h{number}"), Role::Any);
        builder.attach(host, ends[end], None, Some(Rate::from_mbit_s(100_000)), None);
    }
    let cables = [100_000, 100_000, 50_000, 100_000]
        .map(|rate| builder.add_link(ends[0], ends[1], Some(Rate::from_mbit_s(rate)), None));
    let network = builder.build().unwrap();
    let family = Family::of(&network);
    assert_eq!(slow_links(&network, &family), [(cables[2], 1e11)]);
    let found = anomalies(&network, &family);
    let slow: Vec<&Anomaly> = found.iter().filter(|each| each.kind == AnomalyKind::SlowLink).collect();
    let [slow] = slow[..] else { panic!("{found:?}") };
    assert_eq!(slow.cables, [cables[2]]);
    assert!(slow.words.ends_with("runs at 50 Gbit/s, where most have 100 Gbit/s"), "{}", slow.words);
}

/// Exchanged cables exchange their ends again, a cable with one end at a wrong switch moves it, a missing one comes.
#[test]
fn a_network_with_its_cables_mended_is_the_one_without_the_faults() {
    let pairs = |network: &Network| {
        let mut found: Vec<[String; 2]> = network
            .links()
            .iter()
            .filter_map(Link::switches)
            .map(|ends| ends.map(|switch| network.switch(switch).name.clone()))
            .map(|mut ends| {
                ends.sort();
                ends
            })
            .collect();
        found.sort();
        found
    };
    let healthy = pairs(&Cabling::leaf_spine(6, 4, 8).network());
    let mut exchanged = Cabling::leaf_spine(6, 4, 8);
    exchanged.exchange(("leaf4", 8), ("leaf5", 10));
    let mut missing = Cabling::leaf_spine(6, 4, 8);
    missing.remove("leaf3", 11);
    let mut elsewhere = Cabling::leaf_spine(6, 4, 8);
    let moved = elsewhere.at("leaf2", 8);
    elsewhere.cables[moved][1] = ("spine3".to_owned(), 40);
    let mut all = Cabling::leaf_spine(6, 4, 8);
    all.exchange(("leaf4", 8), ("leaf5", 10));
    all.remove("leaf3", 11);
    for cabling in [exchanged, missing, elsewhere, all] {
        let network = cabling.network();
        assert_ne!(pairs(&network), healthy);
        let mended = with_cables_mended(&network, &Family::of(&network));
        assert_eq!(pairs(&mended), healthy);
        assert!(
            anomalies(&mended, &Family::of(&mended))
                .iter()
                .all(|odd| { !matches!(odd.kind, AnomalyKind::MissingLink | AnomalyKind::MisplacedLink) })
        );
        let rate = Some(Rate::from_mbit_s(100_000));
        assert!(mended.links().iter().all(|link| link.rate == rate), "a new cable is like the others");
    }
    let sound = Cabling::leaf_spine(6, 4, 8).network();
    assert_eq!(with_cables_mended(&sound, &Family::of(&sound)), sound, "nothing is to be mended");
}

/// A leaf with three cables to each spine and one of fewer hosts with one, where others have two, are designs; what
/// breaks them is none.
#[test]
fn a_leaf_with_other_cables_than_most_to_every_spine_is_a_design() {
    let mut cabling = Cabling::leaf_spine(6, 4, 8);
    cabling.switches[5].1 = 4;
    for spine in 0..4 {
        cabling.add(("leaf1", 20 + spine), (&format!("spine{}", spine + 1), 20));
        cabling.remove("leaf6", 9 + 2 * spine);
    }
    assert_eq!(cabling.told(), [""; 0]);
    let mut thin = cabling.clone();
    thin.remove("leaf6", 12);
    let of_leaf6 = "leaf6 - spine3 (has 0 of 1; empty port: spine3:10)";
    assert_eq!(thin.told(), [format!("1 cable is missing from the fat tree: {of_leaf6}")]);
    cabling.remove("leaf3", 11);
    let of_leaf3 = "leaf3 - spine2 (has 1 of 2; empty ports: leaf3:11, spine2:5)";
    assert_eq!(cabling.told(), [format!("1 cable is missing from the fat tree: {of_leaf3}")]);
    cabling.remove("leaf1", 21);
    let words = "2 cables are missing from the fat tree: leaf1 - spine2 (has 2 of 3";
    assert!(cabling.told()[0].starts_with(words), "{:?}", cabling.told());
}

#[test]
fn a_cable_exchanged_with_that_of_a_host_is_told_and_put_right() {
    let mut two_levels = Cabling::leaf_spine(6, 4, 8);
    let cable = two_levels.at("leaf5", 10);
    two_levels.cables[cable][0] = ("leaf3".to_owned(), 4);
    two_levels.elsewhere.push(("h-leaf3-4", ("leaf5", 10)));
    let words = "the cable leaf3:4 - spine2:8 and the host's cable leaf5:10 - h-leaf3-4 are probably exchanged: they \
                 should be leaf5 - spine2 (has 1 of 2) and leaf3:4 - h-leaf3-4";
    assert_eq!(two_levels.told(), [words]);
    assert_eq!(two_levels.mended_place("h-leaf3-4"), ("leaf3".to_owned(), 4));
    let mut at_a_spine = Cabling::pods(1);
    let cable = at_a_spine.at("p2s0", 40);
    at_a_spine.cables[cable][0] = ("p1l3".to_owned(), 1);
    at_a_spine.elsewhere.push(("h-p1l3-1", ("p2s0", 40)));
    let words = "the cable p1l3:1 - core0:2 and the host's cable p2s0:40 - h-p1l3-1 are probably exchanged: they \
                 should be p2s0 - core0 (has 0 of 1) and p1l3:1 - h-p1l3-1";
    assert_eq!(at_a_spine.told(), [words]);
    assert_eq!(at_a_spine.mended_place("h-p1l3-1"), ("p1l3".to_owned(), 1));
}

#[test]
fn a_host_in_a_port_of_no_other_host_is_told_with_the_port_that_lacks_one() {
    let mut cabling = Cabling::leaf_spine(6, 4, 8);
    cabling.elsewhere.push(("h-leaf2-5", ("leaf4", 20)));
    let words = "leaves have unequal numbers of hosts, where others have 8: leaf2 has 7, leaf4 has 9; h-leaf2-5 in \
                 leaf4:20, where no other leaf has a host, should probably be in leaf2:5, which is empty";
    assert_eq!(cabling.told(), [words]);
    assert_eq!(cabling.mended_place("h-leaf2-5"), ("leaf2".to_owned(), 5));
    // In the port of a cable that is missing.
    cabling.remove("leaf4", 11);
    cabling.elsewhere[0].1 = ("leaf4", 11);
    let missing = "1 cable is missing from the fat tree: leaf4 - spine2 (has 1 of 2; empty port: spine2:7), with the \
                   host h-leaf2-5 in leaf4:11 instead";
    assert_eq!(cabling.told(), [missing.to_owned(), words.replace(":20", ":11")]);
    assert_eq!(cabling.mended_place("h-leaf2-5"), ("leaf2".to_owned(), 5));
    // At a spine, where one that manages the subnet may be.
    let mut at_spine = Cabling::leaf_spine(6, 4, 8);
    at_spine.elsewhere.push(("h-leaf2-5", ("spine1", 30)));
    let words = "one host is not at a leaf of the fat tree, as all others are: h-leaf2-5 at spine1; leaf2:5 is the \
                 only empty port of a leaf in which others have a host";
    assert_eq!(at_spine.told(), [words]);
}

#[test]
fn three_cables_in_a_ring_are_told_together_and_put_right() {
    let mut cabling = Cabling::leaf_spine(6, 4, 8);
    cabling.exchange(("leaf1", 8), ("leaf2", 10));
    cabling.exchange(("leaf1", 8), ("leaf3", 12));
    let words = "the cable leaf1:8 - spine3:4, the cable leaf3:12 - spine2:2 and the cable leaf2:10 - spine1:0 are \
                 probably exchanged in a ring: they should be leaf1 - spine1 (has 1 of 2), leaf3 - spine3 (has 1 of \
                 2) and leaf2 - spine2 (has 1 of 2)";
    let told = cabling.told().join("\n");
    assert_eq!(sorted(&told), sorted(words), "{told}");
    cabling.mended_place("h-leaf1-0");
}

/// Two cables exchanged within a pod leave it in halves; between two pods they leave a ring of eight switches.
#[test]
fn cables_exchanged_in_and_between_pods_of_two_leaves_are_told() {
    let mut pods = Cabling::pods(1);
    let is_left = |name: &str| !(name.ends_with("l2") || name.ends_with("l3"));
    pods.switches.retain(|(name, _)| is_left(name));
    pods.cables.retain(|ends| ends.iter().all(|(name, _)| is_left(name)));
    let (healthy, elsewhere) = (pods.cables.clone(), Vec::new());
    let cases = [("p1l1", 21, "p1s1"), ("p2l1", 20, "p2s0")];
    for (other, port, spine) in cases {
        let (switches, cables) = (pods.switches.clone(), healthy.clone());
        let mut cabling = Cabling { switches, cables, elsewhere: elsewhere.clone() };
        cabling.exchange(("p1l0", 20), (other, port));
        let told = cabling.told();
        let [words] = &told[..] else { panic!("{told:?}") };
        let should = format!("{other} - {spine} (has 0 of 1)");
        for part in ["p1l0 - p1s0 (has 0 of 1)", &should, "are probably exchanged"] {
            assert!(words.contains(part), "{words}");
        }
        let doubt = "; or else two others of the cables up of p1l0, p1l1, p2l0, p2l1: nothing tells which";
        assert_eq!(words.ends_with(doubt), other == "p2l1", "{words}");
        cabling.mended_place("h-p1l0-0");
    }
}

#[test]
fn the_only_two_spines_joined_are_a_design() {
    for (spines, pairs) in [(2, 1), (4, 0)] {
        let mut cabling = Cabling::leaf_spine(6, spines, 8);
        cabling.add(("spine1", 30), ("spine2", 30));
        let words = cabling.told();
        assert_eq!(words.is_empty(), pairs == 1, "{words:?}");
        let family = Family::of(&cabling.network()).words();
        assert_eq!(family.contains("spines joined in 1 pair"), pairs == 1, "{family}");
    }
}

/// One core switch of each part of the core is not there in a fabric that is to grow.
#[test]
fn ports_left_for_more_core_switches_are_a_design() {
    let mut cabling = Cabling::pods(1);
    for (pod, j, _) in all_of(4, 2, 1) {
        cabling.add((&format!("p{pod}s{j}"), 42), (&format!("core{}", 2 * j), 10 + pod));
    }
    cabling.cables.retain(|[_, upper]| !["core1", "core3"].contains(&upper.0.as_str()));
    cabling.switches.retain(|(name, _)| !["core1", "core3"].contains(&name.as_str()));
    assert_eq!(cabling.told(), [""; 0]);
}

/// The network with other rates of the cables with an end at these switches, Gbit/s.
fn with_rates(network: &Network, rate: impl Fn(&[&str; 2]) -> Option<u64>) -> Network {
    network.with_speeds(|link| {
        let names = network.link(link).ends.each_ref().map(|end| network.name(end.node));
        rate(&names).map(|rate| (Rate::from_mbit_s(1_000 * rate), Some(4)))
    })
}

#[test]
fn a_cable_faster_than_its_like_is_told() {
    let network = Cabling::leaf_spine(6, 4, 8).network();
    let first = network.link_ids().find(|link| network.link(*link).switches().is_some()).unwrap();
    let fast = network.with_speeds(|link| (link == first).then(|| (Rate::from_mbit_s(400_000), None)));
    assert_eq!(told(&fast), ["the cable leaf1:8 - spine1:0 runs at 400 Gbit/s, where most have 100 Gbit/s"]);
    assert_eq!(slow_links(&fast, &Family::of(&fast)), []);
    // A leaf all of whose cables are faster is newer.
    let newer = with_rates(&network, |ends| ends.contains(&"leaf1").then_some(400));
    assert_eq!(told(&newer), [""; 0]);
}

/// Half of the pods are older throughout, from the leaves, with two cables up each, to the core.
#[test]
fn older_pods_are_a_design() {
    let network = Cabling::pods(1).network();
    let is_older = |name: &str| name.starts_with("p0") || name.starts_with("p1") || name.starts_with("h-p0");
    let older = with_rates(&network, |ends| {
        let is_slow = ends.iter().any(|name| is_older(name) || name.starts_with("h-p1"));
        Some(if is_slow { 100 } else { 200 })
    });
    let words = told(&older);
    assert!(!words.is_empty() && words.iter().all(|words| words.contains("older generation")), "{words:?}");
    assert_eq!(slow_links(&older, &Family::of(&older)), []);
}

/// A node to log in at in the last port of every leaf; and cables of hosts of which two share a port.
#[test]
fn slow_hosts_in_one_port_of_all_leaves_and_split_cables_are_designs() {
    let network = Cabling::leaf_spine(6, 4, 8).network();
    let last = |ends: &[&str; 2]| ends.iter().any(|name| name.starts_with("h-") && name.ends_with("-7"));
    let slow = with_rates(&network, |ends| Some(if last(ends) { 50 } else { 100 }));
    assert_eq!(told(&slow), [""; 0]);
    assert_eq!(slow_links(&slow, &Family::of(&slow)), []);
    let but_one =
        with_rates(&network, |ends| Some(if last(ends) && !ends.contains(&"h-leaf1-7") { 50 } else { 100 }));
    assert_eq!(slow_links(&but_one, &Family::of(&but_one)).len(), 5);
    let is_split = |network: &Network, link| {
        network.link(link).switches().is_none() && network.link(link).ends[0].port.is_multiple_of(2)
    };
    let split = network.with_speeds(|link| {
        let (rate, lanes) = if is_split(&network, link) { (50_000, 2) } else { (100_000, 4) };
        Some((Rate::from_mbit_s(rate), Some(lanes)))
    });
    let words = "24 cables of hosts run at 2x, 50 Gbit/s, where others have 4x, 100 Gbit/s: so many are probably split \
                 cables, no faults";
    assert_eq!(told(&split), [words]);
    assert_eq!(slow_links(&split, &Family::of(&split)), []);
}

/// All cables of one spine at half of their lanes are at fault, with it: they are named with it, and replaced.
#[test]
fn narrow_cables_of_one_switch_are_told_with_it_and_replaced() {
    let network = Cabling::leaf_spine(6, 3, 8).network();
    let narrow = network.with_speeds(|link| {
        let is_of = network.link(link).ends.iter().any(|end| network.name(end.node) == "spine2");
        let (rate, lanes) = if is_of { (50_000, 2) } else { (100_000, 4) };
        Some((Rate::from_mbit_s(rate), Some(lanes)))
    });
    let words = told(&narrow);
    let start = "all 12 cables between spine2 and other switches run at 2x, 50 Gbit/s, where most have 4x, 100 Gbit/s: leaf1:";
    assert!(words.len() == 1 && words[0].starts_with(start), "{words:?}");
    assert_eq!(slow_links(&narrow, &Family::of(&narrow)).len(), 12);
}
