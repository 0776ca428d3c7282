//! Cables of a dragonfly that lead elsewhere than they should: two that are exchanged, or one with that of a host.

use std::collections::BTreeSet;

use super::Between;
use crate::anomalies::departures::{Pair, most_common};
use crate::anomalies::hosts_astray::HostPorts;
use crate::anomalies::missing::pair_words;
use crate::anomalies::pairs::{exchange_with_host, host_instead};
use crate::anomalies::{Anomaly, AnomalyKind, NAMED, cable, exchanges};
use crate::family::{Exchange, Groups};
use crate::graph::{HostId, LinkId, Network, SwitchId};

/// The number of cables that are tried in pairs: with more of them the groups have different designs.
const MOST_TRIED: usize = 64;

/// The anomalies of misplaced cables, and the network with these corrected.
pub(super) fn put_right(network: &Network, groups: &Groups) -> (Vec<Anomaly>, Network) {
    let between = Between::of(network, groups);
    let within = match &between {
        Some(between) if groups.exchanges.is_empty() => exchanges_within(network, groups, between),
        _ => groups.exchanges.clone(),
    };
    let told = exchanges::told(network, &within);
    let of_groups = between.as_ref().filter(|_| within.is_empty());
    let told = told.or_else(|| of_groups?.exchanged(network, groups));
    let exchange = within.first().copied();
    let exchange = exchange.or_else(|| of_groups?.exchange_of_cables(network, groups));
    let mut told: Vec<Anomaly> = told.into_iter().collect();
    let mut mended =
        exchange.map_or_else(|| network.clone(), |exchange| exchanges::mended(network, exchange));
    if let Some((link, pair, host)) = with_host(&mended, groups) {
        let lacks = pair_words(network, pair, [0, 1], &[]);
        let (words, case) = exchange_with_host(&mended, link, pair, host, &lacks);
        told.push(Anomaly::new(AnomalyKind::MisplacedLink, words));
        mended = case.mended(&mended);
    }
    (told, mended)
}

/// The cables of pairs that have too many.
fn over(network: &Network, groups: &Groups, between: &Between) -> Vec<LinkId> {
    let doubled = between.doubled.map(|(group, _)| (group, group));
    let pairs = between.over().chain(doubled);
    pairs.flat_map(|pair| between.links(network, groups, pair)).take(MOST_TRIED).collect()
}

/// The two cables that are too many and, with an end of each exchanged, are one or two that groups lack within; perhaps
/// one that two groups lack. Each way in which that may be.
fn exchanges_within(network: &Network, groups: &Groups, between: &Between) -> Vec<Exchange> {
    let sorted = |[a, b]: [SwitchId; 2]| [a.min(b), a.max(b)];
    let of_groups = |[a, b]: [SwitchId; 2]| {
        let (a, b) = (groups.group(a), groups.group(b));
        (a.min(b), a.max(b))
    };
    let lacking: Vec<super::Pair> = between.lacking().map(|(pair, _)| pair).collect();
    let is_within = |ends: &[SwitchId; 2]| groups.missing.iter().any(|pair| sorted(*pair) == sorted(*ends));
    let links = if groups.missing.is_empty() { Vec::new() } else { over(network, groups, between) };
    let ends = links.iter().filter_map(|link| network.link(*link).switches());
    let ends: Vec<[SwitchId; 2]> = ends.map(sorted).collect::<BTreeSet<_>>().into_iter().collect();
    let pairs = ends.iter().enumerate().flat_map(|(i, one)| ends[i + 1..].iter().map(move |o| [*one, *o]));
    let ways = pairs.flat_map(|misplaced| {
        let should = Exchange::of(misplaced[0], misplaced[1]).into_iter();
        should.map(move |should| Exchange { misplaced, should })
    });
    let are_lacking = |Exchange { should, .. }: &Exchange| {
        should.iter().any(&is_within)
            && should.iter().all(|ends| is_within(ends) || lacking.contains(&of_groups(*ends)))
    };
    ways.filter(are_lacking).collect()
}

/// The only cable that is exchanged with that of a host, with the pair that lacks it: the host is in a port in which
/// most switches have a cable to others, and the cable in one in which most have a host.
fn with_host(network: &Network, groups: &Groups) -> Option<(LinkId, Pair, HostId)> {
    let between = Between::of(network, groups)?;
    let ports = HostPorts::of_switches(network, network.switch_ids().collect());
    let lacking: Vec<super::Pair> = between.lacking().map(|(pair, _)| pair).collect();
    let lacks = |kept: SwitchId, at: SwitchId| {
        let (a, b) = (groups.group(kept), groups.group(at));
        let is_within = |pair: &[SwitchId; 2]| *pair == [kept, at] || *pair == [at, kept];
        lacking.contains(&(a.min(b), a.max(b))) || groups.missing.iter().any(is_within)
    };
    let (lacks, ports) = (&lacks, &ports);
    let mut ways = over(network, groups, &between).into_iter().flat_map(|link| {
        let ends = network.link(link).switches().into_iter().flatten();
        ends.flat_map(move |kept| {
            let others = network.switch_ids().filter(move |at| lacks(kept, *at));
            others.filter_map(move |at| {
                Some((link, (kept, at), host_instead(network, ports, link, (kept, at))?))
            })
        })
    });
    ways.next().filter(|_| ways.next().is_none())
}

/// Cables that two groups have too many of, between switches that both have more than most: a few.
pub(super) fn surplus(network: &Network, groups: &Groups) -> Vec<Anomaly> {
    let Some(between) = Between::of(network, groups) else { return Vec::new() };
    let cables = |id: SwitchId| network.neighbours(id).count();
    let usual = most_common(network.switch_ids().map(cables)).map_or(0, |(usual, _)| usual);
    let are_more = |link: &LinkId| {
        network.link(*link).switches().is_some_and(|ends| ends.into_iter().all(|end| cables(end) > usual))
    };
    let odd: Vec<LinkId> = over(network, groups, &between).into_iter().filter(are_more).collect();
    let words = |link: LinkId| {
        let words = "is one more than most two groups have, at switches with more cables than most";
        Anomaly::new(AnomalyKind::MisplacedLink, format!("the cable {} {words}", cable(network, link)))
    };
    if odd.len() > NAMED { Vec::new() } else { odd.into_iter().map(words).collect() }
}
