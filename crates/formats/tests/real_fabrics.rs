//! Fabrics as their tools print them: grouped by chassis, with equal descriptions, ends that disagree, line ends of
//! both kinds.

use hopscope_formats::CabledNetwork;
use hopscope_formats::fabric::{ibnetdiscover, subnet_lst};
use hopscope_topology::{AnomalyKind, Family, Node, anomalies};

const GROUPED: &str = include_str!("data/grouped.ibnetdiscover");
const ONE_SLOW_CABLE: &str = include_str!("data/one-slow-cable.ibnetdiscover");
const SQUARE: &str = include_str!("data/square.ibnetdiscover");
const SQUARE_LST: &str = include_str!("data/square-subnet.lst");

fn read(text: &str) -> CabledNetwork {
    assert!(ibnetdiscover::looks_like(text));
    ibnetdiscover::read(text).unwrap()
}

/// Everything odd, the file's own first.
fn odd(fabric: &CabledNetwork) -> Vec<String> {
    let found = anomalies(&fabric.network, &Family::of(&fabric.network));
    fabric.anomalies.iter().chain(&found).map(|anomaly| anomaly.words.clone()).collect()
}

#[test]
fn a_grouped_dump_is_the_fabric_that_it_groups() {
    let fabric = read(GROUPED);
    assert_eq!((fabric.network.switches().len(), fabric.network.hosts().len()), (2, 4));
    insta::assert_snapshot!(odd(&fabric).join("\n"), @r"
    2 hosts have fewer ports up than others of their kind, such as node-b with 1 of its 2 ports up, where others have 2
    the cable edge A:10 - edge B:1 runs at 1x, 2 Gbit/s, where others have 4x, 8 Gbit/s
    ");
    let plain = GROUPED.replace("Non-Chassis Nodes\n", "");
    assert_eq!(read(&plain).network, fabric.network);
}

#[test]
fn ports_of_a_chassis_have_numbers_of_their_own() {
    let chassis = GROUPED.replace("Non-Chassis Nodes", "Chassis 1 (guid 0x8f10400410015)");
    let chassis = chassis
        .replace("[10]    \"S-", "[10][ext 4]    \"S-")
        .replace("90\"[1]         #", "90\"[1][ext 7]  #");
    assert!(chassis.contains("[ext 4]") && chassis.contains("[ext 7]"));
    assert_eq!(read(&chassis).network, read(GROUPED).network);
}

#[test]
fn line_ends_of_windows_change_nothing() {
    for text in [GROUPED, ONE_SLOW_CABLE, SQUARE] {
        assert_eq!(read(&text.replace('\n', "\r\n")).network, read(text).network);
    }
}

/// `ibnetdiscover -f` adds what ibsim calls the speed and width, in a code of its own, behind the words.
#[test]
fn full_output_is_read_by_its_words() {
    let full: String = SQUARE
        .lines()
        .map(|line| format!("{line}{}\n", if line.ends_with("SDR") { " s=1 w=2 v=4" } else { "" }))
        .collect();
    assert_eq!(read(&full).network, read(SQUARE).network);
}

#[test]
fn equal_descriptions_become_roles_and_all_names_stand_for_a_node() {
    let fabric = read(ONE_SLOW_CABLE);
    let network = &fabric.network;
    let names: Vec<&str> = network.switches().iter().map(|switch| switch.name.as_str()).collect();
    assert_eq!(names.len(), 6);
    assert!(names.iter().all(|name| name.starts_with("leaf") || name.starts_with("spine")), "{names:?}");
    let leaf = network.node("leaf1").unwrap();
    for name in ["SwitchIB Mellanox Technologies 0x2c90300a01000", "0x2c90300a01000", "S-0002c90300a01000"] {
        assert_eq!(network.node(name), Some(leaf), "{name}");
    }
    assert_eq!(network.own_name(leaf), Some("SwitchIB Mellanox Technologies 0x2c90300a01000"));
    assert!(matches!(network.node("gpu001"), Some(Node::Host(_))));
    assert_eq!(network.node("gpu001"), network.node("gpu001 HCA-1"));
    // In another order of discovery the names are the same.
    let records: Vec<&str> = ONE_SLOW_CABLE.split("vendid=").collect();
    let turned: Vec<&str> = records[..1].iter().chain(records[1..].iter().rev()).copied().collect();
    let turned = read(&turned.join("\nvendid="));
    let guid_of = |fabric: &CabledNetwork, name: &str| match fabric.network.node(name) {
        Some(Node::Switch(id)) => fabric.switches[id.index()].guid,
        other => panic!("{other:?}"),
    };
    for name in names {
        assert_eq!(guid_of(&fabric, name), guid_of(&turned, name), "{name}");
    }
}

#[test]
fn the_slow_cable_is_told_first_and_alone() {
    insta::assert_snapshot!(odd(&read(ONE_SLOW_CABLE)).join("\n"), @r"
    the cable leaf2:11 - spine2:11 runs at 16 Gbit/s, where most have 100 Gbit/s
    all leaves but leaf2 are oversubscribed 2.0:1 (2400 Gbit/s of downlinks, 1200 Gbit/s of uplinks); leaf2 is oversubscribed 2.15:1 because of its slow cable (2400 Gbit/s of downlinks, 1116 Gbit/s of uplinks)
    ");
}

#[test]
fn ends_that_disagree_are_told_and_the_slower_one_is_taken() {
    let disagreeing = SQUARE.replacen("\"east\" lid 3 4xSDR", "\"east\" lid 3 1xSDR", 1);
    let fabric = read(&disagreeing);
    assert_eq!(fabric.anomalies.len(), 1);
    assert_eq!(fabric.anomalies[0].kind, AnomalyKind::EndsDisagree);
    assert!(fabric.anomalies[0].words.contains("1x, 2 Gbit/s"), "{:?}", fabric.anomalies);
    let slow = fabric.network.links().iter().filter(|link| link.lanes == Some(1)).count();
    assert_eq!(slow, 1);
    let line = SQUARE_LST.lines().position(|line| line.contains("PHY=")).unwrap();
    let lines = SQUARE_LST.lines().enumerate().map(|(at, text)| match at == line {
        true => text.replace("PHY=4x", "PHY=1x"),
        false => text.to_owned(),
    });
    let found = subnet_lst::read(&lines.collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(found.anomalies[0].kind, AnomalyKind::EndsDisagree);
}

/// A name may look like a width and speed.
#[test]
fn a_name_is_no_speed() {
    let named = SQUARE.replace("\"east\"", "\"rack 12xNDR\"");
    assert_eq!(read(&named).network.links()[0].rate, read(SQUARE).network.links()[0].rate);
}
