//! Which switches of a fat tree are its leaves. Hosts alone do not determine them: those of a leaf may be switched off,
//! and a spine or a core switch may have one that manages the subnet. Switches with the same neighbours are of one
//! level.

use std::collections::BTreeMap;

use crate::family::Neighbours;

/// Hosts that are not at the lowest level, such as one that manages the subnet, are at most one in this many: OpenSM
/// leaves the same share out of account where it looks for the roots of a tree (its updn engine).
const STRAY_HOSTS: usize = 20;

/// In a small fabric one such host is more than that share. A switch may also be no leaf where it has at most one host
/// for this number of a usual leaf: a leaf with a quarter of its hosts is rare, a spine with as many rarer.
const FEW_OF: u32 = 4;

/// Storage at spines may be more than these. A switch with at most half of the hosts of the usual leaf may be no leaf
/// where all such have together no more than one in this many, if the cables between the switches are then those of a
/// tree.
const AT_SPINES: u32 = 5;

/// Two switches have the same neighbours if this number of each `SAME_OF` are the same: a few cables may be missing.
const SAME: usize = 3;
const SAME_OF: usize = 4;

/// The evidence that a switch is of the same level as known ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Like {
    /// It has the same neighbours.
    Same,
    /// Its neighbours are among those of the other.
    Among,
}

/// What may be the leaves, the likeliest first: most switches that have hosts are among them.
pub(super) fn guesses<'a>(
    neighbours: &'a Neighbours,
    hosts: &'a [u32],
) -> impl Iterator<Item = Vec<usize>> + use<'a> {
    let all: Vec<usize> = (0..hosts.len()).filter(|switch| hosts[*switch] > 0).collect();
    let usual = usual_leaf(&all, hosts);
    let with_many = all.iter().copied().filter(|switch| hosts[*switch] * FEW_OF > usual).collect::<Vec<_>>();
    // One with as many hosts as leaves have is no spine with a host for subnet management.
    let stays = |switch: &usize| hosts[*switch] >= usual || !is_alone(neighbours, hosts, *switch);
    let not_alone = with_many.iter().copied().filter(stays).collect::<Vec<_>>();
    let stray = hosts.iter().sum::<u32>() as usize / STRAY_HOSTS;
    let with_a_share = without_a_share(&all, hosts, stray);
    let most = all.len() / 2;
    let with_half = all.iter().copied().filter(|switch| hosts[*switch] * 2 > usual).collect::<Vec<_>>();
    let at_leaves: u32 = with_half.iter().map(|switch| hosts[*switch]).sum();
    let elsewhere = hosts.iter().sum::<u32>() - at_leaves;
    let with_half = if elsewhere * AT_SPINES <= at_leaves { with_half } else { Vec::new() };
    let known = [
        (not_alone, Like::Same),
        (with_many.clone(), Like::Same),
        (with_many, Like::Among),
        (all, Like::Same),
        (with_a_share, Like::Same),
        (with_half, Like::Same),
    ];
    let completed = known.into_iter().map(|(known, like)| completed(neighbours, hosts, known, like));
    completed.filter(move |leaves| leaves.iter().filter(|leaf| hosts[**leaf] > 0).count() > most)
}

/// How many hosts half of all hosts have at most beside them on their switch, themselves included.
fn usual_leaf(with_hosts: &[usize], hosts: &[u32]) -> u32 {
    let mut counts: Vec<u32> = with_hosts.iter().map(|switch| hosts[*switch]).collect();
    counts.sort_unstable();
    let all: u32 = counts.iter().sum();
    let mut so_far = 0;
    let reaches_half = |count: &u32| {
        so_far += count;
        2 * so_far >= all
    };
    counts.iter().copied().find(reaches_half).unwrap_or(0)
}

/// Whether most of the other switches with the same neighbours have no hosts.
fn is_alone(neighbours: &Neighbours, hosts: &[u32], switch: usize) -> bool {
    let near = neighbours.near(switch);
    let alike = in_common(neighbours, near, |other| other != switch)
        .into_iter()
        .filter(|(other, common)| is_same(*common, near.len(), neighbours.near(*other).len()));
    let (with, without): (Vec<usize>, Vec<usize>) =
        alike.map(|(other, _)| other).partition(|other| hosts[*other] > 0);
    without.len() > with.len()
}

/// How many of these switches each other switch has a cable to.
fn in_common(
    neighbours: &Neighbours,
    near: &[u32],
    counts: impl Fn(usize) -> bool,
) -> BTreeMap<usize, usize> {
    let mut common = BTreeMap::new();
    for beyond in near.iter().flat_map(|near| neighbours.near(*near as usize)) {
        if counts(*beyond as usize) {
            *common.entry(*beyond as usize).or_default() += 1;
        }
    }
    common
}

fn is_same(common: usize, of_one: usize, of_other: usize) -> bool {
    common * SAME_OF >= SAME * of_one.max(of_other)
}

/// The switches that have hosts, without those of the fewest, while these have at most `stray` hosts together.
fn without_a_share(with_hosts: &[usize], hosts: &[u32], mut stray: usize) -> Vec<usize> {
    let mut by_hosts = with_hosts.to_vec();
    by_hosts.sort_by_key(|switch| hosts[*switch]);
    by_hosts.retain(|switch| match stray.checked_sub(hosts[*switch] as usize) {
        Some(left) => {
            stray = left;
            false
        }
        None => true,
    });
    by_hosts
}

/// These leaves with those found by their neighbours: a switch further from these leaves than another, with the same
/// neighbours in between, is of that other's level, and what is beyond it is below it.
fn completed(neighbours: &Neighbours, hosts: &[u32], mut leaves: Vec<usize>, like: Like) -> Vec<usize> {
    let mut tower = Tower { neighbours, links: vec![usize::MAX; hosts.len()], levels: vec![0; hosts.len()] };
    let mut order = leaves.clone();
    leaves.iter().for_each(|leaf| tower.links[*leaf] = 0);
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        next += 1;
        for far in neighbours.near(at).iter().map(|far| *far as usize) {
            if tower.links[far] == usize::MAX {
                tower.links[far] = tower.links[at] + 1;
                order.push(far);
            }
        }
    }
    for &switch in &order[leaves.len()..] {
        // A leaf with few hosts may also have few of the cables of others. A switch without hosts is then no leaf.
        let like = if hosts[switch] > 0 { Like::Among } else { like };
        tower.levels[switch] = tower.level(switch, like);
    }
    leaves.extend(order[leaves.len()..].iter().filter(|switch| tower.levels[**switch] == 0));
    leaves.sort_unstable();
    leaves
}

/// The levels of switches, by their distances from leaves.
struct Tower<'a> {
    neighbours: &'a Neighbours,
    /// The links from the nearest leaf that is known.
    links: Vec<usize>,
    /// The levels, as far as they are known: of the switches that are nearer.
    levels: Vec<i32>,
}

impl Tower<'_> {
    fn level(&self, switch: usize, like: Like) -> i32 {
        let links = self.links[switch];
        let nearer: Vec<u32> = self.near(switch).filter(|near| self.links[*near as usize] < links).collect();
        let turns_down = |near: &u32| self.levels[*near as usize] < self.links[*near as usize] as i32;
        if let Some(above) = nearer.iter().find(|near| turns_down(near)) {
            return self.levels[*above as usize] - 1;
        }
        let of_others = links as i32 - 2;
        let is_below = |other: usize| self.links[other] < links && self.levels[other] == of_others;
        let is_like = |(other, common): (usize, usize)| match like {
            Like::Same => is_same(common, nearer.len(), self.above(other)),
            Like::Among => common * SAME_OF >= SAME * nearer.len(),
        };
        let found = in_common(self.neighbours, &nearer, is_below).into_iter().any(is_like);
        if found { of_others } else { links as i32 }
    }

    fn near(&self, switch: usize) -> impl Iterator<Item = u32> {
        self.neighbours.near(switch).iter().copied()
    }

    /// How many neighbours of a switch are above it.
    fn above(&self, switch: usize) -> usize {
        self.near(switch).filter(|near| self.levels[*near as usize] > self.levels[switch]).count()
    }
}
