//! The input that has waited longest.

use hopscope_kernel::RandomStream;
use hopscope_topology::Port;

use super::Arbitration;

/// First come, first considered (SRC 88, section 3.5); drawn among those of one instant.
pub(super) enum Oldest {}

impl Arbitration for Oldest {
    #[inline]
    fn choose(asking: &(impl Iterator<Item = Port> + Clone), _: Port, _: &mut RandomStream) -> Option<usize> {
        asking.clone().next().map(|_| 0)
    }

    fn line_up<T>(asking: &mut [T], _: impl Fn(&T) -> Port, _: Port, random: &mut RandomStream) {
        random.shuffle(asking);
    }
}
