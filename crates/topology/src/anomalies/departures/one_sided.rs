//! Switches of a fat tree that have lost all of their cables up, or all down: what these were.

use std::collections::BTreeSet;

use super::{Block, Departures, Short, blocks, count, most_common};
use crate::family::{Levels, cables_by_pair};
use crate::graph::{Network, SwitchId};

/// The side on which a switch has no cable.
#[derive(Clone, Copy)]
enum Side {
    Up,
    Down,
}

impl Departures {
    /// Names the cables of switches that lack all of one side, where the other switches determine their block: as many
    /// as most pairs of it have.
    pub(super) fn add_one_sided(&mut self, network: &Network, levels: &Levels) {
        let pairs = cables_by_pair(network);
        for switch in network.switch_ids() {
            for (side, block) in
                [Side::Up, Side::Down].map(|side| (side, block_of(network, levels, switch, side)))
            {
                let Some((lower, upper)) = block else { continue };
                let joined = lower.iter().flat_map(|a| upper.iter().map(|b| count(&pairs, *a, *b)));
                let Some((wanted, _)) = most_common(joined.filter(|cables| *cables > 0)) else { continue };
                let lacks = Short { has: 0, wanted, missing: wanted };
                let pairs: Vec<_> = match side {
                    Side::Up => upper.iter().map(|b| (switch, *b)).collect(),
                    Side::Down => lower.iter().map(|a| (*a, switch)).collect(),
                };
                pairs.into_iter().for_each(|pair| _ = self.short.entry(pair).or_insert(lacks));
                self.blocks.retain(|of| *of != (lower.clone(), upper.clone()));
                self.blocks.push(match side {
                    Side::Up => (with(lower, switch), upper),
                    Side::Down => (lower, with(upper, switch)),
                });
            }
        }
    }
}

fn with(mut switches: Vec<SwitchId>, switch: SwitchId) -> Vec<SwitchId> {
    switches.push(switch);
    switches
}

/// The block to which a switch belongs that has no cable on this side: of those above, the only one with fewest
/// switches of its own pod, as a pod has a switch in each; of those below, the only one with an upper switch less than
/// most. None where it has some cable there, or one that leads elsewhere.
fn block_of(network: &Network, levels: &Levels, switch: SwitchId, side: Side) -> Option<Block> {
    let own = levels.level(switch);
    let (kept, of) = match side {
        Side::Up if own > 0 && own < levels.top() => (own - 1, own),
        Side::Down if own > 0 && own < levels.top() => (own + 1, own - 1),
        _ => return None,
    };
    if !network.neighbours(switch).all(|(_, _, far, _)| levels.level(far) == kept) {
        return None;
    }
    let all = blocks(network, levels, of)
        .into_iter()
        .filter(|(lower, upper)| !lower.is_empty() && !upper.is_empty());
    let all: Vec<Block> = all.collect();
    let near = |id: SwitchId| network.neighbours(id).map(|(_, _, far, _)| far).collect::<BTreeSet<_>>();
    let pod = near(switch);
    let (most, _) = most_common(all.iter().map(|(_, upper)| upper.len()))?;
    let rank = |(lower, upper): &Block| match side {
        Side::Up => lower.iter().filter(|id| !near(**id).is_disjoint(&pod)).count(),
        Side::Down => usize::from(all.len() > 1 && upper.len() + 1 != most),
    };
    let least = all.iter().map(rank).min()?;
    let mut best = all.iter().filter(|block| rank(block) == least);
    let found = best.next().filter(|_| best.next().is_none())?;
    (!matches!(side, Side::Down) || least == 0).then(|| found.clone())
}
