//! Virtual lanes: a ring whose tables close a cycle of links is free of credit loops where packets that cross a
//! dateline change lanes, or where pairs are dealt out to lanes; the result with one lane is reported besides it.

use hopscope_topology::{
    Chain, DestinationTables, HostId, IDENTITY, LaneTables, NO_LANE, Network, NetworkSpec, Port,
    ServiceLevels, SwitchId, TableCheck, VirtualLanes,
};

const RING: usize = 6;

fn ring() -> Network {
    let spec = Chain { switches: RING as u32, hosts_per_switch: 1, servers: 0, ..Chain::default() };
    NetworkSpec::Ring(spec).build().expect("a ring")
}

/// The port of a switch that leads to the next one, clockwise.
fn onward(network: &Network, at: SwitchId) -> Port {
    let mut ways = network.neighbours(at);
    ways.find(|(_, _, far, _)| far.index() == (at.index() + 1) % RING).expect("a next switch").0
}

/// Tables by which all packets go clockwise.
fn clockwise(network: &Network) -> DestinationTables {
    let mut tables = DestinationTables::new(network);
    for to in network.host_ids() {
        for at in network.switch_ids() {
            let host = network.host(to);
            tables.set(at, to, if host.switch == at { host.port } else { onward(network, at) });
        }
    }
    tables
}

fn switch_of(network: &Network, host: HostId) -> usize {
    network.host(host).switch.index()
}

fn checked(network: &Network, lanes: &VirtualLanes) -> TableCheck {
    let tables = [clockwise(network)];
    TableCheck::of_paths(network, &tables, &[]).on_lanes(network, &tables, lanes)
}

/// Packets that go round past switch 0 have level 1, all others level 0.
fn by_dateline(network: &Network) -> ServiceLevels {
    let mut levels = ServiceLevels::new(network, 1);
    for from in network.host_ids() {
        for to in network.host_ids().filter(|to| *to != from) {
            let crosses = switch_of(network, to) < switch_of(network, from);
            levels.set(0, from, to, u8::from(crosses));
        }
    }
    levels
}

#[test]
fn one_lane_closes_the_ring() {
    let network = ring();
    let check = checked(&network, &VirtualLanes::new(None, None));
    assert!(!check.is_safe());
    let lanes = check.lanes.expect("lanes");
    assert_eq!((lanes.levels, lanes.lanes, lanes.loop_on_one_lane), (vec![0], vec![0], Some(RING)));
    assert_eq!(lanes.unstated_pairs, (RING * (RING - 1)) as u64);
    assert!(check.credit_loop.expect("a loop").iter().all(|hop| hop.lane == Some(0)));
}

#[test]
fn levels_by_pair_do_not_suffice_for_a_ring_that_turns_one_way() {
    // Level 1 alone still closes it: from 5 past 0 to 4, from 1 past 0 to 0, and so on.
    let network = ring();
    let check = checked(&network, &VirtualLanes::new(Some(by_dateline(&network)), None));
    let cycle = check.credit_loop.expect("a loop on lane 1");
    assert!(cycle.iter().all(|hop| hop.lane == Some(1)));
    assert_eq!(check.lanes.expect("lanes").lanes, [0, 1]);
}

#[test]
fn a_lane_that_changes_at_the_dateline_opens_the_ring() {
    // What crosses from switch 5 to switch 0 goes on on lane 1, by the port at which it comes (Dally and Seitz 1987).
    let network = ring();
    let mut tables = LaneTables::new(&network);
    for at in network.switch_ids() {
        let ports = || 0..network.switch(at).ports.len() as Port;
        let back =
            network.neighbours(at).find(|(_, _, far, _)| far.index() == (at.index() + RING - 1) % RING);
        for (from, to) in ports().flat_map(|from| ports().map(move |to| (from, to))) {
            let mut map = IDENTITY;
            let crosses = at.index() == 0 && back.is_some_and(|(port, ..)| port == from);
            map[0] = u8::from(crosses);
            tables.set(at, from, to, map);
        }
    }
    // Lanes depend on level and ports alone, and later switches do not know of the crossing: the loop is open only
    // where packets that have crossed carry another level from their senders on.
    let open = |levels| checked(&network, &VirtualLanes::new(levels, Some(tables.clone())));
    assert!(open(None).credit_loop.is_some());
    let mut levels = ServiceLevels::new(&network, 1);
    let pairs = || network.host_ids().flat_map(|from| network.host_ids().map(move |to| (from, to)));
    for (from, to) in pairs().filter(|(from, to)| from != to) {
        let (a, b) = (switch_of(&network, from), switch_of(&network, to));
        let half = |switch: usize| usize::from(switch >= RING / 2);
        levels.set(0, from, to, if b > a { 0 } else { 1 + (2 * half(a) + half(b)) as u8 });
    }
    let check = open(Some(levels));
    assert!(check.is_safe(), "{:?}", check.credit_loop);
    let lanes = check.lanes.expect("lanes");
    assert_eq!((lanes.unstated_pairs, lanes.unstated_ports, lanes.loop_on_one_lane), (0, 0, Some(RING)));
}

#[test]
fn a_level_without_a_lane_is_discarded() {
    let network = ring();
    let mut levels = ServiceLevels::new(&network, 1);
    let hosts: Vec<HostId> = network.host_ids().collect();
    levels.set(0, hosts[0], hosts[2], 15);
    let check = checked(&network, &VirtualLanes::new(Some(levels.clone()), None));
    assert_eq!(check.lanes.as_ref().map(|lanes| lanes.discarded_pairs), Some(1));
    assert!(!check.is_safe());
    let lanes = VirtualLanes::new(Some(levels), None);
    assert_eq!(lanes.lane(SwitchId::new(0), 0, 1, 15), NO_LANE);
}
