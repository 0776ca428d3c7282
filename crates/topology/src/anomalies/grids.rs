//! Cables that a mesh or torus would have, and cables in their place.

use std::collections::BTreeMap;

use crate::anomalies::departures::{MOST, Pair, most_common};
use crate::anomalies::pairs::{Counted, Unlike};
use crate::anomalies::{Anomaly, AnomalyKind, exchanges};
use crate::family::Coordinates;
use crate::graph::Network;

pub(super) fn anomalies(network: &Network, coordinates: &Coordinates) -> Vec<Anomaly> {
    let unlike = unlike(network, coordinates);
    let mut found = unlike.anomalies(network, "grid");
    found.extend(exchanges::told(network, &coordinates.exchanges));
    found.extend(absent(network, coordinates));
    found
}

/// The network with exchanged cables put right and missing ones plugged in.
pub(super) fn mended(network: &Network, coordinates: &Coordinates) -> Network {
    let exchange = coordinates.exchanges.first();
    let mended = exchange.map_or_else(|| network.clone(), |exchange| exchanges::mended(network, *exchange));
    unlike(network, coordinates).mended(&mended)
}

/// The pairs that have not as many cables as most neighbours along their dimension, as after exchanged cables are put
/// right. A line has no pairs that should be alike: any few switches one after the other are one, also a switch that
/// hangs from the leaf of a small tree.
fn unlike(network: &Network, coordinates: &Coordinates) -> Unlike {
    let mut pairs = exchanges::cables_after(network, coordinates.exchanges.first());
    for [a, b] in &coordinates.missing {
        pairs.entry((*a.min(b), *a.max(b))).or_insert(0);
    }
    let mut along: BTreeMap<Option<usize>, Vec<(Pair, usize)>> = BTreeMap::new();
    for ((a, b), cables) in pairs {
        along.entry(coordinates.dimension_between([a, b])).or_default().push(((a, b), cables));
    }
    let counted = along.into_iter().flat_map(|(dimension, pairs)| {
        let usual = most_common(pairs.iter().map(|(_, cables)| *cables).filter(|cables| *cables > 0));
        let (usual, times) = usual.unwrap_or((1, 0));
        let are_alike = !coordinates.is_line() && times as f64 > MOST * pairs.len() as f64;
        let wanted = move |has: usize| match dimension {
            None => 0,
            Some(_) if are_alike || has == 0 => usual,
            Some(_) => has,
        };
        pairs.into_iter().map(move |(pair, has)| (pair, [has, wanted(has)])).collect::<Vec<Counted>>()
    });
    Unlike::of(network, counted)
}

/// A switch that is not there.
fn absent(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let around: Vec<&str> =
        coordinates.around_missing.iter().map(|id| network.switch(*id).name.as_str()).collect();
    let words =
        format!("one switch is probably missing from the grid: each of {} lacks a cable", around.join(", "));
    (!around.is_empty()).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}
