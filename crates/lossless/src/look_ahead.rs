//! Fetching states ahead of their events; see the fabric's `look_ahead.rs`.

use hopscope_fabric::{Slot, fetch_in_rounds, prefetch};
use hopscope_kernel::Foresight;
use hopscope_measure::Journal;

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::frame::{Frame, NO_FRAME};
use crate::host::Offered;
use crate::machine::Lossless;

impl<J: Journal> Lossless<J> {
    /// Fetches what these events will need.
    pub(crate) fn fetch(&self, foresight: Foresight, events: impl Iterator<Item = FrameEvent> + Clone) {
        let (named, found) = (|event| self.fetch_named(event), |event| self.fetch_found(event));
        fetch_in_rounds(foresight, events, named, found, |event| self.fetch_chosen(event));
    }

    /// Fetches the states that an event names.
    #[inline]
    fn fetch_named(&self, event: FrameEvent) {
        match event {
            FrameEvent::Arrive(_, frame) => {
                fetch_frame(&self.frames[frame]);
                if let Some(answering) = &self.answering {
                    answering.fetch_stamps(frame);
                }
            }
            FrameEvent::Sent(slot) => prefetch(&self.ports[slot as usize].holder),
            FrameEvent::Credit(slot, lane, _) => {
                prefetch(&self.queues[self.frames_plan().queue(slot, usize::from(lane))].credits);
            }
            FrameEvent::Emit(source) => {
                if let Offered::Messages(messages) = &self.offered {
                    prefetch(&messages.workload.sources[source as usize]);
                }
            }
            FrameEvent::Answered(answer) => {
                if let Some(answering) = &self.answering {
                    answering.fetch_answer(answer);
                }
            }
            FrameEvent::Paced(flow) => prefetch(&self.flows[flow]),
            _ => {}
        }
    }

    /// Fetches the states that are found through those that an event names.
    #[inline]
    fn fetch_found(&self, event: FrameEvent) {
        match event {
            FrameEvent::Arrive(slot, frame) => {
                let lane = usize::from(self.frames[frame].lane);
                if let Some(answering) = &self.answering {
                    answering.fetch_telemetry(frame);
                }
                if let Some(input) = self.inputs.get(self.frames_plan().queue(slot, lane)) {
                    prefetch(&input.held);
                }
            }
            FrameEvent::Answered(answer) => {
                let Some(answering) = &self.answering else { return };
                answering.fetch_hops(answer);
                prefetch(&self.flows[answering.flow_of(answer)].number);
            }
            FrameEvent::Emit(source) => {
                let Offered::Messages(messages) = &self.offered else { return };
                let host = messages.workload.sources[source as usize].from();
                let slot = self.plan.slots.host(host);
                prefetch(&self.ports[slot as usize].free_at);
                prefetch(&self.queues[self.frames_plan().queue(slot, 0)].bits);
                prefetch(&self.rings[self.frames_plan().queue(host.index() as Slot, 0)]);
            }
            FrameEvent::Sent(slot) if !self.plan.slots.is_host(slot) => {
                let port = &self.ports[slot as usize];
                prefetch(&self.inputs[port.holder as usize].held);
                prefetch(&self.queues[self.next_queue(slot)].bits);
            }
            _ => {}
        }
    }

    /// Fetches the output that a frame is likely to take, and the frame that is likely to go next.
    #[inline]
    fn fetch_chosen(&self, event: FrameEvent) {
        match event {
            FrameEvent::Arrive(slot, frame) if !self.plan.slots.is_host(slot) => {
                let (switch, _) = self.plan.slots.switch_port(slot);
                let state = &self.frames[frame];
                let port = self.foresee(switch, self.frames_plan().queue(slot, 0), state.hash, state.to);
                let output = self.switches[switch].base + port;
                prefetch(&self.ports[output as usize].free_at);
                prefetch(&self.queues[self.frames_plan().queue(output, usize::from(state.service))].bits);
                self.waits.fetch_between(slot, output);
            }
            FrameEvent::Arrive(_, frame) => {
                if let Some(answering) = &self.answering {
                    answering.fetch_papers(frame);
                }
                prefetch(&self.flows[self.frames[frame].flow].under_way);
            }
            FrameEvent::Answered(answer) => {
                if let Some(answering) = &self.answering {
                    self.rates.fetch(answering.flow_of(answer));
                }
            }
            FrameEvent::Sent(slot) if !self.plan.slots.is_host(slot) => {
                match self.frames_plan().control {
                    // The port of the input sends the credits for the room that becomes free.
                    Control::Credits(_) => {
                        let input = self.inputs[self.ports[slot as usize].holder as usize].slot;
                        prefetch(&self.ports[input as usize].count);
                    }
                    Control::Pfc(_) | Control::TailDrop(_) => {}
                }
                let head = self.queues[self.next_queue(slot)].head;
                if head != NO_FRAME {
                    fetch_frame(&self.frames[head]);
                    if let Some(answering) = &self.answering {
                        answering.fetch_telemetry(head);
                    }
                }
            }
            _ => {}
        }
    }

    /// The queue from which a port is likely to send next; if nothing waits, that of the first slot, which is always
    /// cached: a branch would be mispredicted half of the time.
    #[inline]
    fn next_queue(&self, slot: Slot) -> usize {
        let candidates = self.ports[slot as usize].candidates();
        let queue = self.frames_plan().queue(slot, candidates.trailing_zeros() as usize);
        if candidates == 0 { 0 } else { queue }
    }
}

/// Fetches the two cache lines of a frame: its ledger's sums are in the first, the rest is in the second.
#[inline]
fn fetch_frame(frame: &Frame) {
    prefetch(&frame.account);
    prefetch(&frame.to);
}
