//! Switches with the same next switches: the leaves of a pod, or the switches below the same cores.
//!
//! What is beyond their ports is equally busy for all of them, and is looked at once a host. Of the ports of a switch
//! those that fewest pairs use are known as a set, so most picks are the first member of two sets at once.

use std::collections::BTreeMap;

use crate::graph::{Network, SwitchId};

use super::candidates::{Candidates, NextHop};

/// Fewer ways than these are compared as quickly one by one; more do not fit in a set.
const WAYS: std::ops::RangeInclusive<usize> = 8..=64;

/// The switch is in no group.
const NONE: u32 = u32::MAX;

/// What is known of the ways of a switch.
#[derive(Clone, Copy)]
struct Own {
    group: u32,
    /// The number of the way that was picked last.
    picked: u32,
    /// The fewest pairs that use one of the ways, and the ways that as few use, as bits; none where it is not known.
    fewest: u64,
    ways: u64,
}

/// Switches whose ways lead to the same switches in the same order.
struct Group {
    /// One of them, and how many there are.
    first: SwitchId,
    members: u32,
    /// The host for which the rest holds.
    host: u64,
    /// The busiest link beyond the least busy ways, and which ways these are, as bits.
    least_busy: u64,
    ways: u64,
}

/// Groups of switches with the same next switches, for one destination after another.
pub(super) struct SameNext {
    own: Vec<Own>,
    groups: Vec<Group>,
    /// The groups whose ways begin with a switch.
    beginning: BTreeMap<SwitchId, Vec<u32>>,
    /// Counts the hosts that were turned to.
    host: u64,
}

impl SameNext {
    pub fn new(network: &Network) -> Self {
        let own = vec![Own { group: NONE, picked: 0, fewest: 0, ways: 0 }; network.switches().len()];
        Self { own, groups: Vec::new(), beginning: BTreeMap::new(), host: 0 }
    }

    /// Finds the groups for the destination that the candidates are for.
    pub fn find(&mut self, candidates: &Candidates<'_>, switches: &[SwitchId]) {
        self.groups.clear();
        self.beginning.clear();
        for &switch in switches {
            let ways = candidates.of(switch);
            let group = match ways.first() {
                Some(first) if WAYS.contains(&ways.len()) => self.group(switch, first.beyond, candidates),
                _ => NONE,
            };
            self.own[switch.index()] = Own { group, picked: 0, fewest: 0, ways: 0 };
        }
        for &switch in switches {
            let own = &mut self.own[switch.index()];
            if self.groups.get(own.group as usize).is_some_and(|group| group.members == 1) {
                own.group = NONE;
            }
        }
    }

    /// The group that a switch belongs to, perhaps a new one.
    fn group(&mut self, switch: SwitchId, beyond: SwitchId, candidates: &Candidates<'_>) -> u32 {
        let alike = self.beginning.entry(beyond).or_default();
        let beyond = |switch| candidates.of(switch).iter().map(|way: &NextHop| way.beyond);
        let found = alike.iter().find(|group| beyond(self.groups[**group as usize].first).eq(beyond(switch)));
        if let Some(&group) = found {
            self.groups[group as usize].members += 1;
            return group;
        }
        let group = self.groups.len() as u32;
        alike.push(group);
        self.groups.push(Group { first: switch, members: 1, host: self.host, least_busy: 0, ways: 0 });
        group
    }

    /// Turns to the next host of the destination at hand.
    pub fn begin(&mut self) {
        self.host += 1;
    }

    /// The number of the way that is the first of the least busy ones, counting the busiest link of the rest of the way
    /// and then the pairs on its own, and how busy that is. Nothing where the sets do not tell.
    ///
    /// No way is less busy than both the least busy switch beyond and the least used port. A way that is as good as
    /// that cannot be beaten, and of several the lowest is taken.
    #[inline]
    pub fn least(
        &mut self,
        from: SwitchId,
        ways: &[NextHop],
        pairs: &[u64],
        busiest: &[u64],
    ) -> Option<(usize, u64)> {
        let own = &mut self.own[from.index()];
        let group = self.groups.get_mut(own.group as usize)?;
        if group.host != self.host {
            group.host = self.host;
            let beyond = ways.iter().map(|way| busiest[way.beyond.index()]);
            (group.least_busy, group.ways) = least_of(beyond);
        }
        if own.ways == 0 {
            (own.fewest, own.ways) = least_of(ways.iter().map(|way| pairs[usize::from(way.port)]));
        }
        let mut best = own.ways;
        if own.fewest <= group.least_busy {
            best &= group.ways;
        } else {
            while best != 0 && busiest[ways[best.trailing_zeros() as usize].beyond.index()] > own.fewest {
                best &= best - 1;
            }
        }
        let number = match best {
            // Beyond the least busy ways a port that more pairs use may still be less busy than that.
            0 => least_used(group.ways, |way| pairs[usize::from(ways[way].port)], group.least_busy)?,
            _ => best.trailing_zeros() as usize,
        };
        own.picked = number as u32;
        Some((number, own.fewest.max(group.least_busy)))
    }

    /// Notes which way was picked without the sets.
    pub fn pick(&mut self, from: SwitchId, way: usize) {
        self.own[from.index()].picked = way as u32;
    }

    /// Notes that pairs are added to the way picked last, which so many used before.
    #[inline]
    pub fn add_to(&mut self, from: SwitchId, before: u64) {
        let own = &mut self.own[from.index()];
        if own.group != NONE && before == own.fewest {
            own.ways &= !(1 << own.picked);
        }
    }
}

/// Of these ways the first one with the fewest pairs on its port, where these are at most so many.
#[inline]
fn least_used(mut ways: u64, pairs: impl Fn(usize) -> u64, most: u64) -> Option<usize> {
    let mut least = None;
    while ways != 0 {
        let way = ways.trailing_zeros() as usize;
        ways &= ways - 1;
        let used = pairs(way);
        if used <= most && least.is_none_or(|(fewest, _)| used < fewest) {
            least = Some((used, way));
        }
    }
    least.map(|(_, way)| way)
}

/// The least of at most 64 numbers, and which of them are as small, as bits.
#[inline]
fn least_of(numbers: impl Iterator<Item = u64>) -> (u64, u64) {
    let (mut least, mut which) = (u64::MAX, 0_u64);
    for (bit, number) in numbers.enumerate() {
        if number < least {
            (least, which) = (number, 0);
        }
        which |= u64::from(number == least) << bit;
    }
    (least, which)
}
