//! Counters of ports, right and wrong. `square.perfquery` and `square.ibqueryerrors` are what infiniband-diags 44
//! prints of ibsim's fabric in `square.net`.

use hopscope_formats::counters::{
    self, Counter, PortCounters, WrittenCounters, WrittenPauses, write_counters, write_ethernet_counters,
};
use hopscope_formats::fabric::ibnetdiscover;
use hopscope_formats::{CabledNetwork, FormatError};
use hopscope_topology::{Endpoint, Node};
use proptest::prelude::*;

const PERFQUERY: &str = include_str!("data/square.perfquery");
const IBQUERYERRORS: &str = include_str!("data/square.ibqueryerrors");

fn square() -> CabledNetwork {
    ibnetdiscover::read(include_str!("data/square.ibnetdiscover")).unwrap()
}

fn read(text: &str) -> Result<PortCounters, FormatError> {
    counters::read(text)?.on(&square(), text)
}

fn port(name: &str, port: u16) -> Endpoint {
    let network = square().network;
    match network.node(name) {
        Some(Node::Switch(switch)) => Endpoint::switch(switch, port),
        Some(Node::Host(host)) => Endpoint::host(host),
        None => panic!("no node {name}"),
    }
}

/// What was counted from nothing to a text.
fn counted(text: &str, end: Endpoint, counter: Counter) -> Option<u64> {
    let zero: String = text
        .lines()
        .map(|line| match line.split_once(":.") {
            Some((name, _)) => format!("{name}:.0\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let since = read(text).unwrap().since(&read(&zero).unwrap(), text).unwrap();
    since.ports.get(&end)?.get(&counter).copied()
}

#[test]
fn perfquery_is_read_by_lid_and_its_64_bit_counters_hold() {
    let read = read(PERFQUERY).unwrap();
    // Ten cabled ports of hosts and of switches between them, twice five.
    assert_eq!(read.len(), 2 * (6 + 1 + 5));
    assert_eq!(read.tool, "perfquery");
    let lines: Vec<&str> = PERFQUERY.lines().collect();
    let at =
        lines.iter().position(|line| line.starts_with("# Port extended counters: Lid 3 port 6 ")).unwrap();
    let value = lines[at + 3].trim_start_matches(|c: char| !c.is_ascii_digit());
    assert_eq!(counted(PERFQUERY, port("east", 6), Counter::XmitData), value.parse().ok());
}

/// Older versions call the same counters otherwise.
#[test]
fn old_names_of_perfquery_are_read() {
    let names = [
        ("XmtData", Counter::XmitData),
        ("XmtBytes", Counter::XmitData),
        ("RcvBytes", Counter::RcvData),
        ("RcvPkts", Counter::RcvPackets),
        ("XmtDiscards", Counter::XmitDiscards),
        ("LinkIntegrityErrors", Counter::IntegrityErrors),
    ];
    for (name, counter) in names {
        let text = format!("# Port counters: Lid 3 port 6\n{name}:.........................7\n");
        assert_eq!(counted(&text, port("east", 6), counter), Some(7), "{name}");
    }
}

/// The same ports by GUID.
#[test]
fn ibqueryerrors_names_the_same_ports() {
    let by_guid = read(IBQUERYERRORS).unwrap();
    assert_eq!(by_guid.len(), read(PERFQUERY).unwrap().len());
    assert_eq!(by_guid.tool, "ibqueryerrors");
}

#[test]
fn ethernet_and_prometheus_are_read_by_name() {
    let ethtool = "==> east:4 <==\nNIC statistics:\n     tx_bytes_phy: 4000\n     rx_prio3_pause: 2\n     \
                   rx_prio3_pause_duration: 17\n==> /tmp/dog.txt <==\nNIC statistics:\n     rx_bytes_phy: 8\n";
    let since = read(ethtool).unwrap().since(&read(&ethtool.replace("4000", "0")).unwrap(), ethtool).unwrap();
    assert_eq!(since.ports[&port("east", 4)][&Counter::XmitData], 1000);
    assert_eq!(since.ports[&port("east", 4)][&Counter::PausedUs(3)], 0);
    assert!(since.ports.contains_key(&port("dog", 0)));
    let exposition = "# HELP x\ninfiniband_switch_port_transmit_wait_total{guid=\"0x200001\",port=\"4\"} 12\n\
                      node_infiniband_port_data_transmitted_bytes_total{device=\"mlx5_0\",instance=\"dog:9100\",port=\"1\"} 4e3\n\
                      node_ethtool_rx_prio3_pause{instance=\"cow:9100\"} 1\n";
    let found = read(exposition).unwrap();
    assert_eq!((found.len(), found.tool), (3, "Prometheus"));
}

#[test]
fn ibdiagnet_sections_are_read() {
    let text = "----\nPort=4 Lid=0x0003 GUID=0x0000000000200001 Device=0 Port Name=east/4\n----\n\
                port_xmit_wait=0x0000000000000012\nsymbol_error_counter=0x0001\nlink_down_counter=NA\n";
    assert_eq!(read(text).unwrap().len(), 1);
}

/// What is written comes back, at its instant.
#[test]
fn what_hopscope_writes_it_reads() {
    let square = square();
    let of = |xmit_data| WrittenCounters { xmit_data, xmit_wait: 5, ..WrittenCounters::default() };
    let text = |at, data| {
        write_counters(&square, at, [(port("east", 4), &of(data)), (port("dog", 0), &of(7))]).unwrap()
    };
    let (before, after) = (text(0.25, 100), text(1.0, 350));
    let since = read(&after).unwrap().since(&read(&before).unwrap(), &after).unwrap();
    assert_eq!(since.interval_s, Some(0.75));
    assert_eq!(since.ports[&port("east", 4)][&Counter::XmitData], 250);
    assert_eq!(since.ports.len(), 2);
}

/// The same as `ethtool -S` prints it, with pause frames by priority.
#[test]
fn what_hopscope_writes_of_pause_frames_it_reads() {
    let square = square();
    let of = |xmit_data| WrittenCounters { xmit_data, link_downed: 1, ..WrittenCounters::default() };
    let pauses = |paused_us| {
        let pauses = WrittenPauses { sent: 2, received: 3, paused_us, pausing_us: 9 };
        [WrittenPauses::default(), pauses]
    };
    let text = |at, data, paused_us| {
        let (counted, pauses) = (of(data), pauses(paused_us));
        let ports = [(port("east", 4), &counted, &pauses[..]), (port("dog", 0), &counted, &pauses[..])];
        write_ethernet_counters(&square, at, ports)
    };
    let (before, after) = (text(0.25, 100, 5), text(1.0, 350, 105));
    let since = read(&after).unwrap().since(&read(&before).unwrap(), &after).unwrap();
    assert_eq!(since.interval_s, Some(0.75));
    for port in [port("east", 4), port("dog", 0)] {
        assert_eq!(since.ports[&port][&Counter::XmitData], 250);
        assert_eq!(since.ports[&port][&Counter::PausedUs(1)], 100);
        assert_eq!(since.ports[&port][&Counter::PausesReceived(1)], 0);
    }
}

/// Three ports of a switch, of which one was cleared between two readings; and one of three that was not.
#[test]
fn a_port_that_was_cleared_is_left_out_where_others_fit() {
    let reading = |counts: [u64; 3]| -> String {
        let section = |(port, count): (u16, u64)| {
            format!("# Port extended counters: Lid 3 port {port} (CapMask: 0x0)\nPortXmitData:....{count}\n")
        };
        (4..).zip(counts).map(section).collect()
    };
    let before = read(&reading([50, 50, 50])).unwrap();
    let since = |counts| read(&reading(counts)).unwrap().since(&before, &reading(counts));
    let found = since([60, 3, 70]).unwrap();
    assert_eq!(found.cleared, [(port("east", 5), Counter::XmitData)]);
    assert_eq!(found.ports.keys().copied().collect::<Vec<_>>(), [port("east", 4), port("east", 6)]);
    let told = since([3, 60, 3]).unwrap_err().to_string();
    assert!(told.contains("line 2, column 1: PortXmitData ran backwards, from 50 to 3"), "{told}");
}

#[test]
fn what_is_wrong_is_told_by_line() {
    let section = |heading: &str, value: &str| format!("# Port {heading}\nPortXmitData:....{value}\n");
    let good = section("extended counters: Lid 3 port 4 (CapMask: 0x0)", "9");
    let told = |text: &str| match read(text) {
        Err(error) => error.to_string(),
        Ok(after) => after.since(&read(&good).unwrap(), text).unwrap_err().to_string(),
    };
    let extended = |value: &str| section("extended counters: Lid 3 port 4 (CapMask: 0x0)", value);
    let heading = "# Port extended counters: Lid 3 port 4 (CapMask: 0x0)\n";
    let cases = [
        (extended("8"), "line 2, column 1: PortXmitData ran backwards, from 9 to 8"),
        (
            section("extended counters: Lid 77 port 4 (CapMask: 0x0)", "8"),
            "line 1, column 1: the fabric has no node",
        ),
        (
            section("extended counters: Lid 3 port 9 (CapMask: 0x0)", "8"),
            "line 1, column 1: port 9 of switch \"east\"",
        ),
        (
            section("counters: Lid 3 port 4 (CapMask: 0x0)", "4294967295"),
            "line 2, column 1: PortXmitData is full",
        ),
        (extended("-8"), "line 2, column 14: \"-8\" is no counter"),
        (format!("{good}{good}"), "line 4, column 1: PortXmitData a second time, after line 2"),
        (format!("{heading}PortSel"), "line 2, column 1: \"PortSel\""),
        (heading.to_owned(), "line 2, column 1: the counters of a port end before they begin"),
        ("shopping list".to_owned(), "line 1, column 1: these are not counters"),
        ("NIC statistics:\n  rx_prio3_pause: 1\n".to_owned(), "line 1, column 1: counters of nobody"),
        (
            "infiniband_switch_port_transmit_wait_total{guid=\"0x200001\",port=\"4\" 12\n".to_owned(),
            "line 1, column 1: labels that do not end",
        ),
    ];
    for (text, expected) in cases {
        assert!(told(&text).contains(expected), "{expected}: {}", told(&text));
    }
}

/// A counter of 32 bits that was nearly full has wrapped, and one with room was cleared: the hint differs.
#[test]
fn a_wrapped_counter_is_told_from_a_cleared_one() {
    let at =
        |value: &str| format!("# Port counters: Lid 3 port 4 (CapMask: 0x0)\nPortXmitData:....{value}\n");
    let hint = |first: &str, last: &str| {
        let last = at(last);
        read(&last).unwrap().since(&read(&at(first)).unwrap(), &last).unwrap_err().hint.unwrap()
    };
    assert!(hint("4294967000", "17").contains("perfquery -x"));
    assert!(hint("1000", "17").contains("cleared"));
}

/// East has no cable in port 7: data that it sends between the readings are those of another fabric, or the file is
/// older. What it sent before may be of a cable that was there.
#[test]
fn data_of_a_port_without_a_cable_are_told() {
    let at = |sent: u32| format!("# Port extended counters: Lid 3 port 7\nPortXmitData:....{sent}\n");
    assert_eq!(since(&at(5), &at(9)).unwrap().uncabled, ["east:7"]);
    assert_eq!(since(&at(9), &at(9)).unwrap().uncabled, [""; 0]);
}

fn since(before: &str, after: &str) -> Result<counters::Since, FormatError> {
    read(after)?.since(&read(before)?, after)
}

/// `ibdiagnet2.pm` has the same counter plain, which stops at 32 bits, and extended.
#[test]
fn of_plain_and_extended_counters_the_wider_hold() {
    let text = |data: u64| {
        format!(
            "Port=4 Lid=0x0003 GUID=0x0000000000200001 Device=0 Port Name=east/4\nport_xmit_data=0xffffffff\n\
             port_xmit_data_extended={data:#018x}\nport_xmit_wait_extended=0x9\nport_xmit_wait=0xffffffff\n"
        )
    };
    let since = since(&text(0x1_0000_0000), &text(0x1_0000_0007)).unwrap();
    assert_eq!(since.ports[&port("east", 4)][&Counter::XmitData], 7);
    assert_eq!(since.ports[&port("east", 4)][&Counter::XmitWait], 0);
    assert_eq!(since.full, []);
}

/// Of a tool that does not say how wide a counter is, all ones of 32 bits are its end.
#[test]
fn a_full_counter_of_unknown_width_is_refused() {
    let forms = [
        "Errors for 0x200001 \"east\"\n   GUID 0x200001 port 4: [PortXmitWait == VALUE]\n",
        "Port=4 Lid=0x0003 GUID=0x0000000000200001 Device=0 Port Name=east/4\nport_xmit_wait=VALUE\n",
        "infiniband_switch_port_transmit_wait_total{guid=\"0x200001\",port=\"4\"} VALUE\n",
    ];
    for form in forms {
        let of = |value: &str| form.replace("VALUE", value);
        let full = of("4294967295");
        let error = since(&full, &full).unwrap_err();
        assert!(error.problem.contains("PortXmitWait is full: it stopped at 4294967295"), "{error}");
        assert!(error.hint.unwrap().contains("perfquery -R"));
        assert!(since(&of("4294967290"), &of("4294967296")).is_ok(), "{form}");
    }
}

/// What a full counter of errors or discards has counted is a lower bound; nothing is refused for it.
#[test]
fn full_counters_that_tell_of_no_traffic_are_told() {
    let text = |data: u64| {
        format!(
            "# Port counters: Lid 3 port 4 (CapMask: 0x0)\nPortXmitData:....{data}\nPortXmitDiscards:....65535\n\
             ExcessiveBufferOverrunErrors:....15\nLinkDownedCounter:....3\n"
        )
    };
    let since = since(&text(1), &text(4)).unwrap();
    assert_eq!(since.ports[&port("east", 4)][&Counter::XmitData], 3);
    let full = [Counter::XmitDiscards, Counter::BufferOverruns].map(|counter| (port("east", 4), counter));
    assert_eq!(since.full, full);
}

proptest! {
    /// No text makes a reader panic, and none has a fault without a place.
    #[test]
    fn any_text_gives_counters_or_a_place(text in "(?s).{0,200}", cut in 0_usize..4000) {
        for text in [text.as_str(), &PERFQUERY[..cut], &IBQUERYERRORS[..cut.min(IBQUERYERRORS.len())]] {
            if let Err(error) = read(text) {
                prop_assert!(error.line >= 1 && error.column >= 1);
            }
        }
    }
}
