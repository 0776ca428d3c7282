//! Two exchanged cables: in words, and put right.

use std::collections::BTreeMap;

use crate::anomalies::departures::{Pair, cables_by_pair};
use crate::anomalies::mended;
use crate::anomalies::{Anomaly, AnomalyKind, cable};
use crate::family::Exchange;
use crate::graph::{LinkId, Network, SwitchId};

/// The number of possible exchanges of cables that are listed.
const TOLD: usize = 2;

/// What is exchanged: the first of these, or else another.
pub(super) fn told(network: &Network, exchanges: &[Exchange]) -> Option<Anomaly> {
    let ways: Vec<String> = exchanges.iter().take(TOLD).map(|exchange| words(network, exchange)).collect();
    let more = match exchanges.len().checked_sub(TOLD) {
        None | Some(0) => String::new(),
        Some(1) => "; or else two others".to_owned(),
        Some(more) => format!("; or else two others ({more} further ways)"),
    };
    let words = format!("{}{more}", ways.join("; or else "));
    (!exchanges.is_empty()).then(|| Anomaly::new(AnomalyKind::MisplacedLink, words))
}

fn words(network: &Network, exchange: &Exchange) -> String {
    let [one, other] = exchange.misplaced.map(|ends| {
        let links = between(network, ends);
        match links[..] {
            [link] => format!("the cable {}", cable(network, link)),
            _ => format!("one of the {} cables {}", links.len(), name(network, ends)),
        }
    });
    let [here, there] = exchange.should.map(|ends| name(network, ends));
    format!("{one} and {other} are probably exchanged: they should be {here} and {there}")
}

fn name(network: &Network, ends: [SwitchId; 2]) -> String {
    ends.map(|id| network.switch(id).name.as_str()).join(" - ")
}

fn between(network: &Network, [a, b]: [SwitchId; 2]) -> Vec<LinkId> {
    network.neighbours(a).filter(|(_, _, far, _)| *far == b).map(|(_, link, ..)| link).collect()
}

/// The cables between each two switches as after an exchange is undone.
pub(super) fn cables_after(network: &Network, exchange: Option<&Exchange>) -> BTreeMap<Pair, usize> {
    let mut pairs = cables_by_pair(network);
    if let Some(exchange) = exchange {
        let pair = |[a, b]: [SwitchId; 2]| (a.min(b), a.max(b));
        exchange.misplaced.iter().for_each(|ends| {
            pairs.entry(pair(*ends)).and_modify(|cables| *cables -= 1);
        });
        exchange.should.iter().for_each(|ends| *pairs.entry(pair(*ends)).or_default() += 1);
    }
    pairs.retain(|_, cables| *cables > 0);
    pairs
}

/// The network with an end of each of two cables exchanged.
pub(super) fn mended(network: &Network, Exchange { misplaced, should }: Exchange) -> Network {
    let cables: Vec<(LinkId, Pair)> = misplaced
        .into_iter()
        .zip(should)
        .filter_map(|(ends, [a, b])| Some((*between(network, ends).first()?, (a, b))))
        .collect();
    mended::exchanged(network, &cables).map_or_else(|| network.clone(), |moved| network.replugged(&moved))
}
