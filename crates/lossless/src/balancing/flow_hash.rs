//! ECMP: a hash of the flow selects the next hop.

use hopscope_fabric::scatter;
use hopscope_kernel::RandomStream;
use hopscope_topology::SwitchId;

use super::{Arrived, Foreseen, LoadBalancing, Switches};

/// The hop that the flow's hash picks, under the switch's own seed.
pub(super) enum FlowHash {}

/// Which of this many next hops the hash of a flow picks at a switch.
#[inline]
pub(crate) fn hashed(flow: u32, seed: u32, choices: usize) -> usize {
    let spread = scatter(u64::from(flow) << 32 | u64::from(seed)) >> 32;
    ((spread * choices as u64) >> 32) as usize
}

/// The seed of each switch's hash.
pub(crate) fn hash_seed(seed: u64, switch: SwitchId) -> u32 {
    RandomStream::named(seed, "flow hash", switch.index() as u64).next_u64() as u32
}

/// The seed of the hash by which flows pick one of the LIDs of their receiver, as senders of several connections do.
pub(crate) fn path_seed(seed: u64) -> u32 {
    RandomStream::named(seed, "LID of a flow", 0).next_u64() as u32
}

impl LoadBalancing for FlowHash {
    #[inline]
    fn choose(frame: Arrived<'_>, switches: &mut Switches<'_>) -> usize {
        hashed(frame.hash, switches.states[frame.switch].hash_seed, frame.channels.len())
    }

    #[inline]
    fn foresee(frame: Arrived<'_>, switches: &Foreseen<'_>) -> usize {
        hashed(frame.hash, switches.states[frame.switch].hash_seed, frame.channels.len())
    }
}
