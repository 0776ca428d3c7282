//! Lossless fabrics.

use hopscope_explain::Pattern;

use crate::{Case, Cause};

const MEASURE: &str = "[measure]\nmessages = 10_000\n";

/// Four switches in a row: two hosts a switch, all sending to their number at the other end; one link is slow.
fn chain(slow: usize, rate: &str, load: f64) -> String {
    let links = (0..3).map(|at| {
        let rate = if at == slow { format!(", rate = \"{rate}\"") } else { String::new() };
        format!("{{ between = [\"{at}\", \"{}\"]{rate} }}", at + 1)
    });
    format!(
        "model = \"fabric\"\n[network.custom]\nswitches = [\"0\", \"1\", \"2\", \"3\"]\nlinks = [{}]\n\
         hosts = [{{ name = \"a\", at = \"0\" }}, {{ name = \"b\", at = \"3\" }}]\n[traffic]\nload = {load}\n\
         pattern = {{ flows = [{{ from = \"a\", to = \"b\" }}] }}\n{MEASURE}",
        links.collect::<Vec<_>>().join(", ")
    )
}

/// A star: several clients send to one host, whose link has its own rate, and to another without other senders.
fn incast(clients: usize, load: f64, rate: &str) -> String {
    let hosts = (0..clients).map(|c| format!("{{ name = \"c{c}\", at = \"edge{}\" }}", c % 2));
    let flows = (0..clients).map(|c| format!("{{ from = \"c{c}\", to = \"hot\" }}"));
    format!(
        "model = \"fabric\"\n[network.custom]\nswitches = [\"core\", \"edge0\", \"edge1\"]\n\
         links = [{{ between = [\"core\", \"edge0\"] }}, {{ between = [\"core\", \"edge1\"] }}]\n\
         hosts = [{{ name = \"hot\", at = \"core\", rate = \"{rate}\" }}, {{ name = \"cold\", at = \"core\" }}, {}]\n\
         [traffic]\nload = {load}\npattern = {{ flows = [{}, {{ from = \"c0\", to = \"cold\" }}] }}\n{MEASURE}",
        hosts.collect::<Vec<_>>().join(", "),
        flows.collect::<Vec<_>>().join(", ")
    )
}

/// Two pairs whose shortest paths share one link.
fn shared(load: f64, fifo: &str) -> String {
    format!(
        "model = \"fabric\"\n[network.custom]\nswitches = [\"m\", \"l\", \"r\"]\n\
         links = [{{ between = [\"l\", \"m\"] }}, {{ between = [\"m\", \"r\"] }}]\n\
         hosts = [{{ name = \"a1\", at = \"l\" }}, {{ name = \"a2\", at = \"l\" }}, \
         {{ name = \"b1\", at = \"r\" }}, {{ name = \"b2\", at = \"r\" }}]\n[switch]\nfifo = {fifo}\n[traffic]\nload = {load}\n\
         pattern = {{ flows = [{{ from = \"a1\", to = \"b1\" }}, {{ from = \"a2\", to = \"b2\" }}] }}\n{MEASURE}"
    )
}

/// Two paths from `a` to `b`, one of them with slow links, and routes that send half of the packets by each.
fn misrouted(slow: &str, load: f64) -> String {
    format!(
        "model = \"fabric\"\n[network.custom]\nswitches = [\"l\", \"fast\", \"slow\", \"r\"]\n\
         links = [{{ between = [\"l\", \"fast\"] }}, {{ between = [\"fast\", \"r\"] }}, \
         {{ between = [\"l\", \"slow\"], rate = \"{slow}\" }}, {{ between = [\"slow\", \"r\"], rate = \"{slow}\" }}]\n\
         hosts = [{{ name = \"a\", at = \"l\" }}, {{ name = \"b\", at = \"r\" }}]\n\
         [routing]\nrule = \"shortest\"\n[traffic]\nload = {load}\n\
         pattern = {{ flows = [{{ from = \"a\", to = \"b\" }}] }}\n{MEASURE}"
    )
}

/// Sixteen hosts on one switch of input FIFOs, all to all.
fn one_switch(load: &str) -> String {
    let hosts: Vec<String> = (0..16).map(|h| format!("{{ name = \"h{h}\", at = \"s\" }}")).collect();
    format!(
        "model = \"fabric\"\n[network.custom]\nswitches = [\"s\"]\nhosts = [{}]\n[traffic]\nload = {load}\n\
         sizes = {{ fixed = \"1000 B\" }}\n{MEASURE}",
        hosts.join(", ")
    )
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for slow in 0..3 {
        let link = ["the link 0:0 -> 1:0", "the link 1:1 -> 2:0", "the link 2:1 -> 3:0"][slow];
        for (rate, load) in [("20 Mbit/s", 0.18), ("20 Mbit/s", 0.4), ("50 Mbit/s", 0.9)] {
            let name = format!("link {slow} has {rate} for {load}");
            cases.push(Case::new(name, chain(slow, rate, load), Cause::Resource(link.into())));
        }
    }
    for (clients, load, rate) in [
        (4, 0.22, "100 Mbit/s"),
        (4, 0.4, "100 Mbit/s"),
        (6, 0.15, "100 Mbit/s"),
        (2, 0.2, "20 Mbit/s"),
        (3, 0.06, "20 Mbit/s"),
    ] {
        let name = format!("{clients} clients with {load} each to a host of {rate}");
        cases.push(Case::new(
            name,
            incast(clients, load, rate),
            Cause::Resource("the link core:2 -> hot".into()),
        ));
    }
    for (load, fifo) in
        [(0.46, "{ bytes = \"4 KB\" }"), (0.46, "\"unbounded\""), (0.7, "{ bytes = \"4 KB\" }")]
    {
        let name = format!("two pairs share a link at {load} with FIFOs {fifo}");
        // Behind the shared pair of links both are alike; the first one holds back.
        cases.push(Case::new(name, shared(load, fifo), Cause::Resource("the link l:0 -> m:0".into())));
    }
    for (slow, load) in [("20 Mbit/s", 0.38), ("20 Mbit/s", 0.6), ("10 Mbit/s", 0.5)] {
        let name = format!("half of {load} is sent over {slow}");
        cases.push(Case::new(name, misrouted(slow, load), Cause::Resource("the link l:1 -> slow:0".into())));
    }
    for load in ["0.56", "0.8", "\"saturated\""] {
        cases.push(Case::new(
            format!("one switch at {load}"),
            one_switch(load),
            Cause::Symptom(Pattern::HeadOfLineBlocking),
        ));
    }
    cases.push(Case::new("what waits at one switch", one_switch("0.56"), Cause::Blocking));
    for (name, scenario) in [
        ("healthy chain", chain(0, "100 Mbit/s", 0.3)),
        ("healthy star", incast(4, 0.08, "100 Mbit/s")),
        ("healthy pairs", shared(0.2, "{ bytes = \"4 KB\" }")),
        ("healthy switch", one_switch("0.2")),
        ("healthy switch, half of what it can", one_switch("0.3")),
    ] {
        cases.push(Case::new(name, scenario, Cause::Nothing));
    }
    cases
}
