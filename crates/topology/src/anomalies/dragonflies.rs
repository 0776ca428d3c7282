//! Cables that a dragonfly or a full mesh would have, and cables in their place.

use std::collections::BTreeMap;

use crate::anomalies::departures::{MOST, cables_by_pair, most_common};
use crate::anomalies::missing::{pair_words, told};
use crate::anomalies::{Anomaly, AnomalyKind, cable, listed};
use crate::family::Groups;
use crate::graph::Network;

/// Two groups, the one of the smaller number first.
type Pair = (usize, usize);

pub(super) fn anomalies(network: &Network, groups: &Groups) -> Vec<Anomaly> {
    let mut between = Between::of(network, groups);
    let mut found = between.as_ref().map(|between| between.exchanged(network, groups)).unwrap_or_default();
    if let Some(between) = &mut between {
        between.forget_exchanged();
    }
    found.extend(missing(network, groups, between.as_ref()));
    found.extend(groups.short.map(|group| {
        let first = network.switch_ids().find(|id| groups.group(*id) == group);
        let name = first.map_or("", |id| network.switch(id).name.as_str());
        let words =
            format!("one switch is probably missing from group {group} of the dragonfly, that of {name}");
        Anomaly::new(AnomalyKind::MissingLink, words)
    }));
    found
}

/// The pairs of switches of one group without a cable, and the pairs of groups with fewer than most.
fn missing(network: &Network, groups: &Groups, between: Option<&Between>) -> Option<Anomaly> {
    let within = groups.missing.iter().map(|[a, b]| pair_words(network, (*a, *b), [0, 1], &[]));
    let mut names: Vec<String> = within.collect();
    let mut missing = names.len();
    for (&(a, b), &cables) in between.iter().flat_map(|between| between.short()) {
        let wanted = between.map_or(0, |between| between.wanted);
        missing += wanted - cables;
        names.push(format!("group {a} - group {b} (has {cables} of {wanted})"));
    }
    told(missing, if groups.count() == 1 { "full mesh" } else { "dragonfly" }, &names)
}

/// The cables between groups, where most pairs have as many.
struct Between {
    cables: BTreeMap<Pair, usize>,
    wanted: usize,
    /// A group with a switch less, whose cables are missing with it.
    short: Option<usize>,
}

impl Between {
    fn of(network: &Network, groups: &Groups) -> Option<Self> {
        let all = (0..groups.count()).flat_map(|a| (a + 1..groups.count()).map(move |b| ((a, b), 0)));
        let mut cables: BTreeMap<Pair, usize> = all.collect();
        for ((a, b), count) in cables_by_pair(network) {
            let [a, b] = [a, b].map(|switch| groups.group(switch));
            if let Some(all) = cables.get_mut(&(a.min(b), a.max(b))) {
                *all += count;
            }
        }
        let (wanted, times) = most_common(cables.values().copied())?;
        let is_most = times as f64 > MOST * cables.len() as f64;
        is_most.then_some(Self { cables, wanted, short: groups.short })
    }

    fn short(&self) -> impl Iterator<Item = (&Pair, &usize)> {
        let is_known = |pair: &Pair| self.short.is_none_or(|group| group != pair.0 && group != pair.1);
        self.cables.iter().filter(move |(pair, cables)| **cables < self.wanted && is_known(pair))
    }

    /// The two pairs of groups that have a cable too many each and, with one end of each exchanged, are two pairs that
    /// lack one; these too. Nothing where there are more.
    fn exchange(&self) -> Option<([Pair; 2], [Pair; 2])> {
        let over: Vec<Pair> =
            self.cables.iter().filter(|(_, cables)| **cables > self.wanted).map(|(pair, _)| *pair).collect();
        let short: Vec<Pair> = self.short().map(|(pair, _)| *pair).collect();
        let (&[over_a, over_b], &[short_a, short_b]) = (&over[..], &short[..]) else { return None };
        let ends = |[(a, b), (c, d)]: [Pair; 2]| {
            let mut ends = [a, b, c, d];
            ends.sort_unstable();
            ends
        };
        let (over, short) = ([over_a, over_b], [short_a, short_b]);
        (ends(over) == ends(short)).then_some((over, short))
    }

    fn exchanged(&self, network: &Network, groups: &Groups) -> Vec<Anomaly> {
        let Some((over, short)) = self.exchange() else { return Vec::new() };
        let one_of = |(a, b): Pair| {
            let is_between = |ends: [usize; 2]| ends == [a, b] || ends == [b, a];
            let links = network.link_ids().filter(|id| {
                let ends = network.link(*id).switches();
                ends.is_some_and(|ends| is_between(ends.map(|end| groups.group(end))))
            });
            let names: Vec<String> = links.map(|id| cable(network, id)).collect();
            format!("one of the {} cables {}", names.len(), listed(&names))
        };
        let words = format!(
            "{} and {} are probably exchanged: they should be group {} - group {} and group {} - group {}",
            one_of(over[0]),
            one_of(over[1]),
            short[0].0,
            short[0].1,
            short[1].0,
            short[1].1
        );
        vec![Anomaly::new(AnomalyKind::MisplacedLink, words)]
    }

    fn forget_exchanged(&mut self) {
        if let Some((over, short)) = self.exchange() {
            over.into_iter().chain(short).for_each(|pair| _ = self.cables.insert(pair, self.wanted));
        }
    }
}
