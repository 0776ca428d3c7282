//! Switches with the same next switches: the leaves of a pod, or the switches below the same cores.
//!
//! What is beyond their ports is equally busy for all of them, and is looked at once a host. Of the ports of a switch
//! those that few pairs use are known as sets, so that most picks compare a few sets and no single ways.

use std::collections::BTreeMap;

use crate::graph::{Network, SwitchId};

use super::candidates::{NextHop, Ways};
use super::levels::Levels;

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
    /// One of them, and how many there are.
    first: SwitchId,
    members: u32,
    /// The host for which the rest holds.
    host: u64,
    /// The ways by the busiest link beyond them.
    busiest: Levels<8>,
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
        let own = vec![Own::new(NONE); network.switches().len()];
        Self { own, groups: Vec::new(), beginning: BTreeMap::new(), host: 0 }
    }

    /// Finds the groups for the destination that the ways lead to.
    pub fn find(&mut self, all: &Ways) {
        self.groups.clear();
        self.beginning.clear();
        for &switch in &all.nearest_first {
            let ways = all.of(switch);
            let group = match ways.first() {
                Some(first) if WAYS.contains(&ways.len()) => self.group(switch, first.beyond, all),
                _ => NONE,
            };
            self.own[switch.index()] = Own::new(group);
        }
        for &switch in &all.nearest_first {
            let own = &mut self.own[switch.index()];
            if self.groups.get(own.group as usize).is_some_and(|group| group.members == 1) {
                own.group = NONE;
            }
        }
    }

    /// The group that a switch belongs to, perhaps a new one.
    fn group(&mut self, switch: SwitchId, beyond: SwitchId, all: &Ways) -> u32 {
        let alike = self.beginning.entry(beyond).or_default();
        let beyond = |switch| all.of(switch).iter().map(|way: &NextHop| way.beyond);
        let found = alike.iter().find(|group| beyond(self.groups[**group as usize].first).eq(beyond(switch)));
        if let Some(&group) = found {
            self.groups[group as usize].members += 1;
            return group;
        }
        let group = self.groups.len() as u32;
        alike.push(group);
        self.groups.push(Group { first: switch, members: 1, host: self.host, busiest: Levels::NONE });
        group
    }

    /// Turns to the next host of the destination at hand.
    pub fn begin(&mut self) {
        self.host += 1;
    }

    /// The number of the way that is the first of the least busy ones, counting the busiest link of the rest of the way
    /// and then the pairs on its own, and how busy that is. None if the sets do not determine it.
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
            group.busiest = Levels::of(ways.iter().map(|way| busiest[way.beyond.index()]));
        }
        let mut found = own.pairs.least_with(&group.busiest);
        if found.is_none() && own.pairs.may_be_filled() {
            own.pairs = Levels::of(ways.iter().map(|way| pairs[usize::from(way.port)]));
            found = own.pairs.least_with(&group.busiest);
        }
        let (way, busy) = found?;
        own.picked = way;
        Some((way as usize, busy))
    }

    /// Notes which way was picked without the sets.
    pub fn pick(&mut self, from: SwitchId, way: usize) {
        self.own[from.index()].picked = way as u32;
    }

    /// Notes that pairs are added to the way picked last, with its number of pairs before.
    #[inline]
    pub fn add_to(&mut self, from: SwitchId, before: u64, added: u64) {
        let own = &mut self.own[from.index()];
        if own.group != NONE {
            own.pairs.move_up(own.picked, before, before + added);
        }
    }
}
