//! The next input in turn.

use hopscope_kernel::RandomStream;
use hopscope_topology::Port;

use super::{Arbitration, first_by};

/// The next input after the one that was served last, in the order of ports.
pub(super) enum RoundRobin {}

impl Arbitration for RoundRobin {
    #[inline]
    fn choose(
        asking: &(impl Iterator<Item = Port> + Clone),
        turn: Port,
        _: &mut RandomStream,
    ) -> Option<usize> {
        first_by(asking, |port| port.wrapping_sub(turn))
    }

    fn line_up<T>(asking: &mut [T], port: impl Fn(&T) -> Port, turn: Port, _: &mut RandomStream) {
        asking.sort_by_key(|one| port(one).wrapping_sub(turn));
    }
}
