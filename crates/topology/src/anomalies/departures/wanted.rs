//! How many cables a pair of switches of two neighbouring levels should have.

use std::collections::{BTreeMap, BTreeSet};

use super::{ALL_TO_ALL, Block, MOST, Pair, all_of, count, most_common};
use crate::graph::SwitchId;

/// The cables that pairs of a block should have.
pub(super) enum Wanted {
    /// All as many, but for those of switches with a design of their own.
    Each(usize, OwnDesigns),
    /// Those of an upper switch as many: the cables up of a lower one do not divide by the upper ones.
    ByUpper(BTreeMap<SwitchId, usize>),
    /// This number or one more: the cables do not divide evenly, and the surplus differs between lower switches.
    OrOneMore(usize),
}

impl Wanted {
    /// What the pairs of a block usually have, where it is joined all to all.
    pub fn of(pairs: &BTreeMap<Pair, usize>, block: &Block) -> Option<Self> {
        let (lower, upper) = block;
        let all = (lower.len() * upper.len()) as f64;
        let joined = all_of(block).filter(|(a, b)| count(pairs, *a, *b) > 0).count();
        let several = lower.len() > 1 && upper.len() > 1;
        if !several || (joined as f64) < ALL_TO_ALL * all {
            return None;
        }
        if let Some(unequal) = unequal(pairs, block) {
            return Some(unequal);
        }
        let (wanted, times) = most_common(all_of(block).map(|(a, b)| count(pairs, a, b)))?;
        let wanted = match times as f64 {
            times if times > MOST * all => wanted,
            times => {
                evenly(pairs, block).or_else(|| (times >= MOST * all).then(|| nearest(pairs, block))?)?
            }
        };
        Some(Self::Each(wanted, OwnDesigns::of(pairs, block, wanted)))
    }

    /// The cables of a pair of most blocks of a level, such as its pods, where all of each are alike; or of all but one
    /// that has twice as many upper switches, as two that exchanged cables join.
    pub fn of_most(blocks: &[Block], wanted: &[Option<Self>]) -> Option<usize> {
        let each: Vec<usize> = wanted
            .iter()
            .filter_map(|wanted| match wanted {
                Some(Self::Each(each, _)) => Some(*each),
                _ => None,
            })
            .collect();
        let (usual, times) = most_common(each.iter().copied())?;
        let upper = |of_whole: bool| {
            let several = |block: &Block| block.0.len() > 1 && block.1.len() > 1;
            let blocks = blocks.iter().zip(wanted).filter(move |(block, _)| several(block));
            blocks.filter(move |(_, wanted)| wanted.is_some() == of_whole).map(|(block, _)| block.1.len())
        };
        let are_two_joined = || {
            let joined: Vec<usize> = upper(false).collect();
            joined.len() == 1 && times == each.len() && upper(true).all(|upper| 2 * upper == joined[0])
        };
        (times as f64 > MOST * blocks.len() as f64 || are_two_joined()).then_some(usual)
    }

    /// What pairs of a small block should have where most blocks have this number: exchanged cables leave it too few
    /// regular pairs, and do not change the number of cables of a switch.
    pub fn as_most(pairs: &BTreeMap<Pair, usize>, block: &Block, of_most: usize) -> Option<Self> {
        // A leaf beside the pods, with all of its cables to the core switches, is a block without upper switches.
        let several = block.0.len() > 1 && block.1.len() > 1;
        let each = several.then(|| evenly(pairs, block)).flatten().filter(|each| *each == of_most)?;
        Some(Self::Each(each, OwnDesigns::default()))
    }

    /// The fewest and the most cables of a pair.
    pub fn range(&self, (lower, upper): Pair) -> [usize; 2] {
        match self {
            Self::Each(wanted, own) => [own.of_pair((lower, upper)).unwrap_or(*wanted); 2],
            Self::ByUpper(wanted) => [wanted[&upper]; 2],
            Self::OrOneMore(fewest) => [*fewest, fewest + 1],
        }
    }

    /// Without the lower switches that have probably lost cables, of which this tells.
    pub fn without_lost(self, has_lost: impl Fn(SwitchId) -> bool) -> Self {
        let Self::Each(wanted, mut own) = self else { return self };
        let alike = |cables: usize| own.lower.values().filter(|other| **other == cables).count();
        let lost: Vec<SwitchId> = own
            .lower
            .iter()
            .filter(|(id, cables)| **cables < wanted && alike(**cables) == 1 && has_lost(**id))
            .map(|(id, _)| *id)
            .collect();
        lost.iter().for_each(|id| _ = own.lower.remove(id));
        Self::Each(wanted, own)
    }

    /// The switches with a design of their own.
    pub fn of_own_design(&self) -> BTreeSet<SwitchId> {
        match self {
            Self::Each(_, own) => own.lower.keys().chain(own.upper.keys()).copied().collect(),
            Self::ByUpper(_) | Self::OrOneMore(_) => BTreeSet::new(),
        }
    }
}

/// Switches that have another number of cables to those of the other level than most have, and to all of them the same:
/// a leaf for storage with half of the cables of others, or one with twice as many. Mistakes are not so regular.
#[derive(Default)]
pub(super) struct OwnDesigns {
    lower: BTreeMap<SwitchId, usize>,
    upper: BTreeMap<SwitchId, usize>,
}

impl OwnDesigns {
    fn of(pairs: &BTreeMap<Pair, usize>, (lower, upper): &Block, usual: usize) -> Self {
        let row = |a: &SwitchId| upper.iter().map(|b| count(pairs, *a, *b)).collect::<Vec<usize>>();
        let of_lower: BTreeMap<SwitchId, usize> =
            lower.iter().filter_map(|a| Some((*a, own_design(&row(a), usual)?))).collect();
        let others: Vec<SwitchId> = lower.iter().copied().filter(|a| !of_lower.contains_key(a)).collect();
        let column = |b: &SwitchId| others.iter().map(|a| count(pairs, *a, *b)).collect::<Vec<usize>>();
        let of_upper = upper.iter().filter_map(|b| Some((*b, own_design(&column(b), usual)?))).collect();
        Self { lower: of_lower, upper: of_upper }
    }

    fn of_pair(&self, (lower, upper): Pair) -> Option<usize> {
        self.lower.get(&lower).or_else(|| self.upper.get(&upper)).copied()
    }
}

/// A switch rather lacks one cable of a design of its own than this many times as many of the usual one.
const RATHER: usize = 3;

/// The cables that a switch should have to each of these, where most of its pairs have as many and that is not what is
/// usual. Of fewer than usual it has as many in all as that needs: exchanged cables do not change how many it has. Or
/// it lacks some, and none has more. Of more than usual it may lack some.
fn own_design(cables: &[usize], usual: usize) -> Option<usize> {
    let (own, times) = most_common(cables.iter().copied())?;
    let unlike = |wanted: usize| cables.iter().map(|count| count.abs_diff(wanted)).sum::<usize>();
    let is_whole = cables.iter().sum::<usize>() == own * cables.len();
    let is_own = own > 0 && own != usual && times as f64 > MOST * cables.len() as f64;
    let lacks_few = match own > usual {
        true => unlike(own) < unlike(usual),
        false => cables.iter().all(|count| *count <= own) && RATHER * unlike(own) <= unlike(usual),
    };
    (is_own && (is_whole || lacks_few)).then_some(own)
}

/// What pairs should have where most lower switches have as many cables up, and these do not divide by the upper ones.
fn unequal(pairs: &BTreeMap<Pair, usize>, (lower, upper): &Block) -> Option<Wanted> {
    let of_lower = |a: &SwitchId| upper.iter().map(|b| count(pairs, *a, *b)).collect::<Vec<usize>>();
    let rows: Vec<Vec<usize>> = lower.iter().map(of_lower).collect();
    let is_most = |times: usize| times as f64 > MOST * rows.len() as f64;
    let (up, times) = most_common(rows.iter().map(|row| row.iter().sum::<usize>()))?;
    if !is_most(times) || up < upper.len() || up % upper.len() == 0 {
        return None;
    }
    let (usual, times) = most_common(rows.iter())?;
    if have_lost_some(&rows, usual) {
        return None;
    }
    Some(if is_most(times) {
        Wanted::ByUpper(upper.iter().copied().zip(usual.iter().copied()).collect())
    } else {
        Wanted::OrOneMore(up / upper.len())
    })
}

/// Whether rows of cables, of which most are like the usual one, are rather even ones that have lost some: others have
/// as many to every upper switch as most of all pairs have, and none has more. Of a row that differs by more than one
/// between upper switches, one such other is enough: a design spreads its cables evenly. A row with one less in some
/// places may be a design; then one more elsewhere may be surplus, but hardly the same twice.
fn have_lost_some(rows: &[Vec<usize>], usual: &[usize]) -> bool {
    let all = || rows.iter().flatten().copied();
    let Some((most, times)) = most_common(all()) else { return false };
    let whole = rows.iter().filter(|row| row.iter().all(|cables| *cables == most)).count();
    let [fewest, largest] = [usual.iter().min(), usual.iter().max()].map(|found| found.copied().unwrap_or(0));
    let enough = if largest - fewest > 1 { 1 } else { 2 };
    times as f64 > MOST * all().count() as f64 && all().all(|cables| cables <= most) && whole >= enough
}

/// Of the two numbers of cables that most pairs of a block have, the one from which the pairs differ less, beside
/// designs of their own; of two as near the larger.
fn nearest(pairs: &BTreeMap<Pair, usize>, block: &Block) -> Option<usize> {
    let all: Vec<usize> =
        all_of(block).map(|(a, b)| count(pairs, a, b)).filter(|cables| *cables > 0).collect();
    let (first, _) = most_common(all.iter().copied())?;
    let second = most_common(all.iter().copied().filter(|cables| *cables != first));
    let mut counts: Vec<usize> = second.map(|(second, _)| second).into_iter().chain([first]).collect();
    counts.sort_unstable();
    let unlike = |wanted: &usize| {
        let own = OwnDesigns::of(pairs, block, *wanted);
        let of_pair = |pair: Pair| own.of_pair(pair).unwrap_or(*wanted);
        all_of(block).map(|(a, b)| count(pairs, a, b).abs_diff(of_pair((a, b)))).sum::<usize>()
    };
    counts.into_iter().rev().min_by_key(unlike)
}

/// The cables of a pair if all were alike, where every lower switch has as many cables as that needs, and every upper
/// one: exchanged cables do not change how many a switch has.
fn evenly(pairs: &BTreeMap<Pair, usize>, block: &Block) -> Option<usize> {
    let (lower, upper) = block;
    let total: usize = all_of(block).map(|(a, b)| count(pairs, a, b)).sum();
    let each = total / (lower.len() * upper.len());
    let of_lower = |a: &SwitchId| upper.iter().map(|b| count(pairs, *a, *b)).sum::<usize>();
    let of_upper = |b: &SwitchId| lower.iter().map(|a| count(pairs, *a, *b)).sum::<usize>();
    let is_even = lower.iter().all(|a| of_lower(a) == each * upper.len())
        && upper.iter().all(|b| of_upper(b) == each * lower.len());
    is_even.then_some(each)
}
