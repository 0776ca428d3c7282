//! Cables that a regular family would have, and up-links unlike those of other switches of the level.

use std::collections::BTreeMap;

use hopscope_units::{Rate, amount};

use crate::anomalies::departures::{Departures, MOST, cables_by_pair, usual};
use crate::anomalies::{Anomaly, AnomalyKind, listed, misplaced, slow_links};
use crate::family::{Coordinates, Family, Groups, Levels};
use crate::graph::{Network, SwitchId};

pub(super) fn anomalies(network: &Network, family: &Family) -> Vec<Anomaly> {
    match family {
        Family::FatTree(levels) => {
            let mut departures = Departures::of(network, levels);
            let regular = departures.is_empty();
            let mut found = misplaced::anomalies(network, levels, &mut departures);
            found.extend(of_levels(network, &departures));
            found.extend(up_and_down(network, levels, regular));
            found
        }
        Family::Grid(coordinates) => of_grid(network, coordinates).into_iter().collect(),
        Family::Dragonfly(groups) => of_groups(network, groups).into_iter().collect(),
        Family::SingleSwitch | Family::Irregular => Vec::new(),
    }
}

pub(super) fn pair_words(network: &Network, a: SwitchId, b: SwitchId, has: usize, wanted: usize) -> String {
    let name = |id: SwitchId| &network.switch(id).name;
    format!("{} - {} (has {has} of {wanted})", name(a), name(b))
}

/// The cables of a fat tree that are missing, but for those that were found elsewhere.
fn of_levels(network: &Network, departures: &Departures) -> Option<Anomaly> {
    let short = || departures.short.iter().filter(|(_, short)| short.missing > 0);
    let names: Vec<String> =
        short().map(|((a, b), short)| pair_words(network, *a, *b, short.has, short.wanted)).collect();
    told(short().map(|(_, short)| short.missing).sum(), "fat tree", &names)
}

fn told(missing: usize, of: &str, pairs: &[String]) -> Option<Anomaly> {
    let verb = if missing == 1 { "is" } else { "are" };
    let words =
        format!("{} {verb} missing from the {of}: {}", amount(missing, "cable", "cables"), listed(pairs));
    (missing > 0).then(|| Anomaly::new(AnomalyKind::MissingLink, words))
}

/// Of each level but the highest: how much less up-links carry than what comes from below; and switches with fewer
/// up-links than most. Cables that are slower than their like are told of themselves, and so are missing and misplaced
/// ones: they count as their like here.
fn up_and_down(network: &Network, levels: &Levels, regular: bool) -> Vec<Anomaly> {
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
        let is_odd = |id: &SwitchId| both(*id).0 < up && regular && (times as f64) >= MOST * count as f64;
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
            Some(far) if levels.level(far) == levels.level(id) => {}
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
