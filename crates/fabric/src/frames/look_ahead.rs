//! Fetching states ahead of their events; see the crate's `look_ahead.rs`.

use std::hint::black_box;

use hopscope_measure::Journal;

use super::FrameEvent;
use super::machine::FrameFabric;

/// From so many slots on, states do not stay in a processor's own cache.
const LARGE: usize = 2048;

impl<J: Journal> FrameFabric<J> {
    /// Reads what these events will need.
    pub(super) fn fetch(&self, events: impl Iterator<Item = FrameEvent> + Clone) {
        if self.ports.len() < LARGE {
            return;
        }
        let named = events.clone().fold(0, |seen, event| seen ^ self.fetch_named(event));
        // Only now are those likely to have come that tell where the others are.
        let found = events.fold(0, |seen, event| seen ^ self.fetch_found(event));
        black_box(named ^ found);
    }

    /// Reads the states that an event names.
    #[inline]
    fn fetch_named(&self, event: FrameEvent) -> u64 {
        match event {
            FrameEvent::Arrive(slot, frame) => {
                let state = &self.frames[frame];
                u64::from(self.ports[slot as usize].far) ^ state.account.since().ps() ^ u64::from(state.to)
            }
            FrameEvent::Sent(slot) => u64::from(self.ports[slot as usize].holder),
            _ => 0,
        }
    }

    /// Reads the states that are found through those that an event names.
    #[inline]
    fn fetch_found(&self, event: FrameEvent) -> u64 {
        match event {
            FrameEvent::Arrive(slot, frame) => {
                let lane = usize::from(self.frames[frame].lane);
                self.inputs.get(self.frames_plan().queue(slot, lane)).map_or(0, |input| input.held)
            }
            FrameEvent::Sent(slot) if !self.plan.slots.is_host(slot) => {
                let port = &self.ports[slot as usize];
                let queue = &self.queues[self.frames_plan().queue(slot, 0)];
                self.inputs[port.holder as usize].held ^ queue.bits
            }
            _ => 0,
        }
    }
}
