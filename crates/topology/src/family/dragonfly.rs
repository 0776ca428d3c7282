//! Dragonflies and full meshes: groups within which every switch has a cable to every other.

use hopscope_units::amount;

use crate::family::{Neighbours, by_uid};
use crate::graph::{Network, SwitchId};

/// The group of each switch of a dragonfly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    groups: Vec<usize>,
    count: usize,
}

impl Groups {
    /// The group of a switch, from 0.
    #[must_use]
    pub fn group(&self, switch: SwitchId) -> usize {
        self.groups[switch.index()]
    }

    /// How many groups there are; a full mesh is one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    pub(super) fn words(&self) -> String {
        let switches = amount(self.groups.len() / self.count, "switch", "switches");
        match self.count {
            1 => format!("full mesh of {switches}"),
            count => format!("dragonfly of {count} groups of {switches}"),
        }
    }

    pub(super) fn names(&self, network: &Network) -> Vec<String> {
        let mut names = vec![String::new(); self.groups.len()];
        for group in 0..self.count {
            let members = (0..self.groups.len()).filter(|switch| self.groups[*switch] == group);
            for (number, switch) in by_uid(network, members).into_iter().enumerate() {
                names[switch] =
                    if self.count == 1 { format!("s{number}") } else { format!("g{group}r{number}") };
            }
        }
        names
    }
}

/// The groups of a network, if it is a dragonfly or a full mesh.
///
/// Two neighbours of one group have all others of it in common; neighbours of different groups have hardly any.
pub(super) fn recognised(neighbours: &Neighbours) -> Option<Groups> {
    let mut groups = vec![usize::MAX; neighbours.count()];
    let mut count = 0;
    for first in 0..neighbours.count() {
        if groups[first] != usize::MAX {
            continue;
        }
        let near = neighbours.near(first);
        let shared: Vec<usize> =
            near.iter().map(|far| neighbours.common(first, *far as usize).count()).collect();
        let most = shared.iter().copied().max().filter(|most| *most > 0)?;
        let members =
            near.iter().zip(&shared).filter(|(_, shared)| **shared * 2 > most).map(|(far, _)| *far as usize);
        let members: Vec<usize> = members.chain([first]).collect();
        let is_whole = members.iter().all(|a| members.iter().all(|b| a == b || neighbours.joins(*a, *b)));
        if !is_whole || members.iter().any(|member| groups[*member] != usize::MAX) {
            return None;
        }
        for member in members {
            groups[member] = count;
        }
        count += 1;
    }
    let mut sizes = vec![0_usize; count];
    for group in &groups {
        sizes[*group] += 1;
    }
    sizes.windows(2).all(|pair| pair[0] == pair[1]).then_some(Groups { groups, count })
}
