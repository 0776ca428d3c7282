//! The family of a network, derived from its cables alone.
//!
//! Missing and parallel cables do not change the family: they are anomalies of a network that has one. Neither do a few
//! cables within a level of a fat tree or past one, or a few small switches that hang from its leaves, where the
//! network has no other family; nor two exchanged cables, or a switch that is not there, in a torus or dragonfly.

mod dragonfly;
mod fat_tree;
mod grid;
mod leaves;

use std::collections::BTreeMap;

use crate::graph::{Network, SwitchId};
pub use dragonfly::Groups;
pub use fat_tree::Levels;
pub(crate) use fat_tree::out_of_place;
pub use grid::Coordinates;

/// The family of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Family {
    /// One switch.
    SingleSwitch,
    /// A tree of levels with hosts at the lowest, several switches at the highest, and cables between neighbouring
    /// levels only, but for a few misplaced ones; perhaps with a few small switches that hang from its leaves.
    FatTree(Levels),
    /// A mesh, torus, hypercube, line or ring.
    Grid(Coordinates),
    /// Groups of switches, all joined within a group, with cables between the groups.
    Dragonfly(Groups),
    /// None of these.
    Irregular,
}

impl Family {
    /// The family of a network.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        if network.switches().len() == 1 {
            return Self::SingleSwitch;
        }
        let neighbours = Neighbours::of(network);
        let of_groups = |groups: dragonfly::Groups| {
            // A torus with rings of three and two exchanged cables looks like a dragonfly with groups of three.
            let faulty = || {
                grid::with_one_fault(network, &neighbours).or_else(|| grid::exchanged(network, &neighbours))
            };
            let torus = if groups.are_of_three() { faulty() } else { None };
            torus.map_or(Self::Dragonfly(groups), Self::Grid)
        };
        let tree = fat_tree::recognised(network, &neighbours);
        let beside = tree.as_ref().filter(|tree| tree.are_tops_leaves(network));
        let beside = beside.and_then(|_| fat_tree::nearly(network, &neighbours));
        beside
            .filter(|levels| !levels.are_tops_leaves(network))
            .or(tree)
            .map(Self::FatTree)
            .or_else(|| grid::recognised(&neighbours).map(Self::Grid))
            .or_else(|| dragonfly::recognised(&neighbours).map(of_groups))
            .or_else(|| fat_tree::nearly(network, &neighbours).map(Self::FatTree))
            .or_else(|| grid::without_a_switch(&neighbours).map(Self::Grid))
            .or_else(|| dragonfly::nearly(network, &neighbours).map(of_groups))
            .or_else(|| grid::with_one_fault(network, &neighbours).map(Self::Grid))
            .or_else(|| grid::exchanged(network, &neighbours).map(Self::Grid))
            .unwrap_or(Self::Irregular)
    }

    /// The family in words, such as "fat tree of 2 levels: 4 leaves, 2 spines".
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::SingleSwitch => "single switch".to_owned(),
            Self::FatTree(levels) => levels.words(),
            Self::Grid(coordinates) => coordinates.words(),
            Self::Dragonfly(groups) => groups.words(),
            Self::Irregular => "irregular".to_owned(),
        }
    }

    /// A name for each switch by its role and position, such as "leaf2" or "x0y3"; nothing in an irregular network.
    /// Switches of one role are numbered in the order of their uids, which do not change with the order of a file.
    #[must_use]
    pub fn role_names(&self, network: &Network) -> Option<Vec<String>> {
        match self {
            Self::SingleSwitch => Some(vec!["switch".to_owned()]),
            Self::FatTree(levels) => Some(levels.names(network)),
            Self::Grid(coordinates) => Some(coordinates.names()),
            Self::Dragonfly(groups) => Some(groups.names(network)),
            Self::Irregular => None,
        }
    }

    /// The switches of the highest level of a fat tree, in the order of their ids; none in any other family. From them
    /// as roots, up*/down* routes join all switches with hosts: where they would not from all, some are left out.
    #[must_use]
    pub fn tops(&self) -> Vec<SwitchId> {
        match self {
            Self::FatTree(levels) => levels.roots(),
            _ => Vec::new(),
        }
    }
}

/// The levels of a network, if it is a fat tree, perhaps with a few misplaced cables.
pub(crate) fn as_fat_tree(network: &Network) -> Option<Levels> {
    let neighbours = Neighbours::of(network);
    fat_tree::recognised(network, &neighbours).or_else(|| fat_tree::nearly(network, &neighbours))
}

/// Two cables with an end of each exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exchange {
    /// The two switches that each of the cables joins.
    pub misplaced: [[SwitchId; 2]; 2],
    /// Those that each would join otherwise: one end of each cable stays.
    pub should: [[SwitchId; 2]; 2],
}

impl Exchange {
    /// The two exchanges that two cables between four switches may come of; none where they have a switch in common.
    pub(crate) fn of<T: Copy + PartialEq>([a, b]: [T; 2], [c, d]: [T; 2]) -> Vec<[[T; 2]; 2]> {
        let are_apart = ![a, b].contains(&c) && ![a, b].contains(&d);
        if are_apart { vec![[[a, c], [d, b]], [[a, d], [c, b]]] } else { Vec::new() }
    }

    /// The two of these pairs with a cable too many that are two of these that lack one, with an end of each exchanged;
    /// the pairs of each are given with the smaller end first.
    pub(crate) fn between<T: Copy + Ord>(over: &[[T; 2]], short: &[[T; 2]]) -> Option<[[[T; 2]; 2]; 2]> {
        let lacks = |[a, b]: &[T; 2]| short.contains(&[*a.min(b), *a.max(b)]);
        let pairs =
            over.iter().enumerate().flat_map(|(i, one)| over[i + 1..].iter().map(move |o| [*one, *o]));
        let mut ways = pairs.flat_map(|[one, other]| {
            Self::of(one, other).into_iter().map(move |should| [[one, other], should])
        });
        ways.find(|[_, should]| should.iter().all(lacks))
    }
}

/// The cables between each two switches, the one of the smaller id first.
pub(crate) fn cables_by_pair(network: &Network) -> BTreeMap<(SwitchId, SwitchId), usize> {
    let mut pairs = BTreeMap::new();
    for a in network.switch_ids() {
        for (_, _, b, _) in network.neighbours(a).filter(|(_, _, b, _)| a < *b) {
            *pairs.entry((a, b)).or_default() += 1;
        }
    }
    pairs
}

/// The switches that each switch has a cable to, each once, in the order of their ids.
#[derive(Clone)]
pub(crate) struct Neighbours(Vec<Vec<u32>>);

impl Neighbours {
    pub fn of(network: &Network) -> Self {
        let near = |id| {
            let mut near: Vec<u32> =
                network.neighbours(id).map(|(_, _, far, _)| far.index() as u32).collect();
            near.sort_unstable();
            near.dedup();
            near
        };
        Self(network.switch_ids().map(near).collect())
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn near(&self, switch: usize) -> &[u32] {
        &self.0[switch]
    }

    pub fn joins(&self, a: usize, b: usize) -> bool {
        self.0[a].binary_search(&(b as u32)).is_ok()
    }

    /// The switches that have a cable to both.
    pub fn common(&self, a: usize, b: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.0[a]
            .iter()
            .copied()
            .filter(move |near| self.0[b].binary_search(near).is_ok())
            .map(|c| c as usize)
    }

    /// The same with one cable more.
    fn with(&self, a: usize, b: usize) -> Self {
        let mut more = self.0.clone();
        for (from, to) in [(a, b), (b, a)] {
            let at = more[from].binary_search(&(to as u32)).unwrap_or_else(|at| at);
            more[from].insert(at, to as u32);
        }
        Self(more)
    }

    /// The same with one cable less.
    fn without(&self, a: usize, b: usize) -> Self {
        let mut fewer = self.0.clone();
        for (from, to) in [(a, b), (b, a)] {
            fewer[from].retain(|near| *near as usize != to);
        }
        Self(fewer)
    }

    /// The same with one switch more, that has a cable to each of these.
    fn with_switch(&self, near: &[usize]) -> Self {
        let mut more = self.0.clone();
        let new = more.len() as u32;
        near.iter().for_each(|switch| more[*switch].push(new));
        more.push(near.iter().map(|switch| *switch as u32).collect());
        Self(more)
    }
}

/// The value that most of these have; of several the largest.
pub(crate) fn most_common<T: Ord>(values: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut count: BTreeMap<T, usize> = BTreeMap::new();
    for value in values {
        *count.entry(value).or_default() += 1;
    }
    count.into_iter().max_by(|(a, times), (b, others)| (times, a).cmp(&(others, b)))
}

/// The switches of these ids, in the order of their uids.
fn by_uid(network: &Network, ids: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut ids: Vec<usize> = ids.collect();
    ids.sort_by_key(|id| network.switches()[*id].uid);
    ids
}
