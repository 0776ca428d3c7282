//! Cables that a regular family would have.

use std::collections::BTreeMap;

use hopscope_units::amount;

use crate::anomalies::departures::{Departures, MOST, Pair, Short, cables_by_pair, most_common};
use crate::anomalies::{Anomaly, AnomalyKind, listed, misplaced, up_links};
use crate::family::{Coordinates, Family, Groups};
use crate::graph::Network;

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    match family {
        Family::FatTree(levels) => {
            let mut departures = Departures::of(network, levels);
            let mut found = misplaced::anomalies(network, levels, &mut departures);
            found.extend(up_links::anomalies(network, levels, &departures));
            found.extend(of_levels(network, &departures));
            found
        }
        Family::Grid(coordinates) => of_grid(network, coordinates).into_iter().collect(),
        Family::Dragonfly(groups) => of_groups(network, groups).into_iter().collect(),
        Family::SingleSwitch | Family::Irregular => Vec::new(),
    }
}

/// A pair that has so many cables of those that it should, with the ports in which the others would be.
pub(super) fn pair_words(
    network: &Network,
    (a, b): Pair,
    [has, wanted]: [usize; 2],
    empty: &[String],
) -> String {
    let [a, b] = [a, b].map(|id| &network.switch(id).name);
    let ports = if empty.len() == 1 { "port" } else { "ports" };
    let empty =
        if empty.is_empty() { String::new() } else { format!("; empty {ports}: {}", empty.join(", ")) };
    format!("{a} - {b} (has {has} of {wanted}{empty})")
}

/// The cables of a fat tree that are missing, but for those that were found elsewhere.
fn of_levels(network: &Network, departures: &Departures) -> Option<Anomaly> {
    let short = || departures.short.iter().filter(|(_, short)| short.missing > 0);
    let words = |(pair, short): (&Pair, &Short)| {
        pair_words(network, *pair, [short.has, short.wanted], &departures.empty_ports(network, *pair))
    };
    let names: Vec<String> = short().map(words).collect();
    told(short().map(|(_, short)| short.missing).sum(), "fat tree", &names)
}

fn told(missing: usize, of: &str, pairs: &[String]) -> Option<Anomaly> {
    let verb = if missing == 1 { "is" } else { "are" };
    let words =
        format!("{} {verb} missing from the {of}: {}", amount(missing, "cable", "cables"), listed(pairs));
    (missing > 0).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}

/// Pairs of neighbours without a cable, and those with fewer than most. A line has no pairs that should be alike: any
/// few switches one after the other are one, also a switch that hangs from the leaf of a small tree.
fn of_grid(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let pairs = cables_by_pair(network);
    let (wanted, times) = most_common(pairs.values().copied())?;
    let mut names = Vec::new();
    let mut missing = 0;
    for &[a, b] in &coordinates.missing {
        missing += wanted;
        names.push(pair_words(network, (a, b), [0, wanted], &[]));
    }
    let are_alike = !coordinates.is_line() && times as f64 > MOST * pairs.len() as f64;
    for (&(a, b), &count) in pairs.iter().filter(|(_, count)| are_alike && **count < wanted) {
        missing += wanted - count;
        names.push(pair_words(network, (a, b), [count, wanted], &[]));
    }
    told(missing, "grid", &names)
}

/// Pairs of groups with fewer cables between them than most.
fn of_groups(network: &Network, groups: &Groups) -> Option<Anomaly> {
    let mut between: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for a in 0..groups.count() {
        for b in a + 1..groups.count() {
            between.insert((a, b), 0);
        }
    }
    for ((a, b), cables) in cables_by_pair(network) {
        let [a, b] = [a, b].map(|switch| groups.group(switch));
        if let Some(count) = between.get_mut(&(a.min(b), a.max(b))) {
            *count += cables;
        }
    }
    let (wanted, times) = most_common(between.values().copied())?;
    if times as f64 <= MOST * between.len() as f64 {
        return None;
    }
    let short = || between.iter().filter(|(_, count)| **count < wanted);
    let names: Vec<String> =
        short().map(|((a, b), count)| format!("group {a} - group {b} (has {count} of {wanted})")).collect();
    told(short().map(|(_, count)| wanted - count).sum(), "dragonfly", &names)
}
