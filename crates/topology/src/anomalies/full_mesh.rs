//! A full mesh, where each two switches have as many cables as most: pairs with fewer and with more.

use crate::anomalies::departures::{MOST, Pair, most_common};
use crate::anomalies::exchanges::cables_after;
use crate::anomalies::pairs::Unlike;
use crate::graph::Network;

/// The pairs that have not as many cables as most; nothing where no number is that of most pairs.
pub(super) fn unlike(network: &Network) -> Option<Unlike> {
    let cables = cables_after(network, None);
    let all = network.switch_ids().flat_map(|a| network.switch_ids().map(move |b| (a, b)));
    let all: Vec<(Pair, usize)> =
        all.filter(|(a, b)| a < b).map(|pair| (pair, cables.get(&pair).copied().unwrap_or(0))).collect();
    let (wanted, times) = most_common(all.iter().map(|(_, cables)| *cables))?;
    let are_alike = times as f64 > MOST * all.len() as f64;
    are_alike.then(|| Unlike::of(network, all.into_iter().map(|(pair, cables)| (pair, [cables, wanted]))))
}
