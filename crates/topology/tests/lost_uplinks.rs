//! Leaves that have lost up-links evenly, or alike: with as many hosts as others, or beside whole leaves.

use hopscope_topology::{
    AnomalyKind, Family, Link, Network, NetworkBuilder, Role, anomalies, with_cables_mended,
};

/// Leaves with these numbers of hosts and of cables to each of the spines.
fn leaf_spine(leaves: &[(usize, &[usize])]) -> Network {
    let mut builder = NetworkBuilder::new();
    let spines: Vec<_> =
        (0..leaves[0].1.len()).map(|i| builder.add_switch(format!("spine{}", i + 1))).collect();
    for (i, (hosts, cables)) in leaves.iter().enumerate() {
        let leaf = builder.add_switch(format!("leaf{}", i + 1));
        (0..*hosts).for_each(|host| _ = builder.add_host(format!("h{i}-{host}"), leaf, Role::Any));
        for (spine, count) in spines.iter().zip(*cables) {
            (0..*count).for_each(|_| _ = builder.add_link(leaf, *spine, None, None));
        }
    }
    builder.build().unwrap()
}

/// What is odd about the cables between switches, without the ports.
fn told(network: &Network) -> Vec<String> {
    let found = anomalies(network, &Family::of(network)).into_iter();
    let of_cables =
        found.filter(|each| matches!(each.kind, AnomalyKind::MissingLink | AnomalyKind::MisplacedLink));
    of_cables.map(|each| each.words).collect()
}

fn cables(network: &Network) -> usize {
    network.links().iter().filter_map(Link::switches).count()
}

#[test]
fn a_leaf_that_lost_as_many_to_every_spine_lacks_them() {
    let whole: (usize, &[usize]) = (24, &[6, 6]);
    let network = leaf_spine(&[whole, (24, &[4, 4]), whole, whole]);
    let [words] = &told(&network)[..] else { panic!("{:?}", told(&network)) };
    assert!(
        words.starts_with("4 cables are missing from the fat tree: leaf2 - spine1 (has 4 of 6"),
        "{words}"
    );
    let mended = with_cables_mended(&network, &Family::of(&network));
    assert_eq!((cables(&network), cables(&mended)), (44, 48));
    assert_eq!(told(&mended), [""; 0]);
    // A host or two may be off; a leaf of half the hosts, or two such leaves, are meant to be so.
    assert_eq!(told(&leaf_spine(&[whole, (22, &[4, 4]), whole, whole])).len(), 1);
    assert_eq!(told(&leaf_spine(&[whole, (12, &[4, 4]), whole, whole])), [""; 0]);
    assert_eq!(told(&leaf_spine(&[whole, (24, &[4, 4]), (24, &[4, 4]), whole, whole])), [""; 0]);
}

#[test]
fn most_leaves_that_lost_cables_to_one_spine_lack_them() {
    let lost: (usize, &[usize]) = (8, &[3, 6]);
    let network = leaf_spine(&[lost, lost, lost, (8, &[6, 6])]);
    let [words] = &told(&network)[..] else { panic!("{:?}", told(&network)) };
    assert!(
        words.starts_with("9 cables are missing from the fat tree: leaf1 - spine1 (has 3 of 6"),
        "{words}"
    );
    assert_eq!(cables(&with_cables_mended(&network, &Family::of(&network))), 48);
    let one: (usize, &[usize]) = (8, &[1, 2]);
    let two: (usize, &[usize]) = (8, &[2, 2]);
    let words = told(&leaf_spine(&[one, one, one, one, two, two]));
    assert!(
        words[0].starts_with("4 cables are missing from the fat tree: leaf1 - spine1 (has 1 of 2"),
        "{words:?}"
    );
    // One cable more in one place, where three do not divide by two, is one too many.
    let words = told(&leaf_spine(&[one, one, one, one, one, two]));
    let of_one = "1 pair of switches has more cables than most others at the same upper switch: leaf6 - spine1 (has 2, \
                  most have 1";
    assert!(words[0].starts_with(of_one), "{words:?}");
    // Cables that are uneven everywhere alike are a design.
    assert_eq!(told(&leaf_spine(&[lost, lost, lost, lost])), [""; 0]);
}
