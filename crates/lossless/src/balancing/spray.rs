//! Packet spraying: a random next hop for each frame.

use super::{Arrived, Foreseen, LoadBalancing, Switches};

/// A hop drawn from the switch's own random stream.
pub(super) enum Spray {}

impl LoadBalancing for Spray {
    #[inline]
    fn choose(frame: Arrived<'_>, switches: &mut Switches<'_>) -> usize {
        switches.states[frame.switch].random.below(frame.channels.len() as u64) as usize
    }

    #[inline]
    fn foresee(frame: Arrived<'_>, switches: &Foreseen<'_>) -> usize {
        switches.states[frame.switch].random.clone().below(frame.channels.len() as u64) as usize
    }
}
