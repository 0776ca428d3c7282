//! Dragonflies with groups of three switches. Cables between groups make triangles too, so that common neighbours of
//! two switches do not identify them: the groups are those with as many cables between each two of them.

use super::Groups;
use crate::family::Neighbours;
use crate::graph::SwitchId;

/// Fewer groups are joined alike in other networks too.
const FEWEST_GROUPS: usize = 4;

/// More switches are no dragonfly of such small groups.
const MOST_SWITCHES: usize = 300;

/// The number of cables that may be missing, within groups and between them; two exchanged cables make the same number
/// of differences.
const MOST_MISSING: usize = 2;
const OF_EXCHANGE: usize = 4;

/// The number of groups that are tried in all.
const MOST_TRIED: usize = 3_000;

/// The groups of a dragonfly without faults.
pub(super) fn whole(neighbours: &Neighbours) -> Option<Groups> {
    Search::of(neighbours)?.only(0)
}

/// The groups of a dragonfly with few faults: those that leave fewest, where they are the only ones.
pub(super) fn nearly(neighbours: &Neighbours) -> Option<Groups> {
    let mut faults = (1..=MOST_MISSING).chain([OF_EXCHANGE]);
    faults.find_map(|faults| {
        let mut search = Search::of(neighbours)?;
        Some(search.only(faults)).filter(|_| !search.found.is_empty())
    })?
}

struct Search<'a> {
    neighbours: &'a Neighbours,
    /// The cables between each two groups of a whole one.
    each: usize,
    groups: Vec<[usize; 3]>,
    /// By switch, its group among those.
    group: Vec<Option<usize>>,
    /// The first two ways.
    found: Vec<Vec<[usize; 3]>>,
    tried: usize,
}

impl<'a> Search<'a> {
    fn of(neighbours: &'a Neighbours) -> Option<Self> {
        let count = neighbours.count();
        let groups = count / 3;
        let cables = (0..count).map(|switch| neighbours.near(switch).len()).sum::<usize>() / 2;
        if !count.is_multiple_of(3) || !(FEWEST_GROUPS..=MOST_SWITCHES / 3).contains(&groups) {
            return None;
        }
        let pairs = groups * (groups - 1) / 2;
        // To the nearest whole number: few cables may be missing.
        let each = (2 * cables.saturating_sub(3 * groups) + pairs) / (2 * pairs);
        let (groups, found) = (Vec::new(), Vec::new());
        (each > 0).then(|| Self { neighbours, each, groups, group: vec![None; count], found, tried: 0 })
    }

    /// The only groups with at most `faults` differences from a complete dragonfly.
    fn only(&mut self, faults: usize) -> Option<Groups> {
        self.search(faults);
        let [found] = &self.found[..] else { return None };
        let mut found = found.clone();
        found.iter_mut().for_each(|group| group.sort_unstable());
        found.sort_unstable();
        let mut groups = vec![0; self.neighbours.count()];
        let mut missing = Vec::new();
        for (number, members) in found.iter().enumerate() {
            members.iter().for_each(|member| groups[*member] = number);
            let [a, b, c] = *members;
            let pairs = [[a, b], [a, c], [b, c]].into_iter().filter(|[a, b]| !self.neighbours.joins(*a, *b));
            missing.extend(pairs.map(|pair| pair.map(SwitchId::new)));
        }
        Some(Groups { groups, count: found.len(), missing, exchanges: Vec::new(), short: None })
    }

    fn search(&mut self, faults: usize) {
        self.tried += 1;
        if self.found.len() > 1 || self.tried > MOST_TRIED {
            return;
        }
        let free = (0..self.group.len()).filter(|switch| self.group[*switch].is_none());
        let Some((_, options)) = free
            .map(|switch| self.options(switch, faults))
            .map(|options| (options.len(), options))
            .min_by_key(|(count, _)| *count)
        else {
            self.found.push(self.groups.clone());
            return;
        };
        for (members, left) in options {
            members.iter().for_each(|member| self.group[*member] = Some(self.groups.len()));
            self.groups.push(members);
            self.search(left);
            self.groups.pop();
            members.iter().for_each(|member| self.group[*member] = None);
        }
    }

    /// The groups that a switch may be in, each with how many of these faults are then left.
    fn options(&self, switch: usize, faults: usize) -> Vec<([usize; 3], usize)> {
        let is_free = |other: &usize| *other != switch && self.group[*other].is_none();
        let near = |at: usize| self.neighbours.near(at).iter().map(|near| *near as usize).filter(is_free);
        let own: Vec<usize> = near(switch).collect();
        let mut pairs: Vec<[usize; 2]> = own
            .iter()
            .flat_map(|a| own.iter().map(move |b| [*a, *b]))
            .filter(|[a, b]| a < b && (faults > 0 || self.neighbours.joins(*a, *b)))
            .collect();
        if faults > 0 {
            let ends = own.iter().flat_map(|a| near(*a).map(move |b| [*a.min(&b), *a.max(&b)]));
            pairs.extend(ends);
            pairs.sort_unstable();
            pairs.dedup();
        }
        let groups = pairs.into_iter().map(|[a, b]| [switch, a, b]);
        groups.filter_map(|members| Some((members, faults.checked_sub(self.unlike(members))?))).collect()
    }

    /// How much a group differs from a whole one, in itself and from those that there are already.
    fn unlike(&self, [a, b, c]: [usize; 3]) -> usize {
        let lacks = [[a, b], [a, c], [b, c]].iter().filter(|[a, b]| !self.neighbours.joins(*a, *b)).count();
        let mut to = vec![0_usize; self.groups.len()];
        let beyond = [a, b, c].into_iter().flat_map(|member| self.neighbours.near(member));
        beyond.filter_map(|far| self.group[*far as usize]).for_each(|group| to[group] += 1);
        lacks + to.into_iter().map(|cables| cables.abs_diff(self.each)).sum::<usize>()
    }
}
