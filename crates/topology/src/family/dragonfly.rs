//! Dragonflies and full meshes: groups within which every switch has a cable to every other.

mod of_three;

use std::collections::{BTreeMap, BTreeSet};

use hopscope_units::amount;

use crate::family::{Exchange, Neighbours, by_uid, cables_by_pair, most_common};
use crate::graph::{Network, SwitchId};

/// The group of each switch of a dragonfly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    groups: Vec<usize>,
    count: usize,
    /// Cables within groups that the network lacks.
    pub missing: Vec<[SwitchId; 2]>,
    /// What two cables may be exchanged, one of each of two groups: each of these alone makes both whole.
    pub exchanges: Vec<Exchange>,
    /// A group with a switch less than the others.
    pub short: Option<usize>,
}

/// The number of cables within groups that may be missing, and at most one in `MISSING_OF` of those of a group, or in
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

    /// Whether two cables were between groups, and these and those that are joined instead have as many cables now as
    /// most two groups.
    fn joins_all_alike(
        &self,
        neighbours: &Neighbours,
        misplaced: [[usize; 2]; 2],
        should: [[usize; 2]; 2],
    ) -> bool {
        let between = |[a, b]: [usize; 2]| {
            let (a, b) = (self.groups[a], self.groups[b]);
            (a.min(b), a.max(b))
        };
        let mut all: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for a in 0..neighbours.count() {
            let beyond = neighbours.near(a).iter().map(|b| *b as usize).filter(|b| a < *b);
            beyond.for_each(|b| *all.entry(between([a, b])).or_default() += 1);
        }
        let of_others = all.iter().filter(|((a, b), _)| a != b).map(|(_, cables)| *cables);
        let usual = most_common(of_others).map_or(0, |(usual, _)| usual);
        let is_usual = |pair: &(usize, usize)| all.get(pair) == Some(&usual);
        let mut of_groups = should.into_iter().map(between).filter(|(a, b)| a != b);
        misplaced.into_iter().map(between).all(|pair| pair.0 != pair.1 && is_usual(&pair))
            && of_groups.all(|pair| is_usual(&pair))
    }

    /// Whether most two groups have a cable between them. Rings of three switches of a torus are joined to some alone.
    fn are_joined(&self, neighbours: &Neighbours) -> bool {
        let mut joined = BTreeSet::new();
        for a in 0..neighbours.count() {
            let beyond = neighbours.near(a).iter().map(|b| self.groups[*b as usize]);
            joined.extend(beyond.filter(|b| self.groups[a] < *b).map(|b| (self.groups[a], b)));
        }
        4 * joined.len() > self.count * (self.count - 1)
    }

    pub(super) fn are_of_three(&self) -> bool {
        self.count > 1 && self.groups.len() == 3 * self.count
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
pub(super) fn recognised(neighbours: &Neighbours) -> Option<Groups> {
    let found =
        of_common(neighbours).filter(|groups| !groups.are_of_three() || groups.are_joined(neighbours));
    found.or_else(|| of_three::whole(neighbours))
}

/// Two neighbours of one group have all others of it in common; neighbours of different groups have hardly any.
fn of_common(neighbours: &Neighbours) -> Option<Groups> {
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
    are_alike.then_some(Groups { groups, count, missing: Vec::new(), exchanges: Vec::new(), short: None })
}

/// The groups of a network that is a dragonfly or a full mesh but for a few cables within groups that are missing or
/// two that are exchanged, or for one switch.
///
/// Most switches agree with all others of their group on who belongs to it, and most such groups have one size. Each
/// part of the other switches makes up another group.
pub(super) fn nearly(network: &Network, neighbours: &Neighbours) -> Option<Groups> {
    let all: Vec<usize> = (0..neighbours.count()).collect();
    let mesh = missing_within(neighbours, &all, MISSING_OF_MESH);
    if let Some(missing) = mesh.or_else(|| exchanged_in_mesh(network)) {
        let groups = vec![0; all.len()];
        return Some(Groups { groups, count: 1, missing, exchanges: Vec::new(), short: None });
    }
    if let Some(found) = of_three::nearly(neighbours) {
        return Some(found);
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
    if let Some(found) = exchanged(neighbours, &left) {
        return Some(found);
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
    let (count, short) = (members.len(), shorter.first().copied());
    let found = Groups { groups, count, missing, exchanges: Vec::new(), short };
    (!found.are_of_three() || found.are_joined(neighbours)).then_some(found)
}

/// The two pairs of a full mesh that lack a cable each and have them in two other pairs, of which each then has one
/// more than most.
fn exchanged_in_mesh(network: &Network) -> Option<Vec<[SwitchId; 2]>> {
    let pairs = cables_by_pair(network);
    let (usual, _) = most_common(pairs.values().copied())?;
    let over: Vec<[SwitchId; 2]> =
        pairs.iter().filter(|(_, cables)| **cables > usual).map(|((a, b), _)| [*a, *b]).collect();
    let all = network.switch_ids().flat_map(|a| network.switch_ids().map(move |b| [a, b]));
    let without: Vec<[SwitchId; 2]> =
        all.filter(|[a, b]| a < b && !pairs.contains_key(&(*a, *b))).take(MOST_MISSING + 1).collect();
    let is_exchange = without.len() == 2 && Exchange::between(&over, &without).is_some();
    is_exchange.then_some(without)
}

/// The groups as after two cables of switches that agree with none on their group are joined the other way, one or both
/// within a group: then all groups are whole, and each two of them have as many cables as most.
fn exchanged(neighbours: &Neighbours, left: &[usize]) -> Option<Groups> {
    let is_left = |switch: usize| left.binary_search(&switch).is_ok();
    let cables: Vec<[usize; 2]> = left
        .iter()
        .flat_map(|a| neighbours.near(*a).iter().map(|b| [*a, *b as usize]))
        .filter(|[a, b]| a < b || !is_left(*b))
        .collect();
    let pairs =
        cables.iter().enumerate().flat_map(|(i, one)| cables[i + 1..].iter().map(move |o| [*one, *o]));
    let ways = pairs.flat_map(|misplaced| {
        Exchange::of(misplaced[0], misplaced[1]).into_iter().map(move |should| (misplaced, should))
    });
    let mut found = ways.filter_map(|(misplaced, should)| {
        // Two of a group have others of it in common.
        let is_within =
            |[a, b]: [usize; 2]| is_left(a) && is_left(b) && neighbours.common(a, b).next().is_some();
        let [one, other] = misplaced;
        if should.iter().any(|[a, b]| neighbours.joins(*a, *b)) || !should.iter().any(|ends| is_within(*ends))
        {
            return None;
        }
        let mended = neighbours.without(one[0], one[1]).without(other[0], other[1]);
        let mended = should.iter().fold(mended, |rest, [a, b]| rest.with(*a, *b));
        let groups =
            recognised(&mended).filter(|groups| groups.joins_all_alike(&mended, misplaced, should))?;
        let ids = |pairs: [[usize; 2]; 2]| pairs.map(|ends| ends.map(SwitchId::new));
        Some((Exchange { misplaced: ids(misplaced), should: ids(should) }, groups))
    });
    let (first, groups) = found.next()?;
    let exchanges = std::iter::once(first).chain(found.map(|(exchange, _)| exchange)).collect();
    Some(Groups { exchanges, ..groups })
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
