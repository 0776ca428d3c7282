//! Tori with a few faults: what a torus has besides them tells where they are.

use super::{Coordinates, whole};
use crate::family::{Neighbours, most_common};
use crate::graph::SwitchId;

/// So many cables may be missing from a torus.
const MOST_MISSING: usize = 4;

/// More cables than this that are unlike others come of more than one mistake.
const MOST_SUSPECTS: usize = 32;

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
    joined(neighbours, full, &mut Vec::new())
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

/// The positions in a torus of which two cables are exchanged: cables that are sides of fewer squares than most are
/// joined the other way where the result is a torus.
pub(super) fn exchanged(neighbours: &Neighbours) -> Option<Coordinates> {
    let cables: Vec<([usize; 2], usize)> = (0..neighbours.count())
        .flat_map(|a| neighbours.near(a).iter().map(move |b| [a, *b as usize]))
        .filter(|[a, b]| a < b)
        .map(|ends| (ends, squares(neighbours, ends)))
        .collect();
    let (usual, _) = most_common(cables.iter().map(|(_, squares)| *squares))?;
    let suspects: Vec<[usize; 2]> =
        cables.iter().filter(|(_, squares)| *squares < usual).map(|(ends, _)| *ends).collect();
    if !short(neighbours)?.0.is_empty() || suspects.len() > MOST_SUSPECTS {
        return None;
    }
    let pairs =
        suspects.iter().enumerate().flat_map(|(i, one)| suspects[i + 1..].iter().map(move |o| (*one, *o)));
    pairs
        .flat_map(|([a, b], [c, d])| [[[a, b], [c, d], [a, c], [b, d]], [[a, b], [c, d], [a, d], [b, c]]])
        .find_map(|[one, other, here, there]| {
            let are_new = [here, there].iter().all(|[a, b]| a != b && !neighbours.joins(*a, *b));
            let mended = are_new.then(|| {
                neighbours.without(one[0], one[1]).without(other[0], other[1]).with(here[0], here[1])
            })?;
            let found = whole(&mended.with(there[0], there[1]))?;
            let ids = |ends: [usize; 2]| ends.map(SwitchId::new);
            let (missing, misplaced) = (vec![ids(here), ids(there)], vec![ids(one), ids(other)]);
            Some(Coordinates { missing, misplaced, ..found })
        })
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
