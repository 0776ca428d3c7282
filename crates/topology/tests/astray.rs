//! Grids, dragonflies and full meshes, with the ports of their cables: one exchanged with that of a host, one too many,
//! and faults of small ones.

use hopscope_topology::{
    AnomalyKind, Family, Network, NetworkBuilder, Port, Role, anomalies, with_cables_mended,
};

/// Switches with a host each in port 0, and the cables between them.
#[derive(Clone)]
struct Cabling {
    switches: Vec<String>,
    /// By switch, where the host is that belongs there; the last ones may have none.
    hosts: Vec<(usize, Port)>,
    cables: Vec<[(usize, Port); 2]>,
}

impl Cabling {
    fn of(switches: Vec<String>) -> Self {
        let hosts = (0..switches.len()).map(|switch| (switch, 0)).collect();
        Self { switches, hosts, cables: Vec::new() }
    }

    /// A torus or mesh of these sizes; a dimension of two has one cable. The switch at 1, 2 is "s12".
    fn grid(sizes: &[usize], are_rings: bool) -> Self {
        let places: usize = sizes.iter().product();
        let steps: Vec<usize> = (0..sizes.len()).map(|i| sizes[..i].iter().product()).collect();
        let at = |place: usize, i: usize| place / steps[i] % sizes[i];
        let name = |place| (0..sizes.len()).map(|i| at(place, i).to_string()).collect::<String>();
        let mut made = Self::of((0..places).map(|place| format!("s{}", name(place))).collect());
        for (i, place) in (0..sizes.len()).flat_map(|i| (0..places).map(move |place| (i, place))) {
            let is_last = at(place, i) + 1 == sizes[i];
            if !is_last || are_rings && sizes[i] > 2 {
                let next = if is_last { place - steps[i] * (sizes[i] - 1) } else { place + steps[i] };
                let port = 2 * i as Port + 1;
                made.cables.push([(place, port), (next, port + 1)]);
            }
        }
        made
    }

    /// Groups of `size` switches with `beyond` cables each to other groups, one to each. The second switch of the
    /// fourth group is "g3r1".
    fn dragonfly(size: usize, beyond: usize) -> Self {
        let groups = size * beyond + 1;
        let name = |i| format!("g{}r{}", i / size, i % size);
        let mut made = Self::of((0..groups * size).map(name).collect());
        for (group, a) in (0..groups).flat_map(|group| (0..size).map(move |a| (group, a))) {
            let port = |of: usize, to: usize| 1 + if to > of { to - 1 } else { to } as Port;
            let own = |r: usize| group * size + r;
            made.cables.extend((a + 1..size).map(|b| [(own(a), port(a, b)), (own(b), port(b, a))]));
        }
        let mut used = vec![0; groups];
        for (g, h) in (0..groups).flat_map(|g| (g + 1..groups).map(move |h| (g, h))) {
            let ends = [g, h].map(|group| {
                used[group] += 1;
                let n: usize = used[group] - 1;
                (group * size + n / beyond, (size + n % beyond) as Port)
            });
            made.cables.push(ends);
        }
        made
    }

    fn id(&self, name: &str) -> usize {
        self.switches.iter().position(|known| known == name).unwrap()
    }

    fn cable(&mut self, ends: (&str, &str)) -> &mut [(usize, Port); 2] {
        let (a, b) = (self.id(ends.0), self.id(ends.1));
        let found =
            self.cables.iter_mut().find(|[x, y]| [x.0, y.0] == [a, b] || [x.0, y.0] == [b, a]).unwrap();
        if found[0].0 != a {
            found.reverse();
        }
        found
    }

    fn without(mut self, ends: (&str, &str)) -> Self {
        let gone = *self.cable(ends);
        self.cables.retain(|cable| *cable != gone);
        self
    }

    /// With a cable more, in port 30 of both.
    fn with(mut self, ends: (&str, &str)) -> Self {
        let ends = [ends.0, ends.1].map(|name| (self.id(name), 30));
        self.cables.push(ends);
        self
    }

    /// With the second ends of two cables exchanged.
    fn exchanged(mut self, one: (&str, &str), other: (&str, &str)) -> Self {
        let [a, b] = [*self.cable(one), *self.cable(other)];
        self.cables.retain(|cable| ![a, b].contains(cable));
        self.cables.extend([[a[0], b[1]], [b[0], a[1]]]);
        self
    }

    /// With the second end of a cable exchanged with that of the host of a switch.
    fn with_host_instead(mut self, ends: (&str, &str), of: &str) -> Self {
        let host = self.id(of);
        let lost = std::mem::replace(&mut self.cable(ends)[1], (host, 0));
        self.hosts[host] = lost;
        self
    }

    fn network(&self) -> Network {
        let mut builder = NetworkBuilder::new();
        let ids: Vec<_> = self.switches.iter().map(|name| builder.add_switch(name.clone())).collect();
        for (name, (at, port)) in self.switches.iter().zip(&self.hosts) {
            let host = builder.add_loose_host(format!("h-{name}"), Role::Any);
            builder.attach(host, ids[*at], Some(*port), None, None);
        }
        for ends in &self.cables {
            builder.add_link_at(ends.map(|(switch, port)| (ids[switch], Some(port))), None, None);
        }
        builder.build().unwrap()
    }

    /// The family, and what is odd but for single points of failure.
    fn told(&self) -> (String, Vec<String>) {
        told(&self.network())
    }

    /// Checks that only this is reported, and that the network is complete after the repair.
    fn is_told(&self, of: &Self, words: &str) {
        let (family, odd) = self.told();
        assert_eq!(family, of.told().0, "{odd:?}");
        assert_eq!(odd, [words]);
        let network = self.network();
        assert_eq!(told(&with_cables_mended(&network, &Family::of(&network))), (family, Vec::new()));
    }
}

fn told(network: &Network) -> (String, Vec<String>) {
    let family = Family::of(network);
    let odd = anomalies(network, &family).into_iter().filter(|each| each.kind != AnomalyKind::SinglePoint);
    (family.words(), odd.map(|each| each.words).collect())
}

#[test]
fn a_cable_exchanged_with_that_of_a_host_is_told_in_every_family() {
    let cases = [
        (Cabling::grid(&[5, 5], true), ("s12", "s22"), "s40", ["s12:1", "s22:2"]),
        (Cabling::grid(&[2, 2, 2, 2], true), ("s1110", "s1111"), "s0010", ["s1110:7", "s1111:8"]),
        (Cabling::grid(&[3, 4, 5], true), ("s221", "s222"), "s211", ["s221:5", "s222:6"]),
        (Cabling::dragonfly(4, 2), ("g3r1", "g3r2"), "g6r0", ["g3r1:2", "g3r2:2"]),
        (Cabling::dragonfly(4, 2), ("g0r0", "g1r0"), "g5r3", ["g0r0:4", "g1r0:4"]),
        (Cabling::dragonfly(6, 0), ("g0r1", "g0r4"), "g0r2", ["g0r1:4", "g0r4:2"]),
    ];
    for (whole, ends, of, ports) in cases {
        let crossed = whole.clone().with_host_instead(ends, of);
        let words = format!(
            "the cable {} - {of}:0 and the host's cable {} - h-{of} are probably exchanged: they should be {} - {} \
             (has 0 of 1) and {of}:0 - h-{of}",
            ports[0], ports[1], ends.0, ends.1
        );
        crossed.is_told(&whole, &words);
    }
}

#[test]
fn a_cable_too_many_is_told() {
    let torus = Cabling::grid(&[5, 5], true);
    let (family, odd) = torus.clone().with(("s00", "s22")).told();
    assert_eq!(family, torus.told().0);
    assert_eq!(odd, ["the cable s00:30 - s22:30 joins two switches that are not neighbours in the grid"]);
    let (_, odd) = torus.with(("s12", "s22")).told();
    assert_eq!(odd, ["1 pair of switches has more cables than most: s12 - s22 (has 2, most have 1)"]);
    let (_, odd) = Cabling::dragonfly(4, 2).with(("g2r2", "g4r0")).told();
    let words = "is one more than most two groups have, at switches with more cables than most";
    assert_eq!(odd, [format!("the cable g2r2:30 - g4r0:30 {words}")]);
}

#[test]
fn a_mesh_lacks_the_cable_that_was_taken() {
    let mesh = Cabling::grid(&[4, 4], false);
    let words = "1 cable is missing from the grid: s11 - s12 (has 0 of 1)";
    let (family, odd) = mesh.clone().without(("s11", "s12")).told();
    assert_eq!(family, mesh.told().0);
    assert!(odd.len() == 1 && odd[0].starts_with(&words[..words.len() - 1]), "{odd:?}");
}

/// Two cables between the same four switches of a ring of four, crossed: each pair that lacks one has all its cables.
#[test]
fn cables_exchanged_within_a_ring_of_four_are_told() {
    let torus = Cabling::grid(&[4, 6], true);
    let crossed = torus.clone().exchanged(("s21", "s31"), ("s01", "s11"));
    crossed.is_told(
        &torus,
        "one of the 2 cables s01 - s31 and one of the 2 cables s11 - s21 are probably exchanged: they should be s01 - \
         s11 and s21 - s31",
    );
}

#[test]
fn of_cables_exchanged_in_a_torus_with_two_side_by_side_the_ports_tell() {
    let torus = Cabling::grid(&[2, 3, 4], true);
    let (family, odd) = torus.clone().exchanged(("s101", "s111"), ("s012", "s112")).told();
    assert_eq!(family, torus.told().0);
    assert!(odd.len() == 1 && odd[0].contains("are probably exchanged: they should be"), "{odd:?}");
    assert!(odd[0].contains("s111 - s101") && odd[0].contains("s112 - s012"), "{odd:?}");
}

#[test]
fn dragonflies_of_three_switches_a_group_are_known_by_their_groups() {
    let whole = Cabling::dragonfly(3, 2);
    let family = "dragonfly of 7 groups of 3 switches";
    assert_eq!(whole.told(), (family.to_owned(), Vec::new()));
    let local = whole.clone().without(("g5r0", "g5r2"));
    local.is_told(
        &whole,
        "1 cable is missing from the dragonfly: g5r0 - g5r2 (has 0 of 1; empty ports: g5r0:2, g5r2:1)",
    );
    let (_, odd) = whole.clone().without(("g0r2", "g6r0")).told();
    assert!(odd.len() == 1 && odd[0].contains("probably g0r2 - g6r0, which have fewest"), "{odd:?}");
}

/// Both groups lack a cable within, and have two too many between them.
#[test]
fn cables_of_two_groups_crossed_are_not_missing() {
    let whole = Cabling::dragonfly(4, 2);
    let crossed = whole.clone().exchanged(("g8r0", "g8r1"), ("g1r2", "g1r3"));
    let (family, odd) = crossed.told();
    assert_eq!(family, whole.told().0);
    assert!(odd.len() == 1 && odd[0].contains("are probably exchanged: they should be"), "{odd:?}");
    assert!(odd[0].contains("g8r0 - g8r1") && odd[0].contains("g1r2 - g1r3"), "{odd:?}");
}

/// Four leaves and two spines are no torus of two by three, whatever is exchanged.
#[test]
fn a_small_tree_with_exchanged_cables_is_no_torus() {
    let mut tree = Cabling::of(
        (0..6).map(|i| if i < 4 { format!("leaf{i}") } else { format!("spine{}", i - 4) }).collect(),
    );
    for leaf in 0..4 {
        for spine in 0..2 {
            tree.cables.push([(leaf, 1 + spine as Port), (4 + spine, leaf as Port)]);
        }
    }
    tree.hosts.truncate(4);
    let crossed = tree.exchanged(("leaf0", "spine0"), ("spine1", "leaf3"));
    let (family, odd) = crossed.told();
    assert!(family.starts_with("fat tree"), "{family} {odd:?}");
    assert!(!odd.iter().any(|words| words.contains("missing")), "{odd:?}");
}
