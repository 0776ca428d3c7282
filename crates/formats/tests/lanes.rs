//! Virtual lanes as tools tell them: all forms of one fabric are read alike, LASH's tables are free of credit loops on
//! their lanes alone, and what is wrong is refused.
//!
//! The files are of a ring of six switches that OpenSM 3.3.23 routed by LASH (`-R lash -Q -D 0x43`) on ibsim; ibdmchk
//! says of them as this test does: a credit loop without service levels, none with them.

use std::collections::BTreeMap;

use hopscope_formats::lanes::{Lids, read_lane_tables, read_path_levels};
use hopscope_formats::{CabledNetwork, FormatError, fabric, tables};
use hopscope_topology::{DestinationTables, LaneTables, ServiceLevels, TableCheck, VirtualLanes};

const FABRIC: &str = include_str!("data/lash-ring/ring.ibnetdiscover");
const FDBS: &str = include_str!("data/lash-ring/ring.fdbs");
const PSL: &str = include_str!("data/lash-ring/ring.psl");
const RECORDS: &str = include_str!("data/lash-ring/ring-saquery.txt");
const DUMP: &str = include_str!("data/lash-ring/opensm-sl2vl.dump");
const PACKED: &str = include_str!("data/lash-ring/ring.sl2vl");
const QUERIED: &str = include_str!("data/lash-ring/ring-smpquery.txt");

fn ring() -> (CabledNetwork, Vec<DestinationTables>, Lids) {
    let ring = fabric::ibnetdiscover::read(FABRIC).expect("a ring");
    let read = tables::read(FDBS).expect("tables");
    let tables = read.on_every_lid(&ring, FDBS).expect("tables of the ring");
    let lids = Lids::new(&ring, &BTreeMap::new());
    (ring, tables, lids)
}

fn levels(text: &str) -> ServiceLevels {
    let (ring, _, lids) = ring();
    read_path_levels(text, &ring, &lids).unwrap_or_else(|error| panic!("{error}"))
}

fn lanes(text: &str) -> LaneTables {
    let (ring, _, lids) = ring();
    read_lane_tables(text, &ring, &lids).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_form_tells_the_same() {
    assert!(levels(PSL) == levels(RECORDS), "path SLs");
    assert!(lanes(DUMP) == lanes(PACKED) && lanes(DUMP) == lanes(QUERIED), "lanes");
}

#[test]
fn lash_is_free_of_credit_loops_on_its_lanes_alone() {
    let (ring, tables, _) = ring();
    let network = &ring.network;
    let check = TableCheck::of_paths(network, &tables, &[]);
    assert_eq!(check.credit_loop.as_ref().map(Vec::len), Some(6));
    for tables_of_lanes in [None, Some(lanes(DUMP))] {
        let lanes = VirtualLanes::new(Some(levels(PSL)), tables_of_lanes);
        let check = check.clone().on_lanes(network, &tables, &lanes);
        assert!(check.is_safe(), "{:?}", check.credit_loop);
        let lanes = check.lanes.expect("lanes");
        assert_eq!((lanes.levels, lanes.lanes), (vec![0, 1, 2], vec![0, 1, 2]));
        assert_eq!((lanes.unstated_pairs, lanes.unstated_ports, lanes.loop_on_one_lane), (0, 0, Some(6)));
    }
    // All levels on lane 0: the loop is there again.
    let one = PACKED.lines().map(|line| {
        let ports: Vec<&str> = line.split(' ').take(3).collect();
        format!("{} 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00\n", ports.join(" "))
    });
    let lanes = VirtualLanes::new(Some(levels(PSL)), Some(lanes(&one.collect::<String>())));
    let check = check.on_lanes(network, &tables, &lanes);
    assert!(check.credit_loop.expect("a loop").iter().all(|hop| hop.lane == Some(0)));
}

#[test]
fn what_a_file_leaves_out_is_counted() {
    let (ring, tables, _) = ring();
    let half: String = PSL.lines().take(10).map(|line| format!("{line}\n")).collect();
    let some: String =
        PACKED.lines().filter(|line| !line.contains("200003")).map(|line| format!("{line}\n")).collect();
    let lanes = VirtualLanes::new(Some(levels(&half)), Some(lanes(&some)));
    let check = TableCheck::of_paths(&ring.network, &tables, &[]).on_lanes(&ring.network, &tables, &lanes);
    let lanes = check.lanes.expect("lanes");
    // Three ports of the switch have cables: six pairs of different ones.
    assert_eq!((lanes.unstated_pairs, lanes.unstated_ports), (30 - 10, 6));
}

fn refused_levels(text: &str) -> FormatError {
    let (ring, _, lids) = ring();
    read_path_levels(text, &ring, &lids).expect_err("it is refused")
}

fn refused_lanes(text: &str) -> FormatError {
    let (ring, _, lids) = ring();
    read_lane_tables(text, &ring, &lids).expect_err("it is refused")
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let place = |error: &FormatError| (error.line, error.column);
    let other = refused_levels("# of another fabric\n0x77 2 1\n");
    assert_eq!(place(&other), (2, 1), "{other}");
    assert!(other.hint.as_ref().is_some_and(|hint| hint.contains("another fabric")));
    assert_eq!(place(&refused_levels("0x0000000000100000 99 1\n")), (1, 20));
    assert_eq!(place(&refused_levels("0x0000000000100000 6 16\n")), (1, 22));
    assert_eq!(place(&refused_levels("0x0000000000100000 6\n")), (1, 21));
    assert!(refused_levels("").problem.contains("without the service level"));
    let cut = &RECORDS[..RECORDS.rfind("sl...").expect("a level")];
    assert!(refused_levels(cut).hint.is_some_and(|hint| hint.contains("cut short")));

    assert_eq!(place(&refused_lanes("0x77 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n")), (1, 1));
    assert_eq!(place(&refused_lanes("0x200000 1 2 0x01 0x23 0x45\n")), (1, 28));
    assert_eq!(place(&refused_lanes("0x200000 1 99 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n")), (1, 1));
    assert_eq!(place(&refused_lanes("1 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n")), (1, 1));
    assert_eq!(place(&refused_lanes("# SL2VL table: Lid 99\n")), (1, 20));
    assert!(refused_lanes("").problem.contains("without the lanes"));
}
