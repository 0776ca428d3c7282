//! Cables that a regular family would have, and up-links unlike those of other switches of the level.

use std::collections::BTreeMap;

use hopscope_units::Rate;

use crate::anomalies::{Anomaly, AnomalyKind, listed, slow_links};
use crate::family::{Coordinates, Family, Groups, Levels, amount};
use crate::graph::{Network, SwitchId};

/// Two neighbouring levels are meant to be joined all to all where at least this share of their pairs is.
const ALL_TO_ALL: f64 = 0.75;

/// A share of switches that do alike from which on the others are odd.
const MOST: f64 = 0.5;

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    match family {
        Family::FatTree(levels) => {
            let missing = of_levels(network, levels);
            let found = up_and_down(network, levels, missing.is_some());
            missing.into_iter().chain(found).collect()
        }
        Family::Grid(coordinates) => of_grid(network, coordinates).into_iter().collect(),
        Family::Dragonfly(groups) => of_groups(network, groups).into_iter().collect(),
        Family::SingleSwitch | Family::Irregular => Vec::new(),
    }
}

/// The cables between each pair of switches, the one of the smaller id first.
fn cables_by_pair(network: &Network) -> BTreeMap<(SwitchId, SwitchId), usize> {
    let mut pairs = BTreeMap::new();
    for a in network.switch_ids() {
        for (_, _, b, _) in network.neighbours(a).filter(|(_, _, b, _)| a < *b) {
            *pairs.entry((a, b)).or_default() += 1;
        }
    }
    pairs
}

/// The number that most of these have; of several the largest.
fn usual<T: Ord + Copy>(numbers: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut count: BTreeMap<T, usize> = BTreeMap::new();
    for number in numbers {
        *count.entry(number).or_default() += 1;
    }
    count.into_iter().max_by_key(|(number, times)| (*times, *number))
}

fn pair_words(network: &Network, a: SwitchId, b: SwitchId, has: usize, wanted: usize) -> String {
    let name = |id: SwitchId| &network.switch(id).name;
    format!("{} - {} (has {has} of {wanted})", name(a), name(b))
}

fn told(missing: usize, of: &str, pairs: &[String]) -> Option<Anomaly> {
    let verb = if missing == 1 { "is" } else { "are" };
    let words =
        format!("{} {verb} missing from the {of}: {}", amount(missing, "cable", "cables"), listed(pairs));
    (missing > 0).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}

/// Between neighbouring levels that are joined all to all, pairs with fewer cables than most.
fn of_levels(network: &Network, levels: &Levels) -> Option<Anomaly> {
    let pairs = cables_by_pair(network);
    let (mut missing, mut names) = (0, Vec::new());
    for level in 0..levels.top() {
        for (lower, upper) in blocks(network, levels, level) {
            let count = |a: SwitchId, b: SwitchId| pairs.get(&(a.min(b), a.max(b))).copied().unwrap_or(0);
            let all = || lower.iter().flat_map(|a| upper.iter().map(move |b| (*a, *b)));
            let joined = all().filter(|(a, b)| count(*a, *b) > 0).count();
            let several = lower.len() > 1 && upper.len() > 1;
            if !several || (joined as f64) < ALL_TO_ALL * (lower.len() * upper.len()) as f64 {
                continue;
            }
            let Some((wanted, times)) = usual(all().map(|(a, b)| count(a, b))) else { continue };
            if (times as f64) < MOST * (lower.len() * upper.len()) as f64 {
                continue;
            }
            for (a, b) in all().filter(|(a, b)| count(*a, *b) < wanted) {
                missing += wanted - count(a, b);
                names.push(pair_words(network, a, b, count(a, b), wanted));
            }
        }
    }
    told(missing, "fat tree", &names)
}

type Block = (Vec<SwitchId>, Vec<SwitchId>);

/// The parts into which the cables between a level and the one above it divide these: a pod each, or all.
fn blocks(network: &Network, levels: &Levels, level: u16) -> Vec<Block> {
    let mut seen = vec![false; network.switches().len()];
    let mut blocks = Vec::new();
    for first in network.switch_ids().filter(|id| levels.level(*id) == level) {
        if seen[first.index()] {
            continue;
        }
        seen[first.index()] = true;
        let mut members = vec![first];
        let mut next = 0;
        while next < members.len() {
            let at = members[next];
            next += 1;
            for (_, _, far, _) in network.neighbours(at) {
                let between = [levels.level(at), levels.level(far)];
                if !seen[far.index()] && between.iter().all(|l| *l == level || *l == level + 1) {
                    seen[far.index()] = true;
                    members.push(far);
                }
            }
        }
        members.sort_unstable();
        blocks.push(members.into_iter().partition(|id| levels.level(*id) == level));
    }
    blocks
}

/// Of each level but the highest: how much less up-links carry than what comes from below; and switches with fewer
/// up-links than most. Cables that are slower than their like are told of themselves, and so are missing ones: they
/// count as their like here.
fn up_and_down(network: &Network, levels: &Levels, missing: bool) -> Vec<Anomaly> {
    if network.links().iter().any(|link| link.rate.is_none()) {
        return Vec::new();
    }
    let rates = healthy_rates(network, levels);
    let mut found = Vec::new();
    for level in 0..levels.top() {
        let of_level = || network.switch_ids().filter(|id| levels.level(*id) == level);
        let both = |id| up_down_rates(network, &rates, levels, id);
        let Some(((up, down), times)) = usual(of_level().map(both)) else { continue };
        let count = of_level().count();
        let (one, many) = levels.role(level);
        if down > up {
            let ratio = down as f64 / up.max(1) as f64;
            let of = if times == count {
                format!("every {one} has")
            } else {
                format!("{times} of {count} {many} have")
            };
            let [up, down] = [up, down].map(Rate::from_bit_s);
            let words = format!("{of} {down} of links down and {up} up: oversubscribed {ratio:.1} to 1");
            found.push(Anomaly::new(AnomalyKind::UnequalUpDown, words));
        }
        let is_odd = |id: &SwitchId| both(*id).0 < up && !missing && (times as f64) >= MOST * count as f64;
        let fewer: Vec<String> = of_level()
            .filter(is_odd)
            .map(|id| {
                let [own, up] = [both(id).0, up].map(Rate::from_bit_s);
                format!("{} ({own} up, where most have {up})", network.switch(id).name)
            })
            .collect();
        if !fewer.is_empty() {
            let of = if fewer.len() == 1 {
                format!("1 {one} has")
            } else {
                format!("{} {many} have", fewer.len())
            };
            let words = format!("{of} less capacity up than most: {}", listed(&fewer));
            found.push(Anomaly::new(AnomalyKind::UnequalUpDown, words));
        }
    }
    found
}

/// The rate of each link in bit/s, as if none were slower than its like.
fn healthy_rates(network: &Network, levels: &Levels) -> Vec<u64> {
    let mut rates: Vec<u64> = network.links().iter().map(|link| link.rate.map_or(0, Rate::bit_s)).collect();
    for (link, usual) in slow_links(network, &Family::FatTree(levels.clone())) {
        rates[link.index()] = usual as u64;
    }
    rates
}

/// What a switch's links up and down carry together, bit/s.
fn up_down_rates(network: &Network, rates: &[u64], levels: &Levels, id: SwitchId) -> (u64, u64) {
    let (mut up, mut down) = (0, 0);
    for link in network.switch(id).ports.iter().flatten() {
        let (rate, link) = (rates[link.index()], network.link(*link));
        let far = link.switches().map(|[a, b]| if a == id { b } else { a });
        match far {
            Some(far) if levels.level(far) > levels.level(id) => up += rate,
            _ => down += rate,
        }
    }
    (up, down)
}

fn of_grid(network: &Network, coordinates: &Coordinates) -> Option<Anomaly> {
    let pairs = cables_by_pair(network);
    let (wanted, _) = usual(pairs.values().copied())?;
    let mut names = Vec::new();
    let mut missing = 0;
    for &[a, b] in &coordinates.missing {
        missing += wanted;
        names.push(pair_words(network, a, b, 0, wanted));
    }
    for (&(a, b), &count) in pairs.iter().filter(|(_, count)| **count < wanted) {
        missing += wanted - count;
        names.push(pair_words(network, a, b, count, wanted));
    }
    told(missing, "grid", &names)
}

/// Pairs of groups with fewer cables between them than most.
fn of_groups(network: &Network, groups: &Groups) -> Option<Anomaly> {
    let mut between: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for a in 0..groups.count() {
        for b in a + 1..groups.count() {
            between.insert((a, b), 0);
        }
    }
    for ((a, b), cables) in cables_by_pair(network) {
        let [a, b] = [a, b].map(|switch| groups.group(switch));
        if let Some(count) = between.get_mut(&(a.min(b), a.max(b))) {
            *count += cables;
        }
    }
    let (wanted, times) = usual(between.values().copied())?;
    if (times as f64) < MOST * between.len() as f64 {
        return None;
    }
    let short = || between.iter().filter(|(_, count)| **count < wanted);
    let names: Vec<String> =
        short().map(|((a, b), count)| format!("group {a} - group {b} (has {count} of {wanted})")).collect();
    told(short().map(|(_, count)| wanted - count).sum(), "dragonfly", &names)
}
