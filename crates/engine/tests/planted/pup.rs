//! Pup internets.

use crate::{Case, Cause};

const LINE: &str = "[[network]]\nname = \"line\"\nnumber = 2\n";
const MEASURE: &str = "[measure]\nmessages = 4_000\nwarmup = \"10 s\"\n";

/// Two hosts on one network.
fn pair(medium: &str, besides: &str) -> String {
    format!(
        "model = \"pup\"\n[[network]]\nname = \"net\"\nnumber = 3\nmedium = {medium}\n\
         [[host]]\nname = \"a\"\nnetwork = \"net\"\naddress = 1\n[[host]]\nname = \"b\"\nnetwork = \"net\"\naddress = 2\n\
         [[test]]\nfrom = \"a\"\nto = \"b\"\ndata = \"200 B\"\n{besides}\n{MEASURE}"
    )
}

/// Two Ethernets with a line between their gateways.
fn gateways(rate: &str, besides: &str) -> String {
    let ethernet = |name: &str, number: u32| {
        format!("[[network]]\nname = \"{name}\"\nnumber = {number}\nmedium = {{ ethernet = {{}} }}\n")
    };
    let gateway = |name: &str, net: &str, at: u32| {
        format!(
            "[[gateway]]\nname = \"{name}\"\non = [{{ network = \"{net}\", address = 9 }}, {{ network = \"line\", address = {at} }}]\n"
        )
    };
    format!(
        "model = \"pup\"\n{}{}{LINE}medium = {{ line = {{ rate = \"{rate}\" }} }}\n{}{}\
         [[host]]\nname = \"a\"\nnetwork = \"west\"\naddress = 1\n[[host]]\nname = \"b\"\nnetwork = \"east\"\naddress = 2\n\
         [[test]]\nfrom = \"a\"\nto = \"b\"\ndata = \"200 B\"\n{besides}\n{MEASURE}",
        ethernet("west", 1),
        ethernet("east", 3),
        gateway("g1", "west", 1),
        gateway("g2", "east", 2)
    )
}

/// Hosts with fast processors on one Ethernet of this rate.
fn crowd(hosts: u32, rate: &str) -> String {
    format!(
        "model = \"pup\"\n[[network]]\nname = \"net\"\nnumber = 3\nmedium = {{ ethernet = {{ rate = \"{rate}\" }} }}\n\
         [[host]]\nname = \"s\"\nnetwork = \"net\"\naddress = 1\ncount = {hosts}\n\
         [[host]]\nname = \"r\"\nnetwork = \"net\"\naddress = 101\ncount = {hosts}\n\
         [[test]]\nfrom = \"s\"\nto = \"r\"\ndata = \"532 B\"\n[stream]\nturnaround = \"0.1 ms\"\n\
         [processing.host]\npup = \"0.1 ms\"\nword = \"0 s\"\n{MEASURE}"
    )
}

pub(crate) fn cases() -> Vec<Case> {
    let resource = |words: &str| Cause::Resource(words.into());
    let fast = "[processing.host]\npup = \"0.5 ms\"\nword = \"0 s\"\n";
    let mut cases = Vec::new();
    for rate in ["2.4 kbit/s", "4.8 kbit/s", "9.6 kbit/s"] {
        let name = format!("a line of {rate}");
        cases.push(Case::new(name, gateways(rate, fast), resource("the line of g1 on line")));
    }
    for pup in ["20 ms", "60 ms"] {
        let besides = format!("{fast}[processing.gateway]\npup = \"{pup}\"\n");
        // Every Pup passes both gateways; the first one is always at work.
        let name = format!("gateways that take {pup}");
        cases.push(Case::new(name, gateways("1 Mbit/s", &besides), resource("the gateway processor of g1")));
    }
    for interval in ["60 ms", "90 ms", "150 ms"] {
        let medium = format!("{{ radio = {{ interval = \"{interval}\" }} }}");
        let name = format!("a radio that accepts a packet in {interval}");
        cases.push(Case::new(name, pair(&medium, fast), resource("the radio interval of a on net")));
    }
    for loss in ["0.2", "0.4"] {
        let medium = format!("{{ radio = {{ interval = \"1 ms\", loss = {loss} }} }}");
        cases.push(Case::new(format!("a radio that loses {loss}"), pair(&medium, fast), Cause::Loss));
    }
    for (hosts, rate) in [(10, "2.94 Mbit/s"), (20, "2.94 Mbit/s"), (4, "1 Mbit/s")] {
        let name = format!("{hosts} fast senders on {rate}");
        cases.push(Case::new(name, crowd(hosts, rate), resource("the Ethernet of net")));
    }
    for window in [1, 2, 3] {
        let besides = format!("{fast}[stream]\nwindow = {window}\n");
        let medium = "{ line = { rate = \"1 Mbit/s\", transit = \"300 ms\" } }";
        cases.push(Case::new(
            format!("a window of {window} over a long way"),
            pair(medium, &besides),
            Cause::Window,
        ));
    }
    cases.push(Case::new(
        "a receiver that takes its time",
        pair("{ ethernet = {} }", &format!("{fast}[stream]\nturnaround = \"200 ms\"\n")),
        Cause::SlowService,
    ));
    // Streams always have another Pup, so an internet is healthy only once its streams have ended.
    cases
}
