//! Fetching states ahead of their events; see the fabric's `look_ahead.rs`.

use hopscope_fabric::{Slot, read_in_rounds};
use hopscope_measure::Journal;

use crate::event::FrameEvent;
use crate::frame::NO_FRAME;
use crate::machine::Lossless;

/// From so many slots on, states do not stay in a processor's own cache.
const LARGE: usize = 2048;

impl<J: Journal> Lossless<J> {
    /// Reads what these events will need.
    pub(crate) fn fetch(&self, events: impl Iterator<Item = FrameEvent> + Clone) {
        if self.ports.len() < LARGE {
            return;
        }
        let (named, found) = (|event| self.fetch_named(event), |event| self.fetch_found(event));
        read_in_rounds(events, named, found, |event| self.fetch_chosen(event));
    }

    /// Reads the states that an event names.
    #[inline]
    fn fetch_named(&self, event: FrameEvent) -> u64 {
        match event {
            FrameEvent::Arrive(slot, frame) => {
                let state = &self.frames[frame];
                let stamps = self.answering.as_ref().map_or(0, |answering| answering.fetch_stamps(frame));
                let port = u64::from(self.ports[slot as usize].far);
                port ^ stamps ^ state.account.since().ps() ^ u64::from(state.to)
            }
            FrameEvent::Sent(slot) => u64::from(self.ports[slot as usize].holder),
            FrameEvent::Answered(answer) => {
                self.answering.as_ref().map_or(0, |answering| answering.fetch_answer(answer).into())
            }
            FrameEvent::Paced(flow) => u64::from(self.flows[flow].from),
            _ => 0,
        }
    }

    /// Reads the states that are found through those that an event names.
    #[inline]
    fn fetch_found(&self, event: FrameEvent) -> u64 {
        match event {
            FrameEvent::Arrive(slot, frame) => {
                let lane = usize::from(self.frames[frame].lane);
                let told = self.answering.as_ref().map_or(0, |answering| answering.fetch_told(frame));
                told ^ self.inputs.get(self.frames_plan().queue(slot, lane)).map_or(0, |input| input.held)
            }
            FrameEvent::Answered(answer) => {
                let Some(answering) = &self.answering else { return 0 };
                answering.fetch_hops(answer) ^ self.flows[answering.fetch_answer(answer)].number
            }
            FrameEvent::Sent(slot) if !self.plan.slots.is_host(slot) => {
                let port = &self.ports[slot as usize];
                self.inputs[port.holder as usize].held ^ self.queues[self.next_queue(slot)].bits
            }
            _ => 0,
        }
    }

    /// Reads the output that a frame is likely to take, and the frame that is likely to go next.
    #[inline]
    fn fetch_chosen(&self, event: FrameEvent) -> u64 {
        match event {
            FrameEvent::Arrive(slot, frame) if !self.plan.slots.is_host(slot) => {
                let (switch, _) = self.plan.slots.switch_port(slot);
                let state = &self.frames[frame];
                let port = self.foresee(switch, self.frames_plan().queue(slot, 0), state.hash, state.to);
                let output = self.switches[switch].base + port;
                let queue = &self.queues[self.frames_plan().queue(output, usize::from(state.service))];
                self.ports[output as usize].free_at.ps() ^ queue.bits
            }
            FrameEvent::Arrive(_, frame) => self.answering.as_ref().map_or(0, |answering| {
                answering.fetch_papers(frame) ^ self.flows[self.frames[frame].flow].under_way
            }),
            FrameEvent::Answered(answer) => self
                .answering
                .as_ref()
                .map_or(0, |answering| self.rates.fetch(answering.fetch_answer(answer))),
            FrameEvent::Sent(slot) if !self.plan.slots.is_host(slot) => {
                match self.queues[self.next_queue(slot)].head {
                    NO_FRAME => 0,
                    head => {
                        let told = self.answering.as_ref().map_or(0, |answering| answering.fetch_told(head));
                        told ^ self.frames[head].account.since().ps() ^ self.frames[head].mark
                    }
                }
            }
            _ => 0,
        }
    }

    /// The queue from which a port is likely to send next.
    #[inline]
    fn next_queue(&self, slot: Slot) -> usize {
        let lane = self.ports[slot as usize].candidates().trailing_zeros() as usize;
        self.frames_plan().queue(slot, lane % self.frames_plan().lanes)
    }
}
