//! Tori with a few faults, which the rest of the torus locates.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Coordinates, whole};
use crate::family::{Exchange, Neighbours, cables_by_pair, most_common};
use crate::graph::{Network, Port, SwitchId};

/// The number of cables that may be missing from a torus, and at most one in `MISSING_OF` of all: with more it is
/// another network.
const MOST_MISSING: usize = 4;
const MISSING_OF: usize = 6;

/// The number that may be missing besides two exchanged cables: this is tried for every possible pair.
const MOST_BESIDE_EXCHANGE: usize = 2;

/// Two missing cables of a grid leave at most this number of others that are sides of no square, these two among them:
/// each may have been a side of two, in a mesh.
const MOST_WITHOUT_SQUARES: usize = 14;

/// Ports joined by this number of other cables belong to one dimension.
const USUAL_PORTS: usize = 2;

/// The number of cables that may join other ports if the rest is cabled alike in all switches.
const MOST_UNUSUAL_PORTS: usize = 4;

/// The number of pairs of switches that are tried for exchanged cables, each with each other; also if cables may be
/// missing, which takes longer.
const MOST_SUSPECTS: usize = 64;
const MOST_SUSPECTS_BESIDE_MISSING: usize = 32;

/// The number of cables that are tried as missing from a mesh, those that are sides of most squares first.
const MOST_CLOSING: usize = 64;

/// The switches of a torus with fewer neighbours than others, and how many these have.
fn short(neighbours: &Neighbours) -> Option<(Vec<usize>, usize)> {
    let degree = |switch: &usize| neighbours.near(*switch).len();
    let full = (0..neighbours.count()).map(|switch| degree(&switch)).max().filter(|full| *full > 2)?;
    Some(((0..neighbours.count()).filter(|switch| degree(switch) < full).collect(), full))
}

/// The positions in a torus without some of its cables: those with too few neighbours are joined again where the result
/// is a torus.
pub(super) fn completed(neighbours: &Neighbours) -> Option<Coordinates> {
    let (short, full) = short(neighbours)?;
    if short.is_empty() || short.len() > 2 * MOST_MISSING {
        return None;
    }
    let found = joined(neighbours, full, &mut Vec::new())?;
    let cables: usize =
        (0..neighbours.count()).map(|switch| neighbours.near(switch).len()).sum::<usize>() / 2;
    let missing = found.missing.len();
    (missing * MISSING_OF <= cables + missing).then_some(found)
}

fn joined(neighbours: &Neighbours, full: usize, missing: &mut Vec<[SwitchId; 2]>) -> Option<Coordinates> {
    let short = |switch: &usize| neighbours.near(*switch).len() < full;
    let Some(first) = (0..neighbours.count()).find(|switch| short(switch)) else {
        let found = whole(neighbours)?;
        return Some(Coordinates { missing: missing.clone(), ..found });
    };
    if missing.len() == MOST_MISSING {
        return None;
    }
    let others =
        (first + 1..neighbours.count()).filter(|other| short(other) && !neighbours.joins(first, *other));
    others.into_iter().find_map(|other| {
        missing.push([SwitchId::new(first), SwitchId::new(other)]);
        let found = joined(&neighbours.with(first, other), full, missing);
        missing.pop();
        found
    })
}

/// The positions in a grid of which two cables are exchanged: cables that are unlike others are joined the other way
/// where the result is a grid, perhaps with a few cables missing. One of parallel cables may be exchanged too.
pub(super) fn exchanged(network: &Network, neighbours: &Neighbours) -> Option<Coordinates> {
    let (cables, ports) = (Cables::of(network)?, PortPairs::of(network));
    let suspects = cables.suspects(neighbours, &ports)?;
    let few = MOST_SUSPECTS_BESIDE_MISSING.min(suspects.len());
    found_among(&suspects, neighbours, &cables, &ports, whole)
        .or_else(|| found_among(&suspects[..few], neighbours, &cables, &ports, with_few_missing))
}

/// The positions in a grid with a cable between two switches that are no neighbours in it: without it the rest is one,
/// or a torus that lacks one cable, which this may be with one end elsewhere. In a mesh that lacks one cable, its ends
/// are sides of a square with it. None if this holds for several.
pub(super) fn with_one_fault(network: &Network, neighbours: &Neighbours) -> Option<Coordinates> {
    let (cables, ports) = (Cables::of(network)?, PortPairs::of(network));
    let suspects = cables.suspects(neighbours, &ports)?;
    let without = |grid: fn(&Neighbours) -> Option<Coordinates>| {
        let few = suspects.iter().take(MOST_SUSPECTS_BESIDE_MISSING);
        let found = few.filter_map(|ends| {
            let grid =
                grid(&neighbours.without(ends[0], ends[1])).filter(|grid| grid.dimensions.len() > 1)?;
            Some((ports.are_usual(*ends), grid))
        });
        let (usual, odd): (Vec<_>, Vec<_>) = found.partition(|(is_usual, _)| *is_usual);
        let mut likely = if odd.is_empty() { usual } else { odd }.into_iter();
        likely.next().filter(|_| likely.next().is_none()).map(|(_, grid)| grid)
    };
    without(whole).or_else(|| without(with_one_missing)).or_else(|| mesh_completed(neighbours))
}

/// The positions in a torus that lacks one cable.
fn with_one_missing(neighbours: &Neighbours) -> Option<Coordinates> {
    let (short, full) = short(neighbours)?;
    (short.len() == 2).then(|| joined(neighbours, full, &mut Vec::new()))?
}

/// The positions in a mesh that lacks one cable: the only one with which it is whole.
fn mesh_completed(neighbours: &Neighbours) -> Option<Coordinates> {
    let beyond = |at: usize| neighbours.near(at).iter().map(|near| *near as usize);
    let mut closing: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for a in 0..neighbours.count() {
        let ends = beyond(a).flat_map(|one| beyond(one).filter(move |two| *two != a)).flat_map(beyond);
        for b in ends.filter(|b| a < *b && !neighbours.joins(a, *b)) {
            *closing.entry([a, b]).or_default() += 1;
        }
    }
    let mut closing: Vec<(Reverse<usize>, [usize; 2])> =
        closing.into_iter().map(|(ends, squares)| (Reverse(squares), ends)).collect();
    closing.sort_unstable();
    closing.truncate(MOST_CLOSING);
    let mut found = closing.into_iter().filter_map(|(_, [a, b])| {
        let grid = whole(&neighbours.with(a, b)).filter(|grid| grid.dimensions.len() > 1)?;
        Some(Coordinates { missing: vec![[SwitchId::new(a), SwitchId::new(b)]], ..grid })
    });
    found.next().filter(|_| found.next().is_none())
}

/// The exchanges of two cables of these pairs that leave such a grid, and its positions.
fn found_among(
    suspects: &[[usize; 2]],
    neighbours: &Neighbours,
    cables: &Cables,
    ports: &PortPairs<'_>,
    grid: fn(&Neighbours) -> Option<Coordinates>,
) -> Option<Coordinates> {
    let pairs =
        suspects.iter().enumerate().flat_map(|(i, one)| suspects[i + 1..].iter().map(move |o| [*one, *o]));
    let ways = pairs.flat_map(|misplaced| {
        Exchange::of(misplaced[0], misplaced[1]).into_iter().map(move |should| (misplaced, should))
    });
    let all: Vec<(Exchange, Coordinates)> = ways
        .filter_map(|(misplaced, should)| {
            let mended = cables.mended(neighbours, misplaced, should)?;
            let grid = grid(&mended).filter(|grid| grid.is_torus_or_mesh() || ports.tell)?;
            let ids = |pairs: [[usize; 2]; 2]| pairs.map(|ends| ends.map(SwitchId::new));
            Some((Exchange { misplaced: ids(misplaced), should: ids(should) }, grid))
        })
        .collect();
    let restored: Vec<i32> = all.iter().map(|(exchange, _)| ports.restored_by(*exchange)).collect();
    let most = restored.iter().copied().max()?;
    let mut best = all.into_iter().zip(restored).filter(|(_, of)| *of == most).map(|(found, _)| found);
    let (first, grid) = best.next()?;
    let exchanges: Vec<Exchange> = std::iter::once(first).chain(best.map(|(exchange, _)| exchange)).collect();
    // Otherwise the ports decide.
    let is_told = grid.is_torus_or_mesh() || most > 0 && exchanges.len() == 1 && grid.dimensions.len() > 1;
    is_told.then_some(Coordinates { exchanges, ..grid })
}

/// The positions in a torus with at most a few missing cables; tried for each exchange.
fn with_few_missing(neighbours: &Neighbours) -> Option<Coordinates> {
    let (short, full) = short(neighbours)?;
    let few = (1..=2 * MOST_BESIDE_EXCHANGE).contains(&short.len());
    few.then(|| joined(neighbours, full, &mut Vec::new()))?
}

/// The cables between each two switches, and how many most have.
struct Cables {
    pairs: BTreeMap<[usize; 2], usize>,
    usual: usize,
}

impl Cables {
    fn of(network: &Network) -> Option<Self> {
        let pairs = cables_by_pair(network).into_iter().map(|((a, b), n)| ([a.index(), b.index()], n));
        let pairs: BTreeMap<[usize; 2], usize> = pairs.collect();
        let (usual, _) = most_common(pairs.values().copied())?;
        Some(Self { pairs, usual })
    }

    /// The pairs that exchanged cables most probably join: those with more or fewer cables than others, those whose
    /// cables join ports as few others do, and those whose cables are sides of other numbers of squares than most, the
    /// fewest first. Nothing where more are sides of none than two exchanged ones leave: that is no grid.
    fn suspects(&self, neighbours: &Neighbours, ports: &PortPairs<'_>) -> Option<Vec<[usize; 2]>> {
        let squares: Vec<([usize; 2], usize)> =
            self.pairs.keys().map(|ends| (*ends, squares(neighbours, *ends))).collect();
        if squares.iter().filter(|(_, squares)| *squares == 0).count() > MOST_WITHOUT_SQUARES {
            return None;
        }
        let (usual, _) = most_common(squares.iter().map(|(_, squares)| *squares))?;
        let odd = |(ends, squares): ([usize; 2], usize)| {
            let is_usual = self.pairs[&ends] == self.usual;
            (is_usual, ports.are_usual(ends), squares == usual, squares, ends)
        };
        let mut suspects: Vec<_> = squares.into_iter().map(odd).collect();
        suspects.sort_unstable();
        suspects.truncate(MOST_SUSPECTS);
        Some(suspects.into_iter().map(|(.., ends)| ends).collect())
    }

    fn between(&self, [a, b]: [usize; 2]) -> usize {
        self.pairs.get(&[a.min(b), a.max(b)]).copied().unwrap_or(0)
    }

    /// The neighbours as after one cable of each of two pairs joins two others instead. Nothing where these would have
    /// more than most then, or the first some and not as many as most, or where the cables would be sides of no square,
    /// as all of a grid are.
    fn mended(
        &self,
        neighbours: &Neighbours,
        misplaced: [[usize; 2]; 2],
        should: [[usize; 2]; 2],
    ) -> Option<Neighbours> {
        let left = misplaced.map(|ends| self.between(ends) - 1);
        let are_usual = left.iter().all(|left| [0, self.usual].contains(left))
            && should.iter().all(|ends| self.between(*ends) + 1 == self.usual);
        // Before anything is copied: most ways fail here.
        let may_be_sides = |[a, b]: [usize; 2]| {
            neighbours.near(a).iter().any(|near| neighbours.common(*near as usize, b).any(|far| far != a))
        };
        if !are_usual || !should.iter().all(|ends| may_be_sides(*ends)) {
            return None;
        }
        let gone = misplaced.into_iter().zip(left).filter(|(_, left)| *left == 0);
        let mended = gone.fold(neighbours.clone(), |rest, ([a, b], _)| rest.without(a, b));
        let new = should.into_iter().filter(|ends| self.between(*ends) == 0);
        let mended = new.fold(mended, |rest, [a, b]| rest.with(a, b));
        should.iter().all(|ends| squares(&mended, *ends) > 0).then_some(mended)
    }
}

/// How many cables join ports of two numbers, the smaller first.
struct PortPairs<'a> {
    network: &'a Network,
    cables: BTreeMap<[Port; 2], usize>,
    /// Whether all switches are cabled alike, except for a few cables: else the ports are no evidence.
    tell: bool,
}

impl<'a> PortPairs<'a> {
    fn of(network: &'a Network) -> Self {
        let mut cables: BTreeMap<[Port; 2], usize> = BTreeMap::new();
        for switch in network.switch_ids() {
            for (own, _, _, far) in network.neighbours(switch).filter(|(_, _, far, _)| switch < *far) {
                *cables.entry(Self::sorted([own, far])).or_default() += 1;
            }
        }
        let unusual: usize = cables.values().filter(|times| **times <= USUAL_PORTS).sum();
        Self { network, cables, tell: unusual <= MOST_UNUSUAL_PORTS }
    }

    fn sorted([a, b]: [Port; 2]) -> [Port; 2] {
        [a.min(b), a.max(b)]
    }

    /// Whether a cable between two switches joins ports as others do, beside two that may be exchanged.
    fn are_usual(&self, [a, b]: [usize; 2]) -> bool {
        if !self.tell {
            return true;
        }
        let (a, b) = (SwitchId::new(a), SwitchId::new(b));
        let mut ports = self.network.neighbours(a).filter(|(_, _, far, _)| *far == b);
        ports.all(|(own, _, _, far)| self.cables[&Self::sorted([own, far])] > USUAL_PORTS)
    }

    /// How many of two cables join ports as others do once they are put right, less how many do so now.
    fn restored_by(&self, Exchange { misplaced, should }: Exchange) -> i32 {
        if !self.tell {
            return 0;
        }
        let ports = |[a, b]: [SwitchId; 2]| {
            let between = self.network.neighbours(a).filter(move |(_, _, far, _)| *far == b);
            between.map(|(own, _, _, far)| [own, far]).collect::<Vec<_>>()
        };
        let ways = ports(misplaced[0])
            .into_iter()
            .flat_map(|one| ports(misplaced[1]).into_iter().map(move |other| [one, other]));
        let restored = ways.map(|[one, other]| {
            // `should` is an end of the first cable with one of the other, and then what is left of both.
            let second = if should[0][1] == misplaced[1][0] { other } else { [other[1], other[0]] };
            let now = [one, other].map(Self::sorted);
            let are_usual = |ports: [[Port; 2]; 2]| {
                let others = |ports: &[Port; 2]| {
                    let own = now.iter().filter(|own| *own == ports).count();
                    self.cables.get(ports).map_or(0, |all| all - own)
                };
                ports.iter().filter(|ports| others(ports) >= USUAL_PORTS).count() as i32
            };
            are_usual([[one[0], second[0]], [one[1], second[1]]].map(Self::sorted)) - are_usual(now)
        });
        restored.max().unwrap_or(0)
    }
}

/// The squares of which a cable is a side.
fn squares(neighbours: &Neighbours, [a, b]: [usize; 2]) -> usize {
    let beside = neighbours.near(a).iter().map(|near| *near as usize).filter(|near| *near != b);
    beside.map(|near| neighbours.common(near, b).filter(|far| *far != a).count()).sum()
}

/// The positions in a torus without one of its switches: a further one beside all that have too few neighbours makes it
/// whole.
pub(super) fn without_a_switch(neighbours: &Neighbours) -> Option<Coordinates> {
    let (short, full) = short(neighbours)?;
    if short.len() != full {
        return None;
    }
    let mut found = whole(&neighbours.with_switch(&short))?;
    found.positions.pop();
    Some(Coordinates { around_missing: short.into_iter().map(SwitchId::new).collect(), ..found })
}
