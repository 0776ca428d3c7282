//! Cables that a dragonfly would have, and cables in their place.

mod misplaced;

use std::collections::BTreeMap;

use crate::anomalies::departures::{MOST, cables_by_pair, most_common};
use crate::anomalies::mended::plugged_in;
use crate::anomalies::missing::{empty_ports, pair_words, ports_between, told};
use crate::anomalies::{Anomaly, AnomalyKind, cable, full_mesh, listed};
use crate::family::{Exchange, Groups};
use crate::graph::{LinkId, Network, SwitchId};

/// Two groups, the one of the smaller number first.
type Pair = (usize, usize);

pub(super) fn anomalies(network: &Network, groups: &Groups) -> Vec<Anomaly> {
    if groups.count() == 1 {
        return full_mesh::unlike(network)
            .map_or_else(Vec::new, |unlike| unlike.anomalies(network, "full mesh"));
    }
    let (mut found, network) = misplaced::put_right(network, groups);
    let between = Between::of(&network, groups);
    found.extend(missing(&network, groups, between.as_ref()));
    found.extend(misplaced::surplus(&network, groups));
    found.extend(groups.short.map(|group| {
        let words = format!(
            "one switch is probably missing from the group of {} in the dragonfly",
            name(&network, groups, group)
        );
        Anomaly::new(AnomalyKind::MissingLink, words)
    }));
    found
}

/// The name of a group: that of its first switch. Users do not know the numbers of groups.
fn name<'a>(network: &'a Network, groups: &Groups, group: usize) -> &'a str {
    let first = network.switch_ids().find(|id| groups.group(*id) == group);
    first.map_or("", |id| network.switch(id).name.as_str())
}

/// Two groups in words.
fn names(network: &Network, groups: &Groups, (a, b): Pair) -> String {
    format!("the group of {} - that of {}", name(network, groups, a), name(network, groups, b))
}

/// The network with the cables corrected that are reported as exchanged, and the missing ones added.
pub(super) fn mended(network: &Network, groups: &Groups) -> Network {
    if groups.count() == 1 {
        return full_mesh::unlike(network).map_or_else(|| network.clone(), |unlike| unlike.mended(network));
    }
    let (_, mended) = misplaced::put_right(network, groups);
    let between = Between::of(&mended, groups);
    let within = missing_within(&mended, groups).collect::<Vec<_>>();
    let within = within.into_iter().fold(mended.clone(), |network, (a, b)| plugged_in(network, (a, b), 1));
    let short = between.iter().flat_map(Between::lacking).flat_map(|(pair, n)| vec![pair; n]);
    short.fold(within, |network, (a, b)| {
        let ends = [a, b].map(|group| fewest(&network, groups, group)[0]);
        plugged_in(network, (ends[0], ends[1]), 1)
    })
}

/// The pairs of switches of one group without a cable.
fn missing_within(network: &Network, groups: &Groups) -> impl Iterator<Item = (SwitchId, SwitchId)> {
    let full = Full::of(network, groups);
    let is_missing = move |(a, b): &(SwitchId, SwitchId)| {
        network.neighbours(*a).all(|(_, _, far, _)| far != *b) && !(full.is(*a) && full.is(*b))
    };
    groups.missing.iter().map(|[a, b]| (*a, *b)).filter(is_missing)
}

/// Which switches lack no cable, as they have as many as most. This is known only where two groups have a surplus
/// cable, which may be one that others lack.
struct Full<'a> {
    network: &'a Network,
    usual: Option<usize>,
}

impl<'a> Full<'a> {
    fn of(network: &'a Network, groups: &Groups) -> Self {
        let cables = network.switch_ids().map(|id| network.neighbours(id).count());
        let are_some_over =
            Between::of(network, groups).is_some_and(|between| between.over().next().is_some());
        let usual = most_common(cables).filter(|_| are_some_over).map(|(usual, _)| usual);
        Self { network, usual }
    }

    fn is(&self, id: SwitchId) -> bool {
        self.usual.is_some_and(|usual| self.network.neighbours(id).count() >= usual)
    }
}

/// The pairs of switches of one group without a cable, and the pairs of groups with fewer than most.
fn missing(network: &Network, groups: &Groups, between: Option<&Between>) -> Option<Anomaly> {
    let within = missing_within(network, groups)
        .map(|(a, b)| pair_words(network, (a, b), [0, 1], &ports_between(network, &[a, b])));
    let mut names: Vec<String> = within.collect();
    let mut missing = names.len();
    let full = Full::of(network, groups);
    let is_full = |group: usize| fewest(network, groups, group).into_iter().all(|id| full.is(id));
    let short = between.iter().flat_map(|between| between.lacking());
    for ((a, b), lacks) in short.filter(|((a, b), _)| !(is_full(*a) && is_full(*b))) {
        let wanted = between.map_or(0, |between| between.wanted);
        missing += lacks;
        let ends = [a, b].map(|group| fewest(network, groups, group));
        let which = match [&ends[0][..], &ends[1][..]] {
            [ends_a, ends_b] if lacks == 1 && ends_a.len() + ends_b.len() == 3 => {
                let [a, b] = [ends_a, ends_b].map(|ends| {
                    let names = ends.iter().map(|id| network.switch(*id).name.as_str());
                    names.collect::<Vec<_>>().join(" or ")
                });
                format!("; probably {a} - {b}, which have fewest to other groups")
            }
            [[a], [b]] if lacks == 1 => {
                let empty = ports_between(network, &[*a, *b]);
                let [a, b] = [*a, *b].map(|id| network.switch(id).name.as_str());
                format!("; probably {a} - {b}, which have fewest to other groups{}", empty_ports(&empty))
            }
            _ => String::new(),
        };
        let pair = self::names(network, groups, (a, b));
        names.push(format!("{pair} (has {} of {wanted}{which})", wanted - lacks));
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
        for ((a, b), count) in cables_by_pair(network) {
            let [a, b] = [a, b].map(|switch| groups.group(switch));
            if let Some(all) = cables.get_mut(&(a.min(b), a.max(b))) {
                *all += count;
            }
        }
        let (wanted, times) = most_common(cables.values().copied())?;
        // Two exchanged cables change three of the six pairs of four groups.
        let is_most = times as f64 >= MOST * cables.len() as f64;
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
        let doubled = self.doubled.map(|(group, _)| [group, group]);
        let over: Vec<[usize; 2]> = self.over().map(ends).chain(doubled).collect();
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
            "{} and {} are probably exchanged: they should be {} and {}",
            one_of(over[0]),
            one_of(over[1]),
            names(network, groups, short[0]),
            names(network, groups, short[1])
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

    /// The pairs that have cables too many.
    fn over(&self) -> impl Iterator<Item = Pair> {
        self.cables.iter().filter(|(_, cables)| **cables > self.wanted).map(|(pair, _)| *pair)
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
