//! Three cables that are exchanged in a ring: the end that each should have is that of the next.

use super::Misplaced;
use crate::anomalies::departures::Pair;
use crate::anomalies::mended::{Case, exchanged};
use crate::graph::LinkId;

/// Three cables that are too many, each with the pair that it should join instead.
type Ring = [(Pair, Pair); 3];

impl Misplaced<'_> {
    /// All rings of three cables.
    pub(super) fn rings(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while let Some(ring) = self.ring() {
            let cables: Vec<(LinkId, Pair)> =
                ring.iter().map(|(over, lacks)| (self.any_of(*over), *lacks)).collect();
            let names = ring.map(|(over, _)| self.take(over));
            let lacking = ring.map(|(_, lacks)| self.lacks(lacks));
            self.put_right.extend(exchanged(self.network, &cables).map(Case::Exchanged));
            ring.iter().for_each(|(_, lacks)| self.find(*lacks));
            let [names, lacking] =
                [names, lacking].map(|[one, other, last]| format!("{one}, {other} and {last}"));
            words.push(format!("{names} are probably exchanged in a ring: they should be {lacking}"));
        }
        words
    }

    /// A ring whose cables keep their lower ends.
    fn ring(&self) -> Option<Ring> {
        let over = || self.departures.over.iter().filter(|(_, over)| over.cables > 0).map(|(pair, _)| *pair);
        let lacks = |pair: Pair| self.departures.short.get(&pair).is_some_and(|short| short.missing > 0);
        let next = |(lower, upper): Pair| {
            over().filter(move |(a, b)| *b != upper && lacks((lower, *b)) && *a != lower)
        };
        over().find_map(|one| {
            next(one).find_map(|other| {
                let last =
                    next(other).find(|last| last.0 != one.0 && last.1 != one.1 && lacks((last.0, one.1)))?;
                Some([(one, (one.0, other.1)), (other, (other.0, last.1)), (last, (last.0, one.1))])
            })
        })
    }
}
