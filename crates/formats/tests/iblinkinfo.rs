//! `iblinkinfo`: every form tells of one fabric; dead and degraded links are told; what is wrong is refused.
//!
//! The files are what infiniband-diags 44.0 prints of a simulated subnet: two leaves and two spines with two cables
//! between each pair, one of them on one lane and one disabled, and a host with a port at each leaf.

use hopscope_formats::fabric::fabric_format;
use hopscope_formats::fabric::iblinkinfo::read;
use hopscope_formats::{CabledNetwork, FormatError};
use hopscope_topology::{AnomalyKind, Network};

const WHOLE: &str = include_str!("data/iblinkinfo/whole.txt");
const LINES: &str = include_str!("data/iblinkinfo/lines.txt");
const SWITCHES: &str = include_str!("data/iblinkinfo/switches-only.txt");
const SWITCH_LINES: &str = include_str!("data/iblinkinfo/switches-only-lines.txt");
const SETTINGS: &str = include_str!("data/iblinkinfo/settings.txt");
const DOWN: &str = include_str!("data/iblinkinfo/down.txt");

fn fabric(text: &str) -> CabledNetwork {
    read(text).unwrap_or_else(|error| panic!("{error}"))
}

/// All links by the names and ports of their ends, and their rates.
fn links(network: &Network) -> Vec<String> {
    let end = |end: &hopscope_topology::Endpoint| format!("{}:{}", network.name(end.node), end.port);
    let of = |link: &hopscope_topology::Link| {
        let mut ends: Vec<String> = link.ends.iter().map(end).collect();
        ends.sort();
        format!("{} {:?} {:?}", ends.join(" - "), link.rate, link.lanes)
    };
    let mut links: Vec<String> = network.links().iter().map(of).collect();
    links.sort();
    links
}

fn told(fabric: &CabledNetwork, kind: AnomalyKind) -> Vec<&str> {
    let of_kind = fabric.anomalies.iter().filter(|anomaly| anomaly.kind == kind);
    of_kind.map(|anomaly| anomaly.words.as_str()).collect()
}

#[test]
fn every_form_tells_of_the_same_fabric() {
    let whole = fabric(WHOLE);
    let names: Vec<&str> = whole.network.hosts().iter().map(|host| host.name.as_str()).collect();
    assert_eq!(names, ["c", "b", "a:1", "a:2"]);
    // Eight cables between leaves and spines without the one that is disabled, and four of hosts.
    assert_eq!((whole.network.switches().len(), whole.network.links().len()), (4, 7 + 4));
    assert_eq!(whole.ports, [Some(8); 4]);
    for text in [LINES, SWITCHES, SWITCH_LINES, SETTINGS] {
        let other = fabric(text);
        assert_eq!(links(&other.network), links(&whole.network), "{text}");
        let port_anomalies = |fabric: &CabledNetwork| {
            [AnomalyKind::DeadPort, AnomalyKind::LeftOut].map(|kind| told(fabric, kind).join("\n"))
        };
        assert_eq!(port_anomalies(&other), port_anomalies(&whole));
        let lids =
            |fabric: &CabledNetwork| fabric.switches.iter().map(|a| (a.guid, a.lid)).collect::<Vec<_>>();
        assert_eq!(lids(&other), lids(&whole));
    }
    assert_eq!(fabric(LINES).hosts.len(), 4);
}

#[test]
fn dead_and_degraded_links_are_told() {
    let fabric = fabric(WHOLE);
    assert_eq!(
        told(&fabric, AnomalyKind::DeadPort),
        [
            "the port spine2:3 carries nothing and is left out (Active/Disabled)",
            "the port leaf2:3 carries nothing and is left out (Active/LinkUp, and nothing answers at the other end)",
        ]
    );
    assert_eq!(
        told(&fabric, AnomalyKind::LeftOut),
        [
            "12 ports are down and polling: empty, or their cables are dead: leaf2:7, leaf2:8, spine2:5, spine2:6 and 8 more"
        ]
    );
    assert_eq!(
        told(&fabric, AnomalyKind::BelowAbility),
        [
            "the cable leaf1:4 - spine2:2 runs at 1x, 2 Gbit/s, and could be 12X and 10.0 Gbps",
            "10 cables run at 4x, 8 Gbit/s, and could be 12X and 10.0 Gbps: \
             leaf1:1 - spine1:1, leaf1:2 - spine1:2, leaf1:3 - spine2:1, leaf1:5 - a:1 and 6 more",
        ]
    );
}

fn refused(text: &str) -> FormatError {
    read(text).expect_err("it is refused")
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for text in [WHOLE, LINES, SWITCHES] {
        assert_eq!(fabric_format(text).map(|format| format.name), Some("iblinkinfo"));
    }
    let down = refused(DOWN);
    assert!(down.hint.is_some_and(|hint| hint.contains("--down")), "{}", down.problem);
    // Cut short after each line: a part of a fabric is no fabric, and never a panic.
    for (text, whole) in [(WHOLE, 43), (LINES, 36)] {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), whole);
        for count in 1..lines.len() - 2 {
            let error = refused(&lines[..count].join("\n"));
            assert!(error.hint.is_some_and(|hint| hint.contains("cut short")), "{count}: {}", error.problem);
        }
    }
    let twice = format!("{WHOLE}\n{WHOLE}");
    assert!(refused(&twice).problem.contains("is listed twice: on line 2"), "{}", refused(&twice));
    let other = WHOLE.replacen("5    3[  ] \"spine1\"", "5    4[  ] \"spine1\"", 1);
    assert!(refused(&other).problem.contains("leads elsewhere"), "{}", refused(&other));
    let word = WHOLE.replacen("4X           2.5 Gbps Active/  LinkUp", "4X 2.5 Gbps", 1);
    assert_eq!((refused(&word).line, refused(&word).column), (2, 45), "{}", refused(&word));
    let no_lid = WHOLE.replacen("     8    1[  ]", "     0    1[  ]", 1);
    assert!(refused(&no_lid).hint.is_some_and(|hint| hint.contains("iblinkinfo -l")));
}

#[test]
fn older_forms_are_read() {
    let old = "Switch 0x0002c9020040f160 MT47396 Infiniscale-III:\n\
        \x20 3  1[  ]  ==( 4X 5.0 Gbps Active /   LinkUp)==>   4  1[  ] \"node 1 HCA-1\" (  )\n\
        \x20 3  2[  ]  ==( 4X 25.78125 Gbps Active /   LinkUp)==>   5  1[  ] \"node 2 HCA-1\" ( Could be FDR10)\n\
        \x20 3  3[  ]  ==( 4X 25.78125 Gbps   Init /   LinkUp)==>   6  1[  ] \"node 3 HCA-1\" ( )\n";
    let fabric = fabric(old);
    let rates: Vec<_> = fabric.network.links().iter().map(|l| l.rate.expect("a rate").bit_s()).collect();
    assert_eq!(rates, [16_000_000_000, 100_000_000_000]);
    assert_eq!(told(&fabric, AnomalyKind::DeadPort).len(), 1);
}
