//! The roots that a fat tree is given: from them up*/down* joins all hosts, without a cycle of channels.

use std::collections::BTreeSet;

use hopscope_topology::{
    ChannelDependencies, DestinationTables, Family, FatTree, Link, Network, NetworkBuilder, NetworkSpec,
    Role, Routes, RoutingRule, SwitchId, TableCheck, TableEngine,
};
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
            let waiting = ChannelDependencies::new(&network, &routes.unwrap()).shortest_cycle();
            prop_assert!(waiting.is_none(), "{waiting:?}");
            let tables = DestinationTables::compute(&network, &TableEngine::UpDown { roots: family.tops() });
            prop_assert!(tables.is_ok(), "{:?}", tables.err());
            let check = TableCheck::new(&network, &tables.unwrap(), &family.tops());
            prop_assert!(check.credit_loop.is_none() && check.unreachable_pairs == 0, "{check:?}");
        }
    }
}

/// A tree with a host at each of these switches besides those at its leaves.
fn with_hosts_at(tree: &Network, at: &[&str]) -> Network {
    let mut builder = NetworkBuilder::new();
    tree.switches().iter().for_each(|switch| _ = builder.add_switch(switch.name.clone()));
    for host in tree.hosts() {
        let id = builder.add_loose_host(host.name.clone(), Role::Any);
        builder.attach(id, host.switch, None, None, None);
    }
    for name in at {
        let switch = tree.switch_ids().find(|id| tree.switch(*id).name == **name).unwrap();
        let id = builder.add_loose_host(format!("manager-at-{name}"), Role::Any);
        builder.attach(id, switch, None, None, None);
    }
    for ends in tree.links().iter().filter_map(Link::switches) {
        builder.add_link(ends[0], ends[1], None, None);
    }
    builder.build().unwrap()
}

/// Hosts that manage the subnet, at several roots or beside one, leave all highest switches roots. Each host is reached
/// from every other, and no channels wait for each other in a cycle.
#[test]
fn hosts_at_several_roots_leave_all_of_them_roots() {
    let tree = |tiers| {
        let tree = FatTree { radix: 8, tiers, servers: 0, ..FatTree::default() };
        NetworkSpec::FatTree(tree).build().unwrap()
    };
    // The links between the two that are last: one down and one up where a switch is below both; else by a leaf.
    let cases: [(u32, &[&str], u16); 6] = [
        (2, &["spine0", "spine1"], 2),
        (2, &["spine0", "spine1", "spine2", "spine3"], 2),
        (3, &["core0", "core1"], 2),
        (3, &["core0", "core5"], 4),
        (3, &["core0", "core1", "core2", "core3"], 2),
        (3, &["core0", "p3a1"], 5),
    ];
    for (tiers, at, links) in cases {
        let network = with_hosts_at(&tree(tiers), at);
        let family = Family::of(&network);
        assert_eq!(family.words(), Family::of(&tree(tiers)).words(), "{at:?}");
        assert_eq!(family.tops(), Family::of(&tree(tiers)).tops(), "{at:?}");
        let roots = family.tops().iter().map(|id| network.switch(*id).name.clone()).collect();
        let routes = Routes::compute(&network, &RoutingRule::UpDown { roots }).unwrap();
        assert!(ChannelDependencies::new(&network, &routes).shortest_cycle().is_none(), "{at:?}");
        let ends = [at.len() - 2, at.len() - 1]
            .map(|i| network.switch_ids().find(|id| network.switch(*id).name == at[i]).unwrap());
        assert_eq!(routes.distance(ends[0], 0, ends[1]), Some(links), "{at:?}");
        assert_eq!(routes.distance(ends[1], 0, ends[0]), Some(links), "{at:?}");
        for engine in [TableEngine::UpDown { roots: family.tops() }, TableEngine::DModK] {
            let tables = DestinationTables::compute(&network, &engine).unwrap();
            let check = TableCheck::new(&network, &tables, &family.tops());
            assert_eq!((check.unreachable_pairs, check.credit_loop), (0, None), "{at:?} {engine:?}");
        }
    }
}
