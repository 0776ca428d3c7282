//! Cables that a mesh or torus would have, and cables in their place.

use crate::anomalies::departures::{MOST, Pair, cables_by_pair, most_common};
use crate::anomalies::missing::{pair_words, told};
use crate::anomalies::{Anomaly, AnomalyKind, cable};
use crate::family::Coordinates;
use crate::graph::{Network, SwitchId};

pub(super) fn anomalies(network: &Network, coordinates: &Coordinates) -> Vec<Anomaly> {
    let found =
        [missing(network, coordinates), exchanged(network, coordinates), absent(network, coordinates)];
    found.into_iter().flatten().collect()
}

/// The cables that are missing, but for those that lead elsewhere.
fn missing(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let pairs = cables_by_pair(network);
    let lacking = of_grid_pairs(network, coordinates);
    let words = |((a, b), missing): &(Pair, usize)| {
        let has = pairs.get(&(*a.min(b), *a.max(b))).copied().unwrap_or(0);
        pair_words(network, (*a, *b), [has, has + missing], &[])
    };
    let names: Vec<String> = lacking.iter().map(words).collect();
    told(lacking.iter().map(|(_, missing)| missing).sum(), "grid", &names)
}

/// Pairs of neighbours without a cable, and those with fewer than most, each with how many they lack. A line has no
/// pairs that should be alike: any few switches one after the other are one, also a switch that hangs from the leaf of
/// a small tree.
pub(super) fn of_grid_pairs(network: &Network, coordinates: &Coordinates) -> Vec<(Pair, usize)> {
    let pairs = cables_by_pair(network);
    let Some((wanted, times)) = most_common(pairs.values().copied()) else { return Vec::new() };
    // Cables that lead elsewhere are not missing.
    let missing: &[[SwitchId; 2]] = if coordinates.misplaced.is_empty() { &coordinates.missing } else { &[] };
    let mut lacking: Vec<(Pair, usize)> = missing.iter().map(|[a, b]| ((*a, *b), wanted)).collect();
    let are_alike = !coordinates.is_line() && times as f64 > MOST * pairs.len() as f64;
    let fewer = pairs.iter().filter(|(_, count)| are_alike && **count < wanted);
    lacking.extend(fewer.map(|(pair, count)| (*pair, wanted - count)));
    lacking
}

/// Two cables that lead each to where the other should.
fn exchanged(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let between = |[a, b]: [SwitchId; 2]| {
        let (_, link, ..) = network.neighbours(a).find(|(_, _, far, _)| *far == b)?;
        Some(format!("the cable {}", cable(network, link)))
    };
    let cables: Option<Vec<String>> = coordinates.misplaced.iter().map(|ends| between(*ends)).collect();
    let cables = cables.filter(|cables| !cables.is_empty())?.join(" and ");
    let should = |ends: &[SwitchId; 2]| ends.map(|id| network.switch(id).name.as_str()).join(" - ");
    let should = coordinates.missing.iter().map(should).collect::<Vec<_>>().join(" and ");
    let words = format!("{cables} are probably exchanged: they should be {should}");
    Some(Anomaly::new(AnomalyKind::MisplacedLink, words))
}

/// A switch that is not there.
fn absent(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let around: Vec<&str> =
        coordinates.around_missing.iter().map(|id| network.switch(*id).name.as_str()).collect();
    let words =
        format!("one switch is probably missing from the grid: each of {} lacks a cable", around.join(", "));
    (!around.is_empty()).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}
