//! The parts of two neighbouring levels that are joined all to all within and by a few cables, by mistake, with each
//! other: the pods of a fat tree with a cable in another pod.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Block, usual_beyond};
use crate::graph::{Network, SwitchId};

/// The cables from a switch to each of the other level.
type Cables = BTreeMap<SwitchId, usize>;

/// The parts of a block.
#[derive(Default)]
pub(super) struct Parts {
    pub blocks: Vec<Block>,
    /// Lower switches that belong to one of several parts, if neither their cables nor their ports determine which.
    pub in_doubt: BTreeSet<SwitchId>,
}

/// Lower switches with their cables, or those of the first of them.
type Alike = (Cables, Vec<SwitchId>);

impl Parts {
    /// Lower switches that have more than half of their cables in common, and the upper ones that most of their cables
    /// lead to. A switch that has half of its cables in each of two parts belongs to the one that fewest switches of
    /// its own pod belong to: a pod has a switch in each. If that is undetermined, its ports decide: most lead where
    /// the same ports of the others do. None if all is undetermined, unless other blocks show that it has parts.
    pub fn of(network: &Network, (lower, upper): &Block, has_parts: bool) -> Self {
        let is_upper: BTreeSet<SwitchId> = upper.iter().copied().collect();
        let mut kinds: BTreeMap<Cables, Vec<SwitchId>> = BTreeMap::new();
        for &switch in lower {
            let beyond = network.neighbours(switch).map(|(_, _, far, _)| far);
            kinds.entry(counted(beyond.filter(|far| is_upper.contains(far)))).or_default().push(switch);
        }
        let mut kinds: Vec<Alike> = kinds.into_iter().collect();
        // Those that most have are not the ones with a misplaced cable.
        kinds.sort_by_key(|(_, switches)| (Reverse(switches.len()), switches[0]));
        let mut parts: Vec<Alike> = Vec::new();
        let mut halves: Vec<Alike> = Vec::new();
        for (cables, switches) in kinds {
            let shares: Vec<Share> = parts.iter().map(|(first, _)| Share::of(first, &cables)).collect();
            if let Some(part) = shares.iter().position(|share| *share == Share::Most) {
                parts[part].1.extend(switches);
            } else if shares.contains(&Share::Half) {
                halves.push((cables, switches));
            } else {
                parts.push((cables, switches));
            }
        }
        let mut found = Self::default();
        if found.join_halves(network, &is_upper, &mut parts, halves, has_parts).is_none() {
            return Self::default();
        }
        let mut lower: Vec<Vec<SwitchId>> = parts.into_iter().map(|(_, switches)| switches).collect();
        lower.iter_mut().for_each(|switches| switches.sort_unstable());
        let upper = above(network, &lower, upper);
        found.blocks = lower.into_iter().zip(upper).collect();
        found
    }

    /// Adds switches with half of their cables in a part each to one of these parts. If neither ports nor pod
    /// distinguish the parts, it is the smallest: parts have one size. Nothing where such a part is one switch, which
    /// may be odd itself, unless it is known that there are parts.
    fn join_halves(
        &mut self,
        network: &Network,
        is_upper: &BTreeSet<SwitchId>,
        parts: &mut [Alike],
        halves: Vec<Alike>,
        has_parts: bool,
    ) -> Option<()> {
        let decided = parts.to_vec();
        let mut given: Vec<(Cables, usize)> = Vec::new();
        for (cables, switches) in halves {
            let near: Vec<usize> = (0..decided.len())
                .filter(|part| Share::of(&decided[*part].0, &cables) == Share::Half)
                .collect();
            for switch in switches {
                let of_pod = |part: &usize| of_pod(network, is_upper, &decided[*part].1, switch);
                let fewest = near.iter().map(of_pod).min()?;
                let best: Vec<usize> = near.iter().copied().filter(|part| of_pod(part) == fewest).collect();
                let as_usual = |part: &usize| as_usual(network, &decided[*part].1, switch);
                let most = best.iter().map(as_usual).max()?;
                let mut best: Vec<usize> = best.into_iter().filter(|part| as_usual(part) == most).collect();
                // Two with the halves of both parts are not of one.
                let has_other_half = |part: &usize| {
                    given.iter().any(|(of, at)| at == part && of.keys().all(|far| !cables.contains_key(far)))
                };
                let is_in_doubt = best.len() > 1;
                if !best.iter().all(has_other_half) {
                    best.retain(|part| !has_other_half(part));
                }
                if is_in_doubt {
                    let alone = near.iter().filter(|part| decided[**part].1.len() < 2);
                    let alone: Vec<SwitchId> = alone.map(|part| decided[*part].1[0]).collect();
                    if !has_parts && !alone.is_empty() {
                        return None;
                    }
                    self.in_doubt.insert(switch);
                    self.in_doubt.extend(alone);
                }
                let part = best.into_iter().min_by_key(|part| (parts[*part].1.len(), *part))?;
                parts[part].1.push(switch);
                given.push((cables.clone(), part));
            }
        }
        Some(())
    }
}

/// How many of these have a cable to a switch below that this one has a cable to: they are of one pod.
fn of_pod(network: &Network, is_upper: &BTreeSet<SwitchId>, of: &[SwitchId], switch: SwitchId) -> usize {
    let below = |id: SwitchId| -> BTreeSet<SwitchId> {
        network.neighbours(id).map(|(_, _, far, _)| far).filter(|far| !is_upper.contains(far)).collect()
    };
    let own = below(switch);
    of.iter().filter(|other| !below(**other).is_disjoint(&own)).count()
}

/// How many of their cables two switches have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Few,
    Half,
    Most,
}

impl Share {
    fn of(one: &Cables, other: &Cables) -> Self {
        let common: usize = one.iter().map(|(far, cables)| *cables.min(other.get(far).unwrap_or(&0))).sum();
        let larger = one.values().sum::<usize>().max(other.values().sum());
        match (2 * common).cmp(&larger) {
            std::cmp::Ordering::Less => Self::Few,
            std::cmp::Ordering::Equal => Self::Half,
            std::cmp::Ordering::Greater => Self::Most,
        }
    }
}

fn counted<T: Ord>(items: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}

/// How many cables of a switch lead where the same ports of most of these do.
fn as_usual(network: &Network, of: &[SwitchId], switch: SwitchId) -> usize {
    let cables = network.neighbours(switch);
    cables.filter(|(port, _, far, _)| usual_beyond(network, of, (switch, *port)) == Some(*far)).count()
}

/// The upper switches of each part: those with most of their cables in it. Of parts with as many it is the smallest.
fn above(network: &Network, lower: &[Vec<SwitchId>], upper: &[SwitchId]) -> Vec<Vec<SwitchId>> {
    let numbered = lower.iter().enumerate();
    let part_of: BTreeMap<SwitchId, usize> =
        numbered.flat_map(|(part, switches)| switches.iter().map(move |id| (*id, part))).collect();
    let mut above = vec![Vec::new(); lower.len()];
    let mut between = Vec::new();
    for &switch in upper {
        let beyond = network.neighbours(switch);
        let cables = counted(beyond.filter_map(|(_, _, far, _)| part_of.get(&far).copied()));
        let most = cables.values().copied().max().unwrap_or(0);
        let parts: Vec<usize> =
            cables.into_iter().filter(|(_, count)| *count == most).map(|(part, _)| part).collect();
        match parts[..] {
            [part] => above[part].push(switch),
            _ => between.push((switch, parts)),
        }
    }
    for (switch, parts) in between {
        if let Some(part) = parts.into_iter().min_by_key(|part| (above[*part].len(), *part)) {
            above[part].push(switch);
        }
    }
    above.iter_mut().for_each(|switches| switches.sort_unstable());
    above
}
