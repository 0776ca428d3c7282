//! The roots that a fat tree is given: from them up*/down* joins all hosts.

use std::collections::BTreeSet;

use hopscope_topology::{Family, Network, NetworkBuilder, Role, Routes, RoutingRule, SwitchId};
use proptest::prelude::*;

/// A tree with hosts at some of its spines, without some cables and with others between any two switches, and with
/// small switches on it; nothing where it has fallen apart.
fn altered_tree(
    (leaves, spines): (usize, usize),
    at_spines: &[usize],
    cut: &[usize],
    added: &[(usize, usize)],
    small: &[(usize, usize, usize)],
) -> Option<Network> {
    let mut builder = NetworkBuilder::new();
    let mut switches: Vec<SwitchId> =
        (0..leaves + spines).map(|i| builder.add_switch(format!("s{i}"))).collect();
    let mut hosts = 0;
    let mut attach = |builder: &mut NetworkBuilder, at: SwitchId, count: usize| {
        for _ in 0..count {
            let host = builder.add_loose_host(format!("h{hosts}"), Role::Any);
            builder.attach(host, at, None, None, None);
            hosts += 1;
        }
    };
    switches[..leaves].iter().for_each(|leaf| attach(&mut builder, *leaf, 8));
    at_spines.iter().for_each(|spine| attach(&mut builder, switches[leaves + spine % spines], 1));
    for number in 0..leaves * spines {
        if !cut.contains(&number) {
            builder.add_link(switches[number / spines], switches[leaves + number % spines], None, None);
        }
    }
    for (a, b) in added {
        let [a, b] = [a % switches.len(), b % switches.len()];
        if a != b {
            builder.add_link(switches[a], switches[b], None, None);
        }
    }
    for (number, (a, b, count)) in small.iter().enumerate() {
        let id = builder.add_switch(format!("small{number}"));
        let ends = BTreeSet::from([a % switches.len(), b % switches.len()]);
        ends.into_iter().for_each(|end| _ = builder.add_link(switches[end], id, None, None));
        attach(&mut builder, id, *count);
        switches.push(id);
    }
    builder.build().ok()
}

proptest! {
    /// Whatever is read as a fat tree has a route between all hosts from the roots that it is given.
    #[test]
    fn up_down_routes_from_the_roots_of_a_tree_join_all_hosts(
        size in (2_usize..7, 1_usize..5),
        at_spines in proptest::collection::vec(0_usize..8, 0..4),
        cut in proptest::collection::vec(0_usize..24, 0..3),
        added in proptest::collection::vec((0_usize..16, 0_usize..16), 0..3),
        small in proptest::collection::vec((0_usize..16, 0_usize..16, 0_usize..4), 0..3),
    ) {
        let Some(network) = altered_tree(size, &at_spines, &cut, &added, &small) else { return Ok(()) };
        if let family @ Family::FatTree(_) = Family::of(&network) {
            let roots = family.tops().iter().map(|id| network.switch(*id).name.clone()).collect();
            let routes = Routes::compute(&network, &RoutingRule::UpDown { roots });
            prop_assert!(routes.is_ok(), "{:?}", routes.err());
        }
    }
}
