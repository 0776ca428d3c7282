//! A fixed priority.

use hopscope_kernel::RandomStream;
use hopscope_topology::Port;

use super::{Arbitration, first_by};

/// The input with the lowest port number, under which the others may starve.
pub(super) enum Lowest {}

impl Arbitration for Lowest {
    #[inline]
    fn choose(asking: &(impl Iterator<Item = Port> + Clone), _: Port, _: &mut RandomStream) -> Option<usize> {
        first_by(asking, |port| port)
    }

    fn line_up<T>(asking: &mut [T], port: impl Fn(&T) -> Port, _: Port, _: &mut RandomStream) {
        asking.sort_by_key(port);
    }
}
