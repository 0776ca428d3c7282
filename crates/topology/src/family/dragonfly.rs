//! Dragonflies and full meshes: groups within which every switch has a cable to every other.

use std::collections::BTreeSet;

use hopscope_units::amount;

use crate::family::{Neighbours, by_uid, most_common};
use crate::graph::{Network, SwitchId};

/// The group of each switch of a dragonfly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    groups: Vec<usize>,
    count: usize,
    /// Cables within groups that the network lacks.
    pub missing: Vec<[SwitchId; 2]>,
    /// A group with a switch less than the others.
    pub short: Option<usize>,
}

/// So many cables within groups may be missing, and at most one in `MISSING_OF` of those of a group, or in
/// `MISSING_OF_MESH` of a full mesh.
const MOST_MISSING: usize = 4;
const MISSING_OF: usize = 3;
const MISSING_OF_MESH: usize = 8;

impl Groups {
    /// The group of a switch, from 0.
    #[must_use]
    pub fn group(&self, switch: SwitchId) -> usize {
        self.groups[switch.index()]
    }

    /// How many groups there are; a full mesh is one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    pub(super) fn words(&self) -> String {
        let whole = (self.groups.len() + usize::from(self.short.is_some())) / self.count;
        let switches = amount(whole, "switch", "switches");
        match self.count {
            1 => format!("full mesh of {switches}"),
            count => format!("dragonfly of {count} groups of {switches}"),
        }
    }

    pub(super) fn names(&self, network: &Network) -> Vec<String> {
        let mut names = vec![String::new(); self.groups.len()];
        for group in 0..self.count {
            let members = (0..self.groups.len()).filter(|switch| self.groups[*switch] == group);
            for (number, switch) in by_uid(network, members).into_iter().enumerate() {
                names[switch] =
                    if self.count == 1 { format!("s{number}") } else { format!("g{group}r{number}") };
            }
        }
        names
    }
}

/// The groups of a network, if it is a dragonfly or a full mesh.
///
/// Two neighbours of one group have all others of it in common; neighbours of different groups have hardly any.
pub(super) fn recognised(neighbours: &Neighbours) -> Option<Groups> {
    let mut groups = vec![usize::MAX; neighbours.count()];
    let mut count = 0;
    for first in 0..neighbours.count() {
        if groups[first] != usize::MAX {
            continue;
        }
        let near = neighbours.near(first);
        let shared: Vec<usize> =
            near.iter().map(|far| neighbours.common(first, *far as usize).count()).collect();
        let most = shared.iter().copied().max().filter(|most| *most > 0)?;
        let members =
            near.iter().zip(&shared).filter(|(_, shared)| **shared * 2 > most).map(|(far, _)| *far as usize);
        let members: Vec<usize> = members.chain([first]).collect();
        let is_whole = members.iter().all(|a| members.iter().all(|b| a == b || neighbours.joins(*a, *b)));
        if !is_whole || members.iter().any(|member| groups[*member] != usize::MAX) {
            return None;
        }
        for member in members {
            groups[member] = count;
        }
        count += 1;
    }
    let mut sizes = vec![0_usize; count];
    for group in &groups {
        sizes[*group] += 1;
    }
    let are_alike = sizes.windows(2).all(|pair| pair[0] == pair[1]);
    are_alike.then_some(Groups { groups, count, missing: Vec::new(), short: None })
}

/// The groups of a network that is a dragonfly or a full mesh but for a few cables within groups that are missing, or
/// for one switch.
///
/// Most switches agree with all others of their group on who belongs to it, and most such groups have one size. Each
/// part of the other switches makes up another group.
pub(super) fn nearly(neighbours: &Neighbours) -> Option<Groups> {
    let all: Vec<usize> = (0..neighbours.count()).collect();
    if let Some(missing) = missing_within(neighbours, &all, MISSING_OF_MESH) {
        return Some(Groups { groups: vec![0; all.len()], count: 1, missing, short: None });
    }
    let near: Vec<Vec<usize>> = all.iter().map(|switch| group_of(neighbours, *switch)).collect();
    let agrees = |switch: usize| near[switch].iter().all(|other| near[*other] == near[switch]);
    let agreed: Vec<usize> = all.iter().copied().filter(|switch| agrees(*switch)).collect();
    let (size, _) =
        most_common(agreed.iter().map(|switch| near[*switch].len())).filter(|(size, _)| *size > 2)?;
    let (agreed, left): (Vec<usize>, Vec<usize>) =
        all.iter().partition(|switch| near[**switch].len() == size && agrees(**switch));
    let mut members: Vec<Vec<usize>> = agreed.iter().map(|switch| near[*switch].clone()).collect();
    members.sort_unstable();
    members.dedup();
    if 2 * agreed.len() <= all.len() {
        return None;
    }
    let others = parts(neighbours, &left);
    let mut missing = Vec::new();
    for part in &others {
        missing.extend(missing_within(neighbours, part, MISSING_OF)?);
    }
    members.extend(others);
    // Groups are numbered in the order of their first switches, as those of a whole dragonfly.
    members.sort_unstable();
    let shorter: Vec<usize> = (0..members.len()).filter(|group| members[*group].len() != size).collect();
    let is_one_less = |group: &usize| members[*group].len() + 1 == size;
    if missing.len() > MOST_MISSING
        || shorter.len() > 1
        || !shorter.iter().all(is_one_less)
        || members.len() < 2
    {
        return None;
    }
    let mut groups = vec![0; neighbours.count()];
    for (number, members) in members.iter().enumerate() {
        members.iter().for_each(|member| groups[*member] = number);
    }
    Some(Groups { groups, count: members.len(), missing, short: shorter.first().copied() })
}

/// A switch with those of its neighbours that it has most neighbours in common with, if each two of them are
/// neighbours; else none.
fn group_of(neighbours: &Neighbours, switch: usize) -> Vec<usize> {
    let near = || neighbours.near(switch).iter().map(|near| *near as usize);
    let shared = |near: usize| neighbours.common(switch, near).count();
    let most = near().map(shared).max().unwrap_or(0);
    let mut members: Vec<usize> = near().filter(|near| shared(*near) * 2 > most).chain([switch]).collect();
    members.sort_unstable();
    let is_whole = members.iter().all(|a| members.iter().all(|b| a == b || neighbours.joins(*a, *b)));
    if is_whole { members } else { Vec::new() }
}

/// The pairs of a group without a cable, if they are few.
fn missing_within(neighbours: &Neighbours, group: &[usize], one_in: usize) -> Option<Vec<[SwitchId; 2]>> {
    let pairs = group.len() * group.len().saturating_sub(1) / 2;
    let cables = group.iter().flat_map(|a| neighbours.near(*a).iter().filter(move |b| **b as usize > *a));
    let within = cables.filter(|b| group.binary_search(&(**b as usize)).is_ok()).count();
    let few = (pairs / one_in).min(MOST_MISSING);
    if pairs - within > few {
        return None;
    }
    let all = group.iter().enumerate().flat_map(|(i, a)| group[i + 1..].iter().map(move |b| [*a, *b]));
    Some(all.filter(|[a, b]| !neighbours.joins(*a, *b)).map(|pair| pair.map(SwitchId::new)).collect())
}

/// The parts into which these switches fall, if only cables between two that have another neighbour of them in common
/// count.
fn parts(neighbours: &Neighbours, switches: &[usize]) -> Vec<Vec<usize>> {
    let mut left: BTreeSet<usize> = switches.iter().copied().collect();
    let is_of_them = |switch: usize| switches.binary_search(&switch).is_ok();
    let mut parts = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut part = vec![first];
        let mut next = 0;
        while let Some(&at) = part.get(next) {
            next += 1;
            for far in neighbours.near(at).iter().map(|far| *far as usize) {
                if left.contains(&far) && neighbours.common(at, far).any(is_of_them) {
                    left.remove(&far);
                    part.push(far);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}
