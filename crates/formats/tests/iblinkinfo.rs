//! `iblinkinfo`: every format gives the same fabric; dead and degraded links are reported; mistakes are refused.
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
            "the cable leaf1:4 - spine2:2 runs at 1xSDR, 2 Gbit/s, and could be 12xQDR, 96 Gbit/s",
            "10 cables run at 4xSDR, 8 Gbit/s, and could be 12xQDR, 96 Gbit/s: \
             leaf1:1 - spine1:1, leaf1:2 - spine1:2, leaf1:3 - spine2:1, leaf1:5 - a:1 and 6 more",
        ]
    );
}

/// A hint on the width or speed alone is reported as that of the whole link; unknown words are kept.
#[test]
fn what_a_link_could_be_is_a_width_and_a_speed() {
    let runs = "spine2:2 runs at 1xSDR, 2 Gbit/s, and could be ";
    for (hint, could) in [
        ("Could be 4X", "4xSDR, 8 Gbit/s"),
        ("Could be 25.78125 Gbps", "1xEDR, 25 Gbit/s"),
        ("Could be FDR10", "1xFDR10, 10 Gbit/s"),
        ("Could be 4X Could be 7 Gbps", "4X and 7 Gbps"),
    ] {
        let text = WHOLE.replace("Could be 12X Could be 10.0 Gbps", hint);
        let found = fabric(&text);
        let told = told(&found, AnomalyKind::BelowAbility);
        assert!(told.iter().any(|words| words.ends_with(&format!("{runs}{could}"))), "{told:?}");
    }
}

/// A loop cable and a loopback plug are left out and told; the rest of the fabric is read.
#[test]
fn a_cable_of_a_switch_to_itself_is_left_out() {
    let whole = fabric(WHOLE);
    let row = |text: &str, port: u32, far: u32| {
        let up = format!(
            "\n           3    {port}[  ] ==( 4X 2.5 Gbps Active/  LinkUp)==>   3    {far}[  ] \"leaf2\" ( )"
        );
        let from = text.find(&format!("\n           3    {port}[  ] ==(")).expect("a row of leaf2");
        let end = from + 1 + text[from + 1..].find('\n').expect("a line");
        format!("{}{up}{}", &text[..from], &text[end..])
    };
    let cable = fabric(&row(&row(WHOLE, 7, 8), 8, 7));
    assert_eq!(links(&cable.network), links(&whole.network));
    let said = |fabric: &CabledNetwork, words: &str| told(fabric, AnomalyKind::LeftOut).contains(&words);
    assert!(said(&cable, "left out: the cable leaf2:7 - leaf2:8, which joins a switch to itself"));
    let plug = fabric(&row(WHOLE, 7, 7));
    assert_eq!(links(&plug.network), links(&whole.network));
    assert!(said(&plug, "left out: the loopback plug in port leaf2:7"), "{:?}", plug.anomalies);
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
