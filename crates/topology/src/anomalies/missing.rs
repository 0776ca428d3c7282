//! Cables that a regular family would have.

use hopscope_units::amount;

use crate::anomalies::departures::{Departures, MOST, Pair, Short, gaps};
use crate::anomalies::hosts_astray::HostPorts;
use crate::anomalies::{
    Anomaly, AnomalyKind, absent_spines, dragonflies, exchanges, grids, listed, misplaced, stray_hosts,
    tried, up_links,
};
use crate::family::{Family, Levels, as_fat_tree};
use crate::graph::{Endpoint, Network, Node, Port, SwitchId};

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    match family {
        Family::FatTree(levels) => of_fat_tree(network, levels),
        Family::Grid(coordinates) => grids::anomalies(network, coordinates),
        Family::Dragonfly(groups) => dragonflies::anomalies(network, groups),
        Family::SingleSwitch | Family::Irregular => Vec::new(),
    }
}

/// What is odd about the cables of a fat tree, and about where its hosts are.
fn of_fat_tree(network: &Network, levels: &Levels) -> Vec<Anomaly> {
    if let Some((exchange, mended)) = tried::exchange(network, levels)
        && let Some(levels) = as_fat_tree(&mended)
    {
        let mut found = of_fat_tree(&mended, &levels);
        found.extend(exchanges::told(network, &[exchange]));
        return found;
    }
    let mut departures = Departures::of(network, levels);
    let (mut found, hosts) = misplaced::anomalies(network, levels, &mut departures);
    found.extend(stray_hosts::anomalies(network, levels, &hosts));
    let (unequal, absent_above) = up_links::anomalies(network, levels, &departures);
    found.extend(unequal);
    found.extend(of_levels(network, levels, &departures));
    found.extend(of_full_pairs(network, &departures));
    let absent = absent_spines::told(network, levels, &departures).into_iter();
    let absent = absent.filter(|(level, _)| !absent_above.contains(level)).flat_map(|(_, words)| words);
    found.extend(absent.map(|words| Anomaly::new(AnomalyKind::MissingSwitch, words)));
    found
}

/// A pair with its present and expected number of cables, and the ports of the missing ones.
pub(super) fn pair_words(
    network: &Network,
    (a, b): Pair,
    [has, wanted]: [usize; 2],
    empty: &[String],
) -> String {
    let [a, b] = [a, b].map(|id| &network.switch(id).name);
    format!("{a} - {b} (has {has} of {wanted}{})", empty_ports(empty))
}

/// These empty ports in words, after others.
pub(super) fn empty_ports(empty: &[String]) -> String {
    let ports = if empty.len() == 1 { "port" } else { "ports" };
    if empty.is_empty() { String::new() } else { format!("; empty {ports}: {}", empty.join(", ")) }
}

/// The port in which a cable of each of these switches is missing, if its ports determine it: the only one that is
/// empty where most other switches have a cable to a switch, else the only empty one between those with cables. Where
/// no switch has an empty port before others, its file numbers none, and the last one is empty of each that lacks a
/// cable.
pub(super) fn ports_between(network: &Network, ends: &[SwitchId]) -> Vec<String> {
    let is_used = |id: SwitchId, port: Port| {
        matches!(network.far_end(id, port), Some(Endpoint { node: Node::Switch(_), .. }))
    };
    let others = network.switches().len() - 1;
    let is_usual = |id: SwitchId, port: Port| {
        let using = network.switch_ids().filter(|other| *other != id && is_used(*other, port)).count();
        using as f64 > MOST * others as f64
    };
    let most = network.switches().iter().map(|switch| switch.ports.len()).max().unwrap_or(0) as Port;
    let are_numbered = network.switches().iter().any(|switch| {
        let last = switch.ports.iter().rposition(Option::is_some).unwrap_or(0);
        switch.ports[..last].iter().any(Option::is_none)
    });
    let port = |id: SwitchId| {
        let empty = (0..most).filter(|port| network.far_end(id, *port).is_none());
        let unlike: Vec<Port> = empty.filter(|port| are_numbered && is_usual(id, *port)).collect();
        match (&unlike[..], &gaps(network, id)[..]) {
            ([port], _) | (_, [port]) => Some(format!("{}:{port}", network.switch(id).name)),
            _ => None,
        }
    };
    ends.iter().copied().filter_map(port).collect()
}

/// The cables of a fat tree that are missing, but for those that were found elsewhere.
fn of_levels(network: &Network, levels: &Levels, departures: &Departures) -> Option<Anomaly> {
    let ports = HostPorts::of(network, levels);
    let is_absent = |pair: &Pair| !departures.are_full(network, *pair);
    let short = || departures.short.iter().filter(|(pair, short)| short.missing > 0 && is_absent(pair));
    let words = |(pair, short): (&Pair, &Short)| {
        let empty = departures.empty_ports(network, *pair);
        let host = departures.host_instead(network, *pair).filter(|_| ports.has_more_than_most(pair.0));
        let host = host.map_or(String::new(), |host| {
            let host = network.host(host);
            let at = network.name(Node::Switch(host.switch));
            format!(", with the host {} in {at}:{} instead", host.name, host.port)
        });
        format!("{}{host}", pair_words(network, *pair, [short.has, short.wanted], &empty))
    };
    let names: Vec<String> = short().map(words).collect();
    told(short().map(|(_, short)| short.missing).sum(), "fat tree", &names)
}

/// Pairs that lack a cable although both switches have as many as most.
fn of_full_pairs(network: &Network, departures: &Departures) -> impl Iterator<Item = Anomaly> {
    let short = departures
        .short
        .iter()
        .filter(|(pair, short)| short.missing > 0 && departures.are_full(network, **pair));
    short.map(|((a, b), short)| {
        let [a, b] = [a, b].map(|id| &network.switch(*id).name);
        let words = format!(
            "{a} - {b} has {} of {} cables, though both switches have as many as their like: a cable of each is \
             probably exchanged with others",
            short.has, short.wanted
        );
        Anomaly::new(AnomalyKind::MisplacedLink, words)
    })
}

/// The anomaly of the missing cables, by the pairs of switches that lack them.
pub(super) fn told(missing: usize, of: &str, pairs: &[String]) -> Option<Anomaly> {
    let verb = if missing == 1 { "is" } else { "are" };
    let words =
        format!("{} {verb} missing from the {of}: {}", amount(missing, "cable", "cables"), listed(pairs));
    (missing > 0).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}
