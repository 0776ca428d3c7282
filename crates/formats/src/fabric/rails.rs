//! Hosts that are cabled to other rails than the rest: in a fabric with rails each leaf has one port of each host, such
//! as the second one, and nearly all hosts with several ports have it there.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_topology::{Anomaly, AnomalyKind, HostId, Network, SwitchId, cable, listed};

use crate::fabric::naming::Called;

/// A fabric has rails where at least this share of its hosts' ports are at leaves that mostly have ports of the same
/// name: the ports of hosts that are cabled in any order are not.
const NEARLY_ALL: f64 = 0.75;

/// What a port is called within its host: its adapter's name, and its number where the adapter has several.
type Rail<'a> = (&'a str, Option<u8>);

/// A port of a host with several.
#[derive(Clone, Copy)]
struct HostPort<'a> {
    id: HostId,
    host: &'a str,
    rail: Rail<'a>,
    leaf: SwitchId,
}

/// The cables of hosts that lead to other rails than most: those that are exchanged, and others. `hosts` is what the
/// file calls the hosts of the network, by id.
pub(super) fn anomalies(network: &Network, hosts: &[Called<'_>]) -> Vec<Anomaly> {
    let ports = ports_of_hosts(network, hosts);
    let Some(rails) = Rails::of(&ports) else { return Vec::new() };
    let mut astray: Vec<HostPort<'_>> = ports.iter().copied().filter(|port| rails.is_astray(port)).collect();
    let mut exchanged: Vec<[HostPort<'_>; 2]> = Vec::new();
    let mut alone: Vec<HostPort<'_>> = Vec::new();
    while !astray.is_empty() {
        let one = astray.remove(0);
        let is_counterpart = |other: &&HostPort<'_>| {
            rails.at(other.leaf) == Some(one.rail) && rails.at(one.leaf) == Some(other.rail)
        };
        // Most likely two ports of one host.
        let other =
            astray.iter().filter(is_counterpart).min_by_key(|other| (other.host != one.host, other.id));
        match other.map(|other| other.id) {
            Some(other) => {
                let place = astray.iter().position(|port| port.id == other).expect("one of these");
                exchanged.push([one, astray.remove(place)]);
            }
            None => alone.push(one),
        }
    }
    let told = Told { network, rails };
    let words = [told.exchanged(&exchanged), told.alone(&alone)];
    words.into_iter().flatten().map(|words| Anomaly::new(AnomalyKind::MisplacedLink, words)).collect()
}

/// The ports of hosts that have several, of different names: a node's description is the host's name, and after the
/// last space that of the adapter.
fn ports_of_hosts<'a>(network: &Network, hosts: &'a [Called<'_>]) -> Vec<HostPort<'a>> {
    let mut by_host: BTreeMap<&str, Vec<HostPort<'_>>> = BTreeMap::new();
    for (id, called) in network.host_ids().zip(hosts) {
        let description = called.description.trim();
        let (host, adapter) = description.rsplit_once(' ').unwrap_or((description, ""));
        let port = HostPort { id, host, rail: (adapter, called.port), leaf: network.host(id).switch };
        by_host.entry(host).or_default().push(port);
    }
    // Unnamed hosts share one name and the names of adapters.
    let is_one = |ports: &Vec<HostPort<'_>>| {
        let rails: BTreeSet<Rail<'_>> = ports.iter().map(|port| port.rail).collect();
        rails.len() > 1 && rails.len() == ports.len()
    };
    by_host.into_values().filter(is_one).flatten().collect()
}

/// The rail of each leaf: the name of more than half of its ports.
struct Rails<'a>(BTreeMap<SwitchId, Rail<'a>>);

impl<'a> Rails<'a> {
    /// Nothing where the fabric has no rails.
    fn of(ports: &[HostPort<'a>]) -> Option<Self> {
        let mut at: BTreeMap<SwitchId, BTreeMap<Rail<'a>, usize>> = BTreeMap::new();
        for port in ports {
            *at.entry(port.leaf).or_default().entry(port.rail).or_default() += 1;
        }
        let most = |(leaf, rails): (SwitchId, BTreeMap<Rail<'a>, usize>)| {
            let all: usize = rails.values().sum();
            rails.into_iter().find(|(_, count)| 2 * count > all).map(|(rail, _)| (leaf, rail))
        };
        let rails = Self(at.into_iter().filter_map(most).collect());
        let of_rails = ports.iter().filter(|port| rails.leaves(port.rail).next().is_some());
        let (all, in_place) = of_rails
            .fold((0_u32, 0), |(all, in_place), port| (all + 1, in_place + u32::from(rails.has(port))));
        let distinct: BTreeSet<Rail<'a>> = rails.0.values().copied().collect();
        (distinct.len() > 1 && f64::from(in_place) >= NEARLY_ALL * f64::from(all)).then_some(rails)
    }

    fn at(&self, leaf: SwitchId) -> Option<Rail<'a>> {
        self.0.get(&leaf).copied()
    }

    fn leaves(&self, rail: Rail<'a>) -> impl Iterator<Item = SwitchId> {
        self.0.iter().filter(move |(_, own)| **own == rail).map(|(leaf, _)| *leaf)
    }

    fn has(&self, port: &HostPort<'a>) -> bool {
        self.at(port.leaf) == Some(port.rail)
    }

    /// Whether a port of one rail is at a leaf of another.
    fn is_astray(&self, port: &HostPort<'a>) -> bool {
        self.at(port.leaf).is_some_and(|rail| rail != port.rail) && self.leaves(port.rail).next().is_some()
    }
}

/// The report on cables that lead to other rails.
struct Told<'a> {
    network: &'a Network,
    rails: Rails<'a>,
}

impl Told<'_> {
    fn exchanged(&self, pairs: &[[HostPort<'_>; 2]]) -> Option<String> {
        let names = |with: &str| -> Vec<String> {
            pairs.iter().map(|pair| pair.map(|port| self.cable(port)).join(with)).collect()
        };
        let most = self.most(pairs.iter().flatten());
        match pairs {
            [] => None,
            [_] => Some(format!(
                "the cable {} are probably exchanged between rails: {most}",
                names(" and the cable ")[0]
            )),
            _ => Some(format!(
                "{} pairs of hosts' cables are probably exchanged between rails: {}; {most}",
                pairs.len(),
                listed(&names(" with "))
            )),
        }
    }

    fn alone(&self, ports: &[HostPort<'_>]) -> Option<String> {
        let names: Vec<String> = ports.iter().map(|port| self.cable(*port)).collect();
        let most = self.most(ports.iter());
        match ports {
            [] => None,
            [_] => Some(format!("the cable {} leads to another rail than its like: {most}", names[0])),
            _ => Some(format!(
                "{} cables of hosts lead to other rails than their like: {}; {most}",
                ports.len(),
                listed(&names)
            )),
        }
    }

    fn cable(&self, port: HostPort<'_>) -> String {
        cable(self.network, self.network.host(port.id).link)
    }

    /// Where most hosts have the ports of the rails that these are of, and are at.
    fn most<'p>(&self, ports: impl Iterator<Item = &'p HostPort<'p>>) -> String {
        let rails: BTreeSet<Rail<'_>> =
            ports.flat_map(|port| [Some(port.rail), self.rails.at(port.leaf)]).flatten().collect();
        let leaves = |rail: Rail<'_>| -> Vec<String> {
            self.rails.leaves(rail).map(|leaf| self.network.switch(leaf).name.clone()).collect()
        };
        let places: Vec<String> = rails
            .into_iter()
            .map(|rail| format!("{} at {}", words(rail), leaves(rail).join(" or ")))
            .collect();
        format!("most hosts have {}", listed(&places))
    }
}

/// A port in words.
fn words((adapter, port): Rail<'_>) -> String {
    match port {
        Some(port) if adapter.is_empty() => format!("port {port}"),
        Some(port) => format!("port {port} of {adapter}"),
        None => adapter.to_owned(),
    }
}
