//! An input drawn at random.

use hopscope_kernel::RandomStream;
use hopscope_topology::Port;

use super::Arbitration;

/// Each that asks with the same chance (Karol, Hluchyj and Morgan 1987).
pub(super) enum Random {}

impl Arbitration for Random {
    #[inline]
    fn choose(
        asking: &(impl Iterator<Item = Port> + Clone),
        _: Port,
        random: &mut RandomStream,
    ) -> Option<usize> {
        match asking.clone().count() {
            0 => None,
            1 => Some(0),
            several => Some(random.below(several as u64) as usize),
        }
    }

    fn line_up<T>(asking: &mut [T], _: impl Fn(&T) -> Port, _: Port, random: &mut RandomStream) {
        random.shuffle(asking);
    }
}
