//! The next hops of a host in turn.

use hopscope_fabric::{FabricPlan, scatter};

use super::{Arrived, Balancing, Foreseen, LoadBalancing, Switches};

/// Each switch's next hops for a host in turn.
pub(super) enum RoundRobinSpray {}

/// The turns that a switch counts: hosts with numbers alike modulo this share one.
const TURNS: usize = 1024;

/// The turns of all switches, each begun at a place of its own.
pub(crate) fn turns(plan: &FabricPlan, balancing: Balancing) -> Vec<u16> {
    if balancing != Balancing::RoundRobinSpray {
        return Vec::new();
    }
    (0..plan.network.switches().len() * TURNS).map(|turn| scatter(turn as u64) as u16).collect()
}

/// Where a switch counts the turns of a host.
#[inline]
fn counter(switch: usize, to: u32) -> usize {
    switch * TURNS + to as usize % TURNS
}

impl LoadBalancing for RoundRobinSpray {
    #[inline]
    fn choose(frame: Arrived<'_>, switches: &mut Switches<'_>) -> usize {
        let turn = &mut switches.turns[counter(frame.switch, frame.to)];
        *turn = turn.wrapping_add(1);
        usize::from(*turn) % frame.channels.len()
    }

    #[inline]
    fn foresee(frame: Arrived<'_>, switches: &Foreseen<'_>) -> usize {
        usize::from(switches.turns[counter(frame.switch, frame.to)].wrapping_add(1)) % frame.channels.len()
    }
}
