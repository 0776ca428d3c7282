//! Two exchanged cables of a fat tree that leave a switch without its level, as the only cable down of a spine: found
//! by the network that becomes complete without the exchange.

use std::collections::BTreeMap;

use crate::anomalies::departures::{Departures, Pair, cables_by_pair, most_common};
use crate::anomalies::mended::Case;
use crate::anomalies::{exchanges, misplaced};
use crate::family::{Exchange, Levels, as_fat_tree, out_of_place};
use crate::graph::{Network, SwitchId};

/// The number of exchanges that are tried.
const MOST_TRIED: usize = 3_000;

/// The number of cables that may be missing besides it; two cables that are reported as misplaced differ by at least
/// this number from a complete tree.
const MOST_BESIDE: usize = 1;
const FEWEST_UNTOLD: usize = 3;

/// The only exchange of two cables, one of them out of place, that makes a fat tree whole where the cables have no
/// other explanation; and the network as after it is undone.
pub(super) fn exchange(network: &Network, levels: &Levels) -> Option<(Exchange, Network)> {
    let odd: Vec<[SwitchId; 2]> =
        out_of_place(network, levels).filter_map(|link| network.link(link).switches()).collect();
    let pairs = cables_by_pair(network);
    if odd.is_empty() || 2 * odd.len() * pairs.len() > MOST_TRIED || !is_unexplained(network, levels) {
        return None;
    }
    let (usual, _) = most_common(pairs.values().copied())?;
    let is_free =
        |[a, b]: &[SwitchId; 2]| pairs.get(&(*a.min(b), *a.max(b))).is_none_or(|cables| *cables < usual);
    let ways =
        odd.iter().flat_map(|one| pairs.keys().map(move |(a, b)| [*one, [*a, *b]])).flat_map(|misplaced| {
            let should = Exchange::of(misplaced[0], misplaced[1]).into_iter();
            should.map(move |should| Exchange { misplaced, should })
        });
    let mut whole: BTreeMap<usize, Vec<(Exchange, Network)>> = BTreeMap::new();
    for exchange in ways.filter(|exchange| exchange.should.iter().all(is_free)) {
        let mended = exchanges::mended(network, exchange);
        if let Some(left) = unlike(&mended).filter(|left| *left <= MOST_BESIDE) {
            let found = whole.entry(left).or_default();
            let is_new = |(other, _): &(Exchange, Network)| sorted(other) != sorted(&exchange);
            if found.iter().all(is_new) {
                found.push((exchange, mended));
            }
        }
    }
    let (_, mut best) = whole.pop_first()?;
    best.pop().filter(|_| best.is_empty())
}

fn sorted(exchange: &Exchange) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = exchange.misplaced.iter().map(|[a, b]| (*a.min(b), *a.max(b))).collect();
    pairs.sort_unstable();
    pairs.extend(exchange.should.iter().map(|[a, b]| (*a.min(b), *a.max(b))));
    pairs[2..].sort_unstable();
    pairs
}

/// Whether cables are misplaced that are exchanged with no others.
fn is_unexplained(network: &Network, levels: &Levels) -> bool {
    let mut departures = Departures::of(network, levels);
    if unlike_of(&departures) < FEWEST_UNTOLD {
        return false;
    }
    let (cases, _) = misplaced::put_right(network, levels, &mut departures);
    let told = cases.iter().filter(|case| matches!(case, Case::Exchanged(_))).flat_map(Case::cables);
    let told = told.filter(|link| network.link(*link).switches().is_some()).count();
    departures.over.values().map(|over| over.misplaced).sum::<usize>() > told
}

/// How many cables are not as in a whole fat tree; nothing where it is none.
fn unlike(network: &Network) -> Option<usize> {
    Some(unlike_of(&Departures::of(network, &as_fat_tree(network)?)))
}

fn unlike_of(departures: &Departures) -> usize {
    let over = departures.over.values().map(|over| over.cables).sum::<usize>();
    over + departures.short.values().map(|short| short.missing).sum::<usize>()
}
