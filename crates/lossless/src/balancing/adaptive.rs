//! The next hop with the least data in its queue.

use super::{Arrived, Foreseen, LoadBalancing, Switches};

/// The shortest queue; among equals, in turn.
pub(super) enum Adaptive {}

impl LoadBalancing for Adaptive {
    #[inline]
    fn choose(frame: Arrived<'_>, switches: &mut Switches<'_>) -> usize {
        let (n, first) = (frame.channels.len(), switches.inputs[frame.input].next_turn() as usize);
        let base = switches.states[frame.switch].base;
        let plan = switches.plan;
        let queued = |place: usize| {
            let port = base + u32::from(frame.channels[place] / plan.route_lanes);
            switches.queues[plan.queue(port, 0)].bits
        };
        let places = (0..n).map(|turn| (first + turn) % n);
        places.min_by_key(|&place| queued(place)).expect("several channels")
    }

    /// Queues change until the frame arrives.
    #[inline]
    fn foresee(_: Arrived<'_>, _: &Foreseen<'_>) -> usize {
        0
    }
}
