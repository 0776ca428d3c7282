//! Switches of a fat tree that have lost all cables up, or all down: another switch with the same neighbours on the
//! other side determines their level.

use crate::family::Neighbours;

/// Gives switches without cables down the level of those with the same switches above. From the leaves they seem to be
/// above these.
pub(super) fn lower_without_down(neighbours: &Neighbours, levels: &mut [i32]) {
    for switch in 0..levels.len() {
        let own = levels[switch] - 2;
        let near = || neighbours.near(switch).iter().map(|near| *near as usize);
        let is_above_all = near().all(|near| levels[near] == own + 1);
        let is_like = |other: usize| {
            levels[other] == own && beside(neighbours, levels, other, own + 1) == neighbours.near(switch)
        };
        // A leaf is found as one by itself.
        if own > 0
            && is_above_all
            && near().flat_map(|near| neighbours.near(near)).any(|other| is_like(*other as usize))
        {
            levels[switch] = own;
        }
    }
}

/// Whether a switch without cables up has the same switches below as another one of its level, that has some up.
pub(super) fn is_without_up(neighbours: &Neighbours, levels: &[i32], switch: usize) -> bool {
    let own = levels[switch];
    let below = beside(neighbours, levels, switch, own - 1);
    let is_like = |other: &u32| {
        let other = *other as usize;
        levels[other] == own
            && !beside(neighbours, levels, other, own + 1).is_empty()
            && beside(neighbours, levels, other, own - 1) == below
    };
    own > 0
        && below.len() == neighbours.near(switch).len()
        && below.first().is_some_and(|first| neighbours.near(*first as usize).iter().any(is_like))
}

/// The neighbours of a switch on this level.
fn beside(neighbours: &Neighbours, levels: &[i32], switch: usize, level: i32) -> Vec<u32> {
    neighbours.near(switch).iter().copied().filter(|near| levels[*near as usize] == level).collect()
}
