//! Switches with the same next switches: the leaves of a pod, or the switches below the same cores.
//!
//! What is beyond their ports is equally busy for all of them, and is looked at once a host. Of the ports of a switch
//! those that few pairs use are known as sets, so that most picks compare a few sets and no single ways.

use std::collections::BTreeMap;

use super::levels::Levels;
use super::ways_to::{Way, WaysTo};

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
    /// The ways by the pairs that use their ports; none where it is not known.
    pairs: Levels<4>,
}

impl Own {
    fn new(group: u32) -> Self {
        Self { group, picked: 0, pairs: Levels::NONE }
    }
}

/// Switches whose ways lead to the same switches in the same order.
struct Group {
    /// One of them by its position, and how many there are.
    first: usize,
    members: u32,
    /// The host for which the rest holds.
    host: u64,
    /// The ways by the busiest link beyond them.
    busiest: Levels<8>,
}

/// Groups of switches with the same next switches, for one destination after another. Switches are known by their
/// positions.
#[derive(Default)]
pub(super) struct SameNext {
    own: Vec<Own>,
    groups: Vec<Group>,
    /// The groups whose ways begin with a switch.
    beginning: BTreeMap<u32, Vec<u32>>,
    /// Counts the hosts that were turned to.
    host: u64,
}

impl SameNext {
    /// Finds the groups for a destination.
    pub fn find(&mut self, turn: &WaysTo) {
        self.groups.clear();
        self.beginning.clear();
        self.own.clear();
        for position in 0..turn.len() {
            let ways = &turn.ways[turn.ways_of(position)];
            let group = match ways.first() {
                Some(first) if WAYS.contains(&ways.len()) => self.group(turn, position, first.beyond),
                _ => NONE,
            };
            self.own.push(Own::new(group));
        }
        for own in &mut self.own {
            if self.groups.get(own.group as usize).is_some_and(|group| group.members == 1) {
                own.group = NONE;
            }
        }
    }

    /// The group that a switch belongs to, perhaps a new one.
    fn group(&mut self, turn: &WaysTo, position: usize, beyond: u32) -> u32 {
        let alike = self.beginning.entry(beyond).or_default();
        let beyond = |position| turn.ways[turn.ways_of(position)].iter().map(|way: &Way| way.beyond);
        let found =
            alike.iter().find(|group| beyond(self.groups[**group as usize].first).eq(beyond(position)));
        if let Some(&group) = found {
            self.groups[group as usize].members += 1;
            return group;
        }
        let group = self.groups.len() as u32;
        alike.push(group);
        self.groups.push(Group { first: position, members: 1, host: self.host, busiest: Levels::NONE });
        group
    }

    /// Turns to the next host of the destination at hand.
    pub fn begin(&mut self) {
        self.host += 1;
    }

    /// The number of the way that is the first of the least busy ones, counting the busiest link of the rest of the way
    /// and then the pairs on its own, and how busy that is. Nothing where the sets do not tell.
    #[inline]
    pub fn least(
        &mut self,
        position: usize,
        ways: &[Way],
        pairs: &[u64],
        busiest: &[u64],
    ) -> Option<(usize, u64)> {
        let own = &mut self.own[position];
        let group = self.groups.get_mut(own.group as usize)?;
        if group.host != self.host {
            group.host = self.host;
            group.busiest = Levels::of(ways.iter().map(|way| busiest[way.beyond as usize]));
        }
        let mut found = own.pairs.least_with(&group.busiest);
        if found.is_none() && own.pairs.may_be_filled() {
            own.pairs = Levels::of(pairs.iter().copied());
            found = own.pairs.least_with(&group.busiest);
        }
        let (way, busy) = found?;
        own.picked = way;
        Some((way as usize, busy))
    }

    /// Notes which way was picked without the sets.
    pub fn pick(&mut self, position: usize, way: usize) {
        self.own[position].picked = way as u32;
    }

    /// Notes that pairs are added to the way picked last, which so many used before.
    #[inline]
    pub fn add_to(&mut self, position: usize, before: u64, added: u64) {
        // Under rules that pick without groups none is known.
        let Some(own) = self.own.get_mut(position) else { return };
        if own.group != NONE {
            own.pairs.move_up(own.picked, before, before + added);
        }
    }
}
