//! Cables that a dragonfly would have, and cables in their place.

use std::collections::BTreeMap;

use crate::anomalies::departures::{MOST, cables_by_pair, most_common};
use crate::anomalies::mended::plugged_in;
use crate::anomalies::missing::{empty_ports, pair_words, ports_between, told};
use crate::anomalies::{Anomaly, AnomalyKind, cable, exchanges, full_mesh, listed};
use crate::family::{Exchange, Groups};
use crate::graph::{LinkId, Network, SwitchId};

/// Two groups, the one of the smaller number first.
type Pair = (usize, usize);

pub(super) fn anomalies(network: &Network, groups: &Groups) -> Vec<Anomaly> {
    if groups.count() == 1 {
        return full_mesh::anomalies(network);
    }
    let mut between = Between::of(network, groups);
    let mut found: Vec<Anomaly> = exchanges::told(network, &groups.exchanges).into_iter().collect();
    found.extend(between.as_ref().and_then(|between| between.exchanged(network, groups)));
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

/// The network with the cables put right that are told to be exchanged, and those that are missing.
pub(super) fn mended(network: &Network, groups: &Groups) -> Network {
    if groups.count() == 1 {
        return full_mesh::mended(network);
    }
    let mut between = Between::of(network, groups);
    let of_groups = between.as_ref().and_then(|between| between.exchange_of_cables(network, groups));
    let exchanges = groups.exchanges.first().copied().into_iter().chain(of_groups);
    let mended = exchanges.fold(network.clone(), |network, exchange| exchanges::mended(&network, exchange));
    if let Some(between) = &mut between {
        between.forget_exchanged();
    }
    let within = groups.missing.iter().fold(mended, |network, [a, b]| plugged_in(network, (*a, *b), 1));
    let short = between.iter().flat_map(Between::lacking).flat_map(|(pair, n)| vec![pair; n]);
    short.fold(within, |network, (a, b)| {
        let ends = [a, b].map(|group| fewest(&network, groups, group)[0]);
        plugged_in(network, (ends[0], ends[1]), 1)
    })
}

/// The pairs of switches of one group without a cable, and the pairs of groups with fewer than most.
fn missing(network: &Network, groups: &Groups, between: Option<&Between>) -> Option<Anomaly> {
    let within = groups
        .missing
        .iter()
        .map(|[a, b]| pair_words(network, (*a, *b), [0, 1], &ports_between(network, [*a, *b])));
    let mut names: Vec<String> = within.collect();
    let mut missing = names.len();
    for ((a, b), lacks) in between.iter().flat_map(|between| between.lacking()) {
        let wanted = between.map_or(0, |between| between.wanted);
        missing += lacks;
        let ends = [a, b].map(|group| fewest(network, groups, group));
        let which = match [&ends[0][..], &ends[1][..]] {
            [[a], [b]] if lacks == 1 => {
                let empty = ports_between(network, [*a, *b]);
                let [a, b] = [*a, *b].map(|id| network.switch(id).name.as_str());
                format!("; probably {a} - {b}, which have fewest to other groups{}", empty_ports(&empty))
            }
            _ => String::new(),
        };
        names.push(format!("group {a} - group {b} (has {} of {wanted}{which})", wanted - lacks));
    }
    told(missing, "dragonfly", &names)
}

/// The switches of a group that have the fewest cables to other groups.
fn fewest(network: &Network, groups: &Groups, group: usize) -> Vec<SwitchId> {
    let out =
        |id: SwitchId| network.neighbours(id).filter(|(_, _, far, _)| groups.group(*far) != group).count();
    let members = || network.switch_ids().filter(|id| groups.group(*id) == group);
    let least = members().map(out).min();
    members().filter(|id| Some(out(*id)) == least).collect()
}

/// The cables between groups, where most pairs have as many.
struct Between {
    cables: BTreeMap<Pair, usize>,
    wanted: usize,
    /// A group with a switch less, whose cables are missing with it.
    short: Option<usize>,
    /// Two switches of a group with more cables than most such have.
    doubled: Option<(usize, [SwitchId; 2])>,
}

impl Between {
    fn of(network: &Network, groups: &Groups) -> Option<Self> {
        let all = (0..groups.count()).flat_map(|a| (a + 1..groups.count()).map(move |b| ((a, b), 0)));
        let mut cables: BTreeMap<Pair, usize> = all.collect();
        for ((a, b), count) in exchanges::cables_after(network, groups.exchanges.first()) {
            let [a, b] = [a, b].map(|switch| groups.group(switch));
            if let Some(all) = cables.get_mut(&(a.min(b), a.max(b))) {
                *all += count;
            }
        }
        let (wanted, times) = most_common(cables.values().copied())?;
        let is_most = times as f64 > MOST * cables.len() as f64;
        is_most.then(|| Self { cables, wanted, short: groups.short, doubled: doubled(network, groups) })
    }

    /// The pairs that lack cables, and how many.
    fn lacking(&self) -> impl Iterator<Item = (Pair, usize)> {
        let is_known = |pair: &Pair| self.short.is_none_or(|group| group != pair.0 && group != pair.1);
        let short = self.cables.iter().filter(move |(pair, cables)| **cables < self.wanted && is_known(pair));
        short.map(|(pair, cables)| (*pair, self.wanted - cables))
    }

    /// The two pairs of groups that have a cable too many each and, with one end of each exchanged, are two pairs that
    /// lack one; these too.
    fn exchange(&self) -> Option<[[Pair; 2]; 2]> {
        let ends = |(a, b): Pair| [a, b];
        let over = self.cables.iter().filter(|(_, cables)| **cables > self.wanted);
        let doubled = self.doubled.map(|(group, _)| [group, group]);
        let over: Vec<[usize; 2]> = over.map(|(pair, _)| ends(*pair)).chain(doubled).collect();
        let short: Vec<[usize; 2]> = self.lacking().map(|(pair, _)| ends(pair)).collect();
        let found = Exchange::between(&over, &short)?;
        Some(found.map(|pairs| pairs.map(|[a, b]| (a.min(b), a.max(b)))))
    }

    fn exchanged(&self, network: &Network, groups: &Groups) -> Option<Anomaly> {
        let [over, short] = self.exchange()?;
        let one_of = |pair: Pair| {
            let links = self.links(network, groups, pair);
            let names: Vec<String> = links.into_iter().map(|id| cable(network, id)).collect();
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
        Some(Anomaly::new(AnomalyKind::MisplacedLink, words))
    }

    /// The cables between two groups, or those of which a group has too many.
    fn links(&self, network: &Network, groups: &Groups, pair: Pair) -> Vec<LinkId> {
        match self.doubled.filter(|_| pair.0 == pair.1) {
            Some((_, [a, b])) => {
                let between = network.neighbours(a).filter(|(_, _, far, _)| *far == b);
                between.map(|(_, link, ..)| link).collect()
            }
            None => links_between(network, groups, pair),
        }
    }

    /// Two cables that put the pairs of groups right with an end of each exchanged. Any cable of a pair does: a group
    /// has then as many to each other one.
    fn exchange_of_cables(&self, network: &Network, groups: &Groups) -> Option<Exchange> {
        let [over, short] = self.exchange()?;
        let first =
            |pair| self.links(network, groups, pair).first().and_then(|id| network.link(*id).switches());
        let misplaced = [first(over[0])?, first(over[1])?];
        let of = |[a, b]: [SwitchId; 2]| {
            let (a, b) = (groups.group(a), groups.group(b));
            (a.min(b), a.max(b))
        };
        let mut ways = Exchange::of(misplaced[0], misplaced[1]).into_iter();
        let should = ways.find(|should| should.iter().all(|ends| short.contains(&of(*ends))))?;
        Some(Exchange { misplaced, should })
    }

    fn forget_exchanged(&mut self) {
        if let Some([over, short]) = self.exchange() {
            let pairs = over.into_iter().chain(short).filter(|(a, b)| a != b);
            pairs.for_each(|pair| _ = self.cables.insert(pair, self.wanted));
            self.doubled = self.doubled.filter(|(group, _)| !over.contains(&(*group, *group)));
        }
    }
}

/// The two switches of one group with more cables than most such have; nothing where there are several.
fn doubled(network: &Network, groups: &Groups) -> Option<(usize, [SwitchId; 2])> {
    let pairs = cables_by_pair(network);
    let within = || pairs.iter().filter(|((a, b), _)| groups.group(*a) == groups.group(*b));
    let (usual, _) = most_common(within().map(|(_, cables)| *cables))?;
    let mut more = within().filter(|(_, cables)| **cables > usual).map(|((a, b), _)| [*a, *b]);
    let first = more.next().filter(|_| more.next().is_none())?;
    Some((groups.group(first[0]), first))
}

/// The cables between two groups.
fn links_between(network: &Network, groups: &Groups, (a, b): Pair) -> Vec<LinkId> {
    let is_between = |ends: [usize; 2]| ends == [a, b] || ends == [b, a];
    let links = network.link_ids().filter(|id| {
        let ends = network.link(*id).switches();
        ends.is_some_and(|ends| is_between(ends.map(|end| groups.group(end))))
    });
    links.collect()
}
