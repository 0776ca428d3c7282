//! A source that always has something to send.

use hopscope_kernel::RandomStream;
use hopscope_units::Time;

use super::ArrivalProcess;

/// The next message is there as soon as the last has left: the host asks for it, and the source never fires by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Saturated;

impl ArrivalProcess for Saturated {
    #[inline]
    fn next(&mut self, _: Time, _: &mut RandomStream) -> Time {
        Time::NEVER
    }
}
