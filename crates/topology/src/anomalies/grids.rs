//! Cables that a mesh or torus would have, and cables in their place.

use crate::anomalies::departures::{MOST, Pair, most_common};
use crate::anomalies::missing::{pair_words, ports_between, told};
use crate::anomalies::{Anomaly, AnomalyKind, exchanges};
use crate::family::Coordinates;
use crate::graph::Network;

pub(super) fn anomalies(network: &Network, coordinates: &Coordinates) -> Vec<Anomaly> {
    let exchanged = exchanges::told(network, &coordinates.exchanges);
    let found = [missing(network, coordinates), exchanged, absent(network, coordinates)];
    found.into_iter().flatten().collect()
}

/// The cables that are missing, but for those that lead elsewhere.
fn missing(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let pairs = exchanges::cables_after(network, coordinates.exchanges.first());
    let lacking = of_grid_pairs(network, coordinates);
    let words = |((a, b), missing): &(Pair, usize)| {
        let has = pairs.get(&(*a.min(b), *a.max(b))).copied().unwrap_or(0);
        let empty = if *missing == 1 { ports_between(network, [*a, *b]) } else { Vec::new() };
        pair_words(network, (*a, *b), [has, has + missing], &empty)
    };
    let names: Vec<String> = lacking.iter().map(words).collect();
    told(lacking.iter().map(|(_, missing)| missing).sum(), "grid", &names)
}

/// Pairs of neighbours without a cable, and those with fewer than most, each with how many they lack, as after
/// exchanged cables are put right. A line has no pairs that should be alike: any few switches one after the other are
/// one, also a switch that hangs from the leaf of a small tree.
pub(super) fn of_grid_pairs(network: &Network, coordinates: &Coordinates) -> Vec<(Pair, usize)> {
    let pairs = exchanges::cables_after(network, coordinates.exchanges.first());
    let Some((wanted, times)) = most_common(pairs.values().copied()) else { return Vec::new() };
    let mut lacking: Vec<(Pair, usize)> =
        coordinates.missing.iter().map(|[a, b]| ((*a, *b), wanted)).collect();
    let are_alike = !coordinates.is_line() && times as f64 > MOST * pairs.len() as f64;
    let fewer = pairs.iter().filter(|(_, count)| are_alike && **count < wanted);
    lacking.extend(fewer.map(|(pair, count)| (*pair, wanted - count)));
    lacking
}

/// A switch that is not there.
fn absent(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let around: Vec<&str> =
        coordinates.around_missing.iter().map(|id| network.switch(*id).name.as_str()).collect();
    let words =
        format!("one switch is probably missing from the grid: each of {} lacks a cable", around.join(", "));
    (!around.is_empty()).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}
