//! A full mesh, where each two switches have as many cables as most: pairs with fewer and with more.

use crate::anomalies::departures::{MOST, Pair, most_common};
use crate::anomalies::mended::plugged_in;
use crate::anomalies::missing::{pair_words, ports_between, told};
use crate::anomalies::{Anomaly, AnomalyKind, exchanges, listed};
use crate::family::Exchange;
use crate::graph::{Network, SwitchId};

pub(super) fn anomalies(network: &Network) -> Vec<Anomaly> {
    let Some(unlike) = Unlike::of(network) else { return Vec::new() };
    let mut found: Vec<Anomaly> = exchanges::told(network, unlike.exchange.as_slice()).into_iter().collect();
    let words = |(pair, cables): &(Pair, usize)| {
        pair_words(network, *pair, [*cables, unlike.wanted], &ports_between(network, [pair.0, pair.1]))
    };
    let short: Vec<String> = unlike.short.iter().map(words).collect();
    let missing = unlike.short.iter().map(|(_, cables)| unlike.wanted - cables).sum();
    found.extend(told(missing, "full mesh", &short));
    let name = |id: SwitchId| network.switch(id).name.as_str();
    let over = unlike.over.iter().map(|((a, b), cables)| {
        format!("{} - {} (has {cables}, most have {})", name(*a), name(*b), unlike.wanted)
    });
    let over: Vec<String> = over.collect();
    let (pairs, have) = if over.len() == 1 { ("pair", "has") } else { ("pairs", "have") };
    let words =
        || format!("{} {pairs} of switches {have} more cables than most: {}", over.len(), listed(&over));
    found.extend((!over.is_empty()).then(|| Anomaly::new(AnomalyKind::MisplacedLink, words())));
    found
}

/// The mesh with exchanged cables put right and missing ones plugged in.
pub(super) fn mended(network: &Network) -> Network {
    let Some(unlike) = Unlike::of(network) else { return network.clone() };
    let mended =
        unlike.exchange.map_or_else(|| network.clone(), |exchange| exchanges::mended(network, exchange));
    let lacks = unlike.short.iter().map(|(pair, cables)| (*pair, unlike.wanted - cables));
    lacks.fold(mended, |network, (pair, cables)| plugged_in(network, pair, cables))
}

/// The pairs that have not as many cables as most.
struct Unlike {
    wanted: usize,
    exchange: Option<Exchange>,
    /// Pairs with fewer, but for those of exchanged cables, each with how many it has.
    short: Vec<(Pair, usize)>,
    /// Pairs with more, but for those of exchanged cables.
    over: Vec<(Pair, usize)>,
}

impl Unlike {
    /// Nothing where no number is that of most pairs.
    fn of(network: &Network) -> Option<Self> {
        let counts = |exchange: Option<&Exchange>| {
            let pairs = exchanges::cables_after(network, exchange);
            let all = network.switch_ids().flat_map(|a| network.switch_ids().map(move |b| (a, b)));
            all.filter(|(a, b)| a < b)
                .map(|pair| (pair, pairs.get(&pair).copied().unwrap_or(0)))
                .collect::<Vec<(Pair, usize)>>()
        };
        let all = counts(None);
        let (wanted, times) = most_common(all.iter().map(|(_, cables)| *cables))?;
        if times as f64 <= MOST * all.len() as f64 {
            return None;
        }
        let ends = |unlike: &[(Pair, usize)]| unlike.iter().map(|((a, b), _)| [*a, *b]).collect::<Vec<_>>();
        let over = |all: &[(Pair, usize)]| {
            all.iter().copied().filter(|(_, cables)| *cables > wanted).collect::<Vec<_>>()
        };
        let short = |all: &[(Pair, usize)]| {
            all.iter().copied().filter(|(_, cables)| *cables < wanted).collect::<Vec<_>>()
        };
        let exchange = Exchange::between(&ends(&over(&all)), &ends(&short(&all)))
            .map(|[misplaced, should]| Exchange { misplaced, should });
        let all = counts(exchange.as_ref());
        Some(Self { wanted, exchange, short: short(&all), over: over(&all) })
    }
}
