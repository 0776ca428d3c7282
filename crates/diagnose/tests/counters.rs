//! What counters tell of a small fabric: two leaves of six hosts each, under one spine, every link at 100 Gbit/s, read
//! ten seconds apart.

use std::collections::BTreeMap;

use hopscope_diagnose::{Channels, Diagnosis, Root, RootKind, diagnose, fit};
use hopscope_explain::Cause;
use hopscope_formats::counters::{Counter, CountersOfPort, Since};
use hopscope_topology::{
    DestinationTables, Endpoint, HostId, Network, NetworkBuilder, Node, Role, Routes, RoutingRule, SwitchId,
};

const RATE: f64 = 100e9;
const SECONDS: f64 = 10.0;
const HOSTS: usize = 6;
/// The uplinks of a leaf come after its hosts.
const UP: u16 = HOSTS as u16;

struct Fabric {
    network: Network,
    /// By link.
    rates: Vec<f64>,
    ports: BTreeMap<Endpoint, CountersOfPort>,
}

impl Fabric {
    /// Hosts a0 to a5 at leaf1 and b0 to b5 at leaf2, with a link from each leaf to each spine. No port sends or waits.
    fn new(spines: u16) -> Self {
        let mut builder = NetworkBuilder::new();
        let leaves = ["leaf1", "leaf2"].map(|name| builder.add_switch(name));
        for (leaf, letter) in leaves.iter().zip(["a", "b"]) {
            for host in 0..HOSTS {
                builder.add_host(format!("{letter}{host}"), *leaf, Role::Any);
            }
        }
        for spine in 0..spines {
            let id = builder.add_switch(format!("spine{}", spine + 1));
            for (leaf, port) in leaves.iter().zip(0..) {
                builder.add_link_at([(*leaf, Some(UP + spine)), (id, Some(port))], None, None);
            }
        }
        let network = builder.build().expect("a fabric");
        let counters =
            [Counter::XmitData, Counter::XmitPackets, Counter::XmitWait].map(|counter| (counter, 0));
        let ends = network.links().iter().flat_map(|link| link.ends);
        let ports = ends.map(|end| (end, CountersOfPort::from(counters))).collect();
        Self { rates: vec![RATE; network.links().len()], network, ports }
    }

    fn port(&self, node: &str, port: u16) -> Endpoint {
        match self.network.node(node) {
            Some(Node::Switch(switch)) => Endpoint::switch(switch, port),
            Some(Node::Host(host)) => Endpoint::host(host),
            None => panic!("no node {node}"),
        }
    }

    fn counts(&mut self, port: Endpoint, counter: Counter, count: f64) {
        *self.ports.get_mut(&port).expect("a port").entry(counter).or_default() += count as u64;
    }

    /// Sends for a share of the time, in packets of 2048 bytes.
    fn sends(&mut self, port: Endpoint, used: f64) {
        let bytes = used * SECONDS * RATE / 8.0;
        self.counts(port, Counter::XmitData, bytes / 4.0);
        self.counts(port, Counter::XmitPackets, bytes / 2048.0);
    }

    /// Waits for a share of the time, in ticks of 8 bytes.
    fn waits(&mut self, port: Endpoint, share: f64) {
        self.counts(port, Counter::XmitWait, share * SECONDS * RATE / 64.0);
    }

    fn channels(&self) -> Channels {
        let since = Since { ports: self.ports.clone(), ..Since::default() };
        Channels::new(&self.network, &self.rates, &[], &since, SECONDS)
    }

    fn diagnosis(&self) -> Diagnosis {
        let routes = Routes::compute(&self.network, &RoutingRule::Shortest).expect("routes");
        diagnose(&self.network, &routes, &self.channels())
    }
}

/// Three hosts wait for the uplink of their leaf.
fn full_uplink() -> Fabric {
    let mut fabric = Fabric::new(1);
    fabric.sends(fabric.port("leaf1", UP), 0.9);
    for host in ["a0", "a1", "a2"] {
        fabric.waits(fabric.port(host, 0), 0.5);
    }
    fabric
}

#[track_caller]
fn assert_full_uplink(found: &Diagnosis) {
    assert_eq!(found.roots.len(), 1, "{:?}", found.roots);
    assert_eq!(
        (found.roots[0].kind, found.roots[0].place.as_str()),
        (RootKind::FullLink, "leaf1:6 -> spine1:0")
    );
    assert!(found.roots[0].weight > 0.999);
}

/// The two spines lead to the same places: the first is full, the second has this use.
fn root_beside(used: f64, full: (&str, u16), beside: (&str, u16)) -> Root {
    let mut fabric = Fabric::new(2);
    fabric.sends(fabric.port(full.0, full.1), 0.95);
    fabric.sends(fabric.port(beside.0, beside.1), used);
    for host in ["a0", "a1", "a2"] {
        fabric.waits(fabric.port(host, 0), 0.5);
    }
    if full.0 == "spine1" {
        fabric.waits(fabric.port("leaf1", UP), 0.5);
    }
    fabric.diagnosis().roots.remove(0)
}

#[test]
fn equal_links_that_stand_idle_beside_a_full_one_are_named() {
    let root = root_beside(0.02, ("leaf1", UP), ("leaf1", UP + 1));
    assert_eq!((root.kind, root.place.as_str()), (RootKind::FullLink, "leaf1:6 -> spine1:0"));
    let expected =
        "1 equal link to the same places carries 2 % of its rate: leaf1:7 -> spine2:0. Spread the routes";
    assert!(root.sentence.contains(expected), "{}", root.sentence);
    // Into the same switch, where the choice is made further up.
    let root = root_beside(0.02, ("spine1", 1), ("spine2", 1));
    assert_eq!(root.place, "spine1:1 -> leaf2:6");
    assert!(root.sentence.contains("2 % of its rate: spine2:1 -> leaf2:7."), "{}", root.sentence);
    // It could not take half of what the full one carries.
    let root = root_beside(0.4, ("leaf1", UP), ("leaf1", UP + 1));
    assert!(root.idle_links.is_empty() && !root.sentence.contains("equal"), "{root:?}");
}

#[test]
fn links_that_went_down_are_no_root_and_each_is_noted_once() {
    let mut fabric = full_uplink();
    for port in 0..HOSTS as u16 {
        fabric.counts(fabric.port("leaf1", port), Counter::LinkDowned, 1.0);
        fabric.counts(fabric.port(&format!("a{port}"), 0), Counter::LinkDowned, 1.0);
    }
    let found = fabric.diagnosis();
    assert_full_uplink(&found);
    let (of_links, others): (Vec<_>, Vec<_>) =
        found.notes.iter().partition(|note| note.contains("went down"));
    assert!(others.is_empty(), "{others:?}");
    let [note] = of_links[..] else { panic!("{of_links:?}") };
    assert!(note.starts_with("6 links went down: leaf1:0 - a0 once, "), "{note}");
    assert!(note.ends_with(" and 2 more"), "{note}");
}

#[test]
fn an_error_on_an_idle_link_is_no_root() {
    let mut fabric = full_uplink();
    fabric.counts(fabric.port("a3", 0), Counter::SymbolErrors, 1.0);
    let found = fabric.diagnosis();
    assert_full_uplink(&found);
    assert!(found.cables_with_errors.is_empty());
}

/// A hundred errors on a link that carries a hundred packets take no time.
#[test]
fn many_errors_on_an_idle_link_are_noted_and_are_no_root() {
    let mut fabric = full_uplink();
    fabric.counts(fabric.port("leaf1", 3), Counter::XmitData, 51_200.0);
    fabric.counts(fabric.port("leaf1", 3), Counter::XmitPackets, 100.0);
    fabric.counts(fabric.port("a3", 0), Counter::SymbolErrors, 100.0);
    let found = fabric.diagnosis();
    assert_full_uplink(&found);
    let note = "1 cable has many errors: leaf1:3 -> a3 (100 errors, 1000.0 for each 1000 packets)";
    assert_eq!(found.notes, [note]);
}

/// The cable carries 40 % and sends each packet two and a half times: it is busy all the time.
#[test]
fn a_cable_that_is_busy_with_retries_is_the_root() {
    let mut fabric = full_uplink();
    let uplink = fabric.port("leaf1", UP);
    fabric.ports.insert(uplink, CountersOfPort::from([(Counter::XmitWait, 0)]));
    fabric.sends(uplink, 0.4);
    let packets = fabric.ports[&uplink][&Counter::XmitPackets] as f64;
    fabric.counts(fabric.port("spine1", 0), Counter::SymbolErrors, 1.5 * packets);
    let found = fabric.diagnosis();
    assert_eq!((found.roots[0].kind, found.cause), (RootKind::RetryingCable, Cause::Loss));
    assert!(found.sentence.contains("1500.0 for each 1000 packets"), "{}", found.sentence);
    assert!((found.cables_with_errors[0].lost - 0.6).abs() < 1e-6);
    assert!(found.notes.is_empty(), "the sentence tells the errors: {:?}", found.notes);
}

/// A host waits for its own cable, on which every second packet is sent again; its switch has nothing else to wait for.
#[test]
fn a_host_that_waits_for_its_own_bad_cable_leads_to_it() {
    let mut fabric = Fabric::new(1);
    let host = fabric.port("a0", 0);
    fabric.sends(host, 0.4);
    fabric.waits(host, 0.3);
    let packets = fabric.ports[&host][&Counter::XmitPackets] as f64;
    fabric.counts(fabric.port("leaf1", 0), Counter::SymbolErrors, 0.5 * packets);
    let root = fabric.diagnosis().roots.remove(0);
    assert_eq!((root.kind, root.place.as_str()), (RootKind::RetryingCable, "a0 -> leaf1:0"));
}

#[test]
fn the_busiest_link_is_named_where_nobody_waits() {
    let mut fabric = Fabric::new(1);
    fabric.sends(fabric.port("leaf1", UP), 0.97);
    let found = fabric.diagnosis();
    assert!(
        found.sentence.contains("the busiest link, leaf1:6 -> spine1:0, is 97 % utilised"),
        "{}",
        found.sentence
    );
}

/// A cable that is bad in both directions is one cable, and is named once.
#[test]
fn the_other_direction_of_a_bad_cable_is_no_other_cable() {
    let mut fabric = Fabric::new(1);
    for (from, to) in [(("leaf1", UP), ("spine1", 0)), (("spine1", 0), ("leaf1", UP))] {
        fabric.sends(fabric.port(from.0, from.1), 0.2);
        fabric.counts(fabric.port(to.0, to.1), Counter::SymbolErrors, 5_000_000.0);
    }
    assert_eq!(fabric.diagnosis().notes, [""; 0]);
    for (from, to) in [(("leaf2", UP), ("spine1", 1)), (("spine1", 1), ("leaf2", UP))] {
        fabric.sends(fabric.port(from.0, from.1), 0.2);
        fabric.counts(fabric.port(to.0, to.1), Counter::SymbolErrors, 1_000_000.0);
    }
    let notes = fabric.diagnosis().notes;
    assert!(notes[0].starts_with("1 cable has many errors: "), "{notes:?}");
}

#[test]
fn a_bad_cable_is_named_where_nobody_waits() {
    let mut fabric = Fabric::new(1);
    fabric.sends(fabric.port("leaf1", UP), 0.2);
    fabric.counts(fabric.port("spine1", 0), Counter::SymbolErrors, 5_000_000.0);
    let found = fabric.diagnosis();
    assert_eq!(found.cause, Cause::Loss);
    assert!(
        found
            .sentence
            .starts_with("The cable leaf1:6 -> spine1:0 is bad: 5000000 errors, 409.6 for each 1000"),
        "{}",
        found.sentence
    );
    assert!(found.sentence.contains("No port waits"), "{}", found.sentence);
    assert!(found.roots.is_empty());
    fabric.counts(fabric.port("spine1", 0), Counter::LinkDowned, 1.0);
    fabric.ports.get_mut(&fabric.port("spine1", 0)).expect("a port").remove(&Counter::SymbolErrors);
    assert_eq!(fabric.diagnosis().cause, Cause::Healthy);
}

/// Each host has two LIDs, one by each spine; the second spine's links are full.
#[test]
fn waiting_is_followed_by_every_lid_of_a_host() {
    let mut fabric = Fabric::new(2);
    fabric.sends(fabric.port("leaf1", UP + 1), 0.95);
    for host in ["a0", "a1", "a2"] {
        fabric.waits(fabric.port(host, 0), 0.5);
    }
    let by_spine = |spine: u16| tables(&fabric, |_| spine);
    let followed = |lids: Vec<DestinationTables>| {
        let routes = Routes::of_several_tables(&fabric.network, lids).expect("routes");
        diagnose(&fabric.network, &routes, &fabric.channels()).roots.remove(0)
    };
    let root = followed(vec![by_spine(0), by_spine(1)]);
    assert_eq!((root.kind, root.place.as_str()), (RootKind::FullLink, "leaf1:7 -> spine2:0"));
    assert_eq!(followed(vec![by_spine(0)]).kind, RootKind::Unknown);
}

/// Hosts with even numbers are reached by the first spine, those with odd numbers by the second.
fn by_parity(fabric: &Fabric) -> DestinationTables {
    tables(fabric, |to| to.index() as u16 % 2)
}

/// Tables by which each host is reached by the spine of this number.
fn tables(fabric: &Fabric, spine: impl Fn(HostId) -> u16) -> DestinationTables {
    let network = &fabric.network;
    let mut tables = DestinationTables::new(network);
    for to in network.host_ids() {
        let at = network.host(to);
        for switch in network.switch_ids() {
            let port = match network.switch(switch).name.as_str() {
                _ if switch == at.switch => at.port,
                "leaf1" | "leaf2" => UP + spine(to),
                _ => at.switch.index() as u16,
            };
            tables.set(switch, to, port);
        }
    }
    tables
}

/// Every host sends to one at the other leaf, more to those with even numbers; the fit must find a load for each way.
#[test]
fn traffic_is_fitted_along_the_tables_of_each_host() {
    let mut fabric = Fabric::new(2);
    let tables = by_parity(&fabric);
    let leaf_of = |host: HostId| fabric.network.host(host).switch;
    let hosts: Vec<HostId> = fabric.network.host_ids().collect();
    let load = |to: HostId| if to.index().is_multiple_of(2) { 0.06 } else { 0.01 };
    let pairs: Vec<(HostId, HostId)> = hosts
        .iter()
        .flat_map(|from| hosts.iter().map(|to| (*from, *to)))
        .filter(|(from, to)| leaf_of(*from) != leaf_of(*to))
        .collect();
    for (from, to) in pairs {
        let mut port = Endpoint::host(from);
        let mut at: Option<SwitchId> = Some(fabric.network.host(from).switch);
        while let Some(switch) = at {
            fabric.sends(port, load(to));
            port = Endpoint::switch(switch, tables.port(switch, to).expect("an entry"));
            at = match fabric.network.far_end(switch, port.port).expect("a cable").node {
                Node::Switch(next) => Some(next),
                Node::Host(_) => None,
            };
        }
        fabric.sends(port, load(to));
    }
    let routes = Routes::of_tables(&fabric.network, tables).expect("routes");
    let found = fit(&fabric.network, &routes, &fabric.channels()).expect("a fit");
    assert!(found.residual < 0.01, "{}", found.residual);
}

/// Two leaves under two spines: everything of leaf1 leaves by its first uplink, which sends and waits for these shares.
fn uneven(used: f64, waits: f64, beside: f64) -> Fabric {
    let mut fabric = Fabric::new(2);
    fabric.sends(fabric.port("leaf1", UP), used);
    fabric.waits(fabric.port("leaf1", UP), waits);
    fabric.sends(fabric.port("leaf1", UP + 1), beside);
    for host in ["a0", "a1", "a2"] {
        fabric.waits(fabric.port(host, 0), 0.5);
    }
    fabric
}

/// What comes to spine1 waits there for outputs that no counter shows as full: half of it has another path that is
/// idle.
#[test]
fn a_link_that_always_has_something_to_send_beside_idle_ones_is_the_root() {
    for (used, waits) in [(0.84, 0.16), (0.64, 0.36), (0.76, 0.02)] {
        let found = uneven(used, waits, 0.0).diagnosis();
        let root = &found.roots[0];
        assert_eq!(
            (root.kind, root.cause, root.place.as_str()),
            (RootKind::UnevenRoutes, Cause::RouteConcentration, "leaf1:6 -> spine1:0"),
            "{used} {waits}"
        );
        assert_eq!(root.idle_links.len(), 1, "{root:?}");
        assert!(found.is_sure() && found.roots.len() == 1, "{found:?}");
    }
    // Nothing is idle beside it, or it hardly carries anything itself.
    for fabric in [uneven(0.84, 0.16, 0.5), uneven(0.4, 0.16, 0.0)] {
        assert_eq!(fabric.diagnosis().roots[0].kind, RootKind::Unknown);
    }
}

/// Shared evenly, no link into the leaf would be pressed; with more to carry in all, each would be.
#[test]
fn a_link_that_carries_too_much_of_what_equal_ones_could_share_is_the_root() {
    let into_leaf = |beside: f64| {
        let mut fabric = Fabric::new(2);
        fabric.sends(fabric.port("spine1", 1), 0.7);
        fabric.waits(fabric.port("spine1", 1), 0.2);
        fabric.sends(fabric.port("spine2", 1), beside);
        fabric.diagnosis().roots.remove(0)
    };
    let root = into_leaf(0.4);
    assert_eq!((root.kind, root.place.as_str()), (RootKind::UnevenRoutes, "spine1:1 -> leaf2:6"));
    let words = "the link spine1:1 -> leaf2:6 is 70 % utilised and may not send for 20 % of the time, 100 % of all \
                 waiting is for it, and equal links beside it carry less";
    assert!(root.sentence.contains(words), "{}", root.sentence);
    assert!(root.sentence.contains("carries 40 % of its rate: spine2:1 -> leaf2:7"), "{}", root.sentence);
    assert_eq!(into_leaf(0.5).kind, RootKind::Unknown);
}

/// The uplink waits for a busy output of the spine; its own traffic has another path that is unused.
#[test]
fn idle_equals_of_a_waiting_link_count_before_busy_links_behind_it() {
    let mut fabric = uneven(0.61, 0.22, 0.0);
    fabric.sends(fabric.port("spine1", 1), 0.63);
    fabric.sends(fabric.port("spine2", 1), 0.6);
    let root = fabric.diagnosis().roots.remove(0);
    assert_eq!((root.kind, root.place.as_str()), (RootKind::UnevenRoutes, "leaf1:6 -> spine1:0"));
    assert!(root.sentence.contains("1 equal link to the same places carries nothing: "), "{}", root.sentence);
}

#[test]
fn all_routes_over_one_spine_are_one_root() {
    let mut fabric = Fabric::new(2);
    for leaf in ["leaf1", "leaf2"] {
        fabric.sends(fabric.port(leaf, UP), 0.62);
        fabric.waits(fabric.port(leaf, UP), 0.38);
    }
    let found = fabric.diagnosis();
    let words = "The routes share traffic unevenly: 2 links into spine1 are 62 % utilised and may not send for 38 % of \
                 the time, 100 % of all waiting is for them, and equal links beside them carry less: ";
    assert!(found.roots.len() == 1 && found.sentence.starts_with(words), "{found:?}");
    assert_eq!(found.roots[0].idle_links.len(), 2);
    assert!(found.is_sure(), "{found:?}");
}

/// Not the routes, which give each spine the same: a link at half the rate of comparable links waits for bursts.
#[test]
fn a_slow_link_that_is_only_busy_is_a_slow_link() {
    let mut fabric = uneven(0.31, 0.3, 0.3);
    let slow = fabric.network.links().iter().position(|link| link.ends.contains(&fabric.port("leaf1", UP)));
    fabric.rates[slow.expect("an uplink")] = RATE / 2.0;
    let root = fabric.diagnosis().roots.remove(0);
    assert_eq!((root.kind, root.place.as_str()), (RootKind::SlowLink, "leaf1:6 -> spine1:0"));
}

/// One link whose ends disagree was read late; one port without a cable is newer than the file; both together, of
/// a fabric so small, are counters of another fabric.
#[test]
fn counters_with_ports_and_cables_of_their_own_are_of_another_fabric() {
    let channels = |uncabled: &[&str], received: f64| {
        let mut fabric = Fabric::new(1);
        fabric.sends(fabric.port("leaf1", UP), 0.3);
        fabric.counts(fabric.port("spine1", 0), Counter::RcvData, received * SECONDS * RATE / 32.0);
        let uncabled = uncabled.iter().map(|port| (*port).to_owned()).collect();
        let since = Since { ports: fabric.ports.clone(), uncabled, ..Since::default() };
        Channels::new(&fabric.network, &fabric.rates, &[], &since, SECONDS)
    };
    assert!(channels(&["spine1:9"], 0.9).are_of_another_fabric());
    assert!(!channels(&["spine1:9"], 0.3).are_of_another_fabric());
    assert!(!channels(&[], 0.9).are_of_another_fabric());
}

/// What is known to hold packets up behind an uplink explains its waiting better than the routes.
#[test]
fn a_slow_host_behind_a_lone_uplink_remains_the_root() {
    let mut fabric = uneven(0.6, 0.38, 0.0);
    for port in [("spine1", 1), ("leaf2", 2)] {
        fabric.sends(fabric.port(port.0, port.1), 0.3);
        fabric.waits(fabric.port(port.0, port.1), 0.6);
    }
    let found = fabric.diagnosis();
    assert_eq!((found.roots[0].kind, found.roots[0].nodes[0].as_str()), (RootKind::SlowHost, "b2"));
}

/// Two hosts hold up others that have nothing to do with one another: each is certain.
#[test]
fn independent_roots_are_sure_each_and_those_of_the_same_waiters_less() {
    let mut fabric = Fabric::new(1);
    for (leaf, slow, waiting) in [("leaf1", 1, "a3"), ("leaf2", 2, "b4")] {
        fabric.waits(fabric.port(leaf, slow), 0.8);
        fabric.waits(fabric.port(waiting, 0), 0.5);
    }
    let found = fabric.diagnosis();
    let weights: Vec<f64> = found.roots.iter().map(|root| root.weight).collect();
    assert!(weights.len() == 2 && weights.iter().all(|weight| (0.49..0.51).contains(weight)), "{weights:?}");
    assert!(found.is_sure() && found.roots.iter().all(|root| root.sure > 0.99), "{:?}", found.roots);
    let mut fabric = Fabric::new(1);
    for slow in [1, 2] {
        fabric.waits(fabric.port("leaf1", slow), 0.8);
    }
    fabric.waits(fabric.port("a3", 0), 0.5);
    let found = fabric.diagnosis();
    // a3 spends half of its waiting on either, the port to a slow host all of it: (0.8 + 0.5 / 4) / (0.8 + 0.5 / 2).
    assert!((found.sure - 0.925 / 1.05).abs() < 1e-6, "{found:?}");
}

#[test]
fn data_and_ticks_of_waiting_of_more_than_the_time_are_impossible() {
    for (used, waits, is_impossible) in
        [(0.4, 1.0, true), (0.4, 0.65, false), (0.0, 50.0, true), (1.3, 0.0, true)]
    {
        let mut fabric = Fabric::new(1);
        fabric.sends(fabric.port("leaf1", UP), used);
        fabric.waits(fabric.port("leaf1", UP), waits);
        assert_eq!(fabric.channels().impossible().is_some(), is_impossible, "{used} {waits}");
    }
}

#[test]
fn discarded_packets_are_told_first_where_nobody_waits() {
    let mut fabric = Fabric::new(1);
    fabric.sends(fabric.port("leaf1", UP), 0.1);
    fabric.counts(fabric.port("leaf1", UP), Counter::XmitDiscards, 9.0);
    assert_eq!(fabric.diagnosis().cause, Cause::Healthy, "a few");
    fabric.counts(fabric.port("leaf1", UP), Counter::XmitDiscards, 30_000.0);
    let found = fabric.diagnosis();
    assert_eq!(found.cause, Cause::Loss);
    let words =
        "The port of leaf1:6 -> spine1:0 discards packets: 30009 packets, 4.9 for each 1000 that it sent. ";
    assert!(found.sentence.starts_with(words), "{}", found.sentence);
}

#[test]
fn ends_that_disagree_on_what_a_link_carried_are_noted() {
    for (received, is_told) in [(0.3, false), (0.34, false), (0.9, true), (0.1, true)] {
        let mut fabric = Fabric::new(1);
        fabric.sends(fabric.port("leaf1", UP), 0.3);
        fabric.counts(fabric.port("spine1", 0), Counter::RcvData, received * SECONDS * RATE / 32.0);
        let notes = fabric.diagnosis().notes.join("\n");
        let words =
            format!("leaf1:6 -> spine1:0 (30 % of its rate sent, {:.0} % received)", 100.0 * received);
        assert_eq!(notes.contains(&words), is_told, "{notes}");
    }
}

/// With links of which nothing but their low use is known, the routes are not to blame: such waiting is for something
/// behind the link, such as a link that is slower than the fabric's file says.
#[test]
fn routes_are_not_blamed_below_a_use_that_matters_or_for_links_of_the_same_use() {
    for (used, waits, beside) in [(0.05, 0.92, 0.02), (0.5, 0.48, 0.3)] {
        let found = uneven(used, waits, beside).diagnosis();
        assert_eq!(found.roots[0].kind, RootKind::Unknown, "{found:?}");
        assert!(found.sure.abs() < f64::EPSILON);
    }
    let words = uneven(0.05, 0.92, 0.02).diagnosis().sentence;
    assert!(words.contains("A link that runs slower than the fabric's file says"), "{words}");
}

/// Waiting that leads to a switch whose outputs carry much, though none is full, has these as its root; those that lead
/// to the same places are one.
#[test]
fn busy_links_to_the_same_places_are_one_root_where_nothing_else_explains_the_waiting() {
    let mut fabric = Fabric::new(2);
    for spine in 0..2 {
        fabric.waits(fabric.port("leaf1", UP + spine), 0.4);
        fabric.sends(fabric.port("leaf1", UP + spine), 0.3);
        fabric.sends(fabric.port(&format!("spine{}", spine + 1), 1), 0.8);
    }
    let found = fabric.diagnosis();
    assert_eq!((found.roots.len(), found.roots[0].kind), (1, RootKind::BusyLinks), "{found:?}");
    let words = "2 links to the same places are 80 % utilised, and 100 % of all waiting is for them: \
                 spine1:1 -> leaf2:6, spine2:1 -> leaf2:7; no output is full";
    assert!(found.sentence.starts_with(words), "{}", found.sentence);
    assert!(!found.sentence.contains("where most have"), "{}", found.sentence);
    assert!((found.roots[0].sure - 0.8).abs() < 1e-6, "{found:?}");
}

/// Where links everywhere are as busy, and each has next to none of the waiting, none of them is accused.
#[test]
fn none_of_many_busy_links_stands_out() {
    let mut fabric = Fabric::new(1);
    for (leaf, port) in ["leaf1", "leaf2"].into_iter().zip(0..) {
        fabric.waits(fabric.port("spine1", port), 0.4);
        (0..UP).for_each(|host| fabric.sends(fabric.port(leaf, host), 0.6));
    }
    let found = fabric.diagnosis();
    assert_eq!(found.roots[0].kind, RootKind::BusyLinks, "{found:?}");
    assert!(
        found.sentence.contains("no single one stands out: the largest part, 8.33 % of all waiting"),
        "{}",
        found.sentence
    );
}

/// The errors of a host's port are unknown if only switches were read; those of the other direction count.
#[test]
fn a_cable_with_errors_one_way_explains_waiting_for_the_way_that_is_not_seen() {
    let retrying = |is_seen: bool| {
        let mut fabric = Fabric::new(1);
        fabric.sends(fabric.port("b2", 0), 0.3);
        fabric.counts(fabric.port("leaf2", 2), Counter::SymbolErrors, 50e6);
        let bytes = 0.3 * SECONDS * RATE / 8.0;
        fabric.counts(fabric.port("leaf2", 2), Counter::RcvData, bytes / 4.0);
        fabric.counts(fabric.port("leaf2", 2), Counter::RcvPackets, bytes / 2048.0);
        fabric.waits(fabric.port("spine1", 1), 0.6);
        fabric.sends(fabric.port("spine1", 1), 0.3);
        if !is_seen {
            fabric.ports.remove(&fabric.port("b2", 0));
        }
        fabric.diagnosis().roots.remove(0)
    };
    let root = retrying(false);
    assert_eq!((root.kind, root.place.as_str()), (RootKind::RetryingCable, "b2 -> leaf2:2"));
    assert_eq!(retrying(true).kind, RootKind::Unknown);
}
