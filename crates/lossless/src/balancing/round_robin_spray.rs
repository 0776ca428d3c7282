//! The next hops of a host in turn.

use hopscope_fabric::{FabricPlan, scatter};

use super::{Arrived, Balancing, Foreseen, LoadBalancing, Switches};

/// Round robin over a switch's next hops for a host.
pub(super) enum RoundRobinSpray {}

/// The number of turn counters of a switch: hosts whose numbers are equal modulo this share one.
const TURNS: usize = 1024;

/// The turn counters of all switches, each with its own initial value.
pub(crate) fn turns(plan: &FabricPlan, balancing: Balancing) -> Vec<u16> {
    if balancing != Balancing::RoundRobinSpray {
        return Vec::new();
    }
    (0..plan.network.switches().len() * TURNS).map(|turn| scatter(turn as u64) as u16).collect()
}

/// The index of the turn counter of a host in a switch.
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
