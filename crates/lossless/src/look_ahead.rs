//! Fetching states ahead of their events; see the fabric's `look_ahead.rs`.

use hopscope_fabric::{Slot, read_in_rounds};
use hopscope_kernel::Foresight;
use hopscope_measure::Journal;

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::frame::{Frame, NO_FRAME};
use crate::host::Offered;
use crate::machine::Lossless;

impl<J: Journal> Lossless<J> {
    /// Reads what these events will need.
    pub(crate) fn fetch(&self, foresight: Foresight, events: impl Iterator<Item = FrameEvent> + Clone) {
        let (named, found) = (|event| self.fetch_named(event), |event| self.fetch_found(event));
        read_in_rounds(foresight, events, named, found, |event| self.fetch_chosen(event));
    }

    /// Reads the states that an event names.
    #[inline]
    fn fetch_named(&self, event: FrameEvent) -> u64 {
        match event {
            FrameEvent::Arrive(_, frame) => {
                let state = &self.frames[frame];
                let stamps = self.answering.as_ref().map_or(0, |answering| answering.fetch_stamps(frame));
                stamps ^ both_lines(state)
            }
            FrameEvent::Sent(slot) => u64::from(self.ports[slot as usize].holder),
            FrameEvent::Credit(slot, lane, _) => {
                self.queues[self.frames_plan().queue(slot, usize::from(lane))].credits
            }
            FrameEvent::Emit(source) => match &self.offered {
                Offered::Messages(messages) => {
                    let source = &messages.workload.sources[source as usize];
                    source.from().index() as u64 ^ u64::from(source.is_saturated())
                }
                Offered::Flows(_) => 0,
            },
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
            FrameEvent::Emit(source) => {
                let Offered::Messages(messages) = &self.offered else { return 0 };
                let host = messages.workload.sources[source as usize].from();
                let slot = self.plan.slots.host(host);
                let lane = self.frames_plan().queue(host.index() as Slot, 0);
                let queue = &self.queues[self.frames_plan().queue(slot, 0)];
                self.ports[slot as usize].free_at.ps() ^ queue.bits ^ self.rings[lane].len() as u64
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
                self.ports[output as usize].free_at.ps() ^ queue.bits ^ self.waits.between_near(slot, output)
            }
            FrameEvent::Arrive(_, frame) => {
                let papers = self.answering.as_ref().map_or(0, |answering| answering.fetch_papers(frame));
                papers ^ self.flows[self.frames[frame].flow].under_way
            }
            FrameEvent::Answered(answer) => self
                .answering
                .as_ref()
                .map_or(0, |answering| self.rates.fetch(answering.fetch_answer(answer))),
            FrameEvent::Sent(slot) if !self.plan.slots.is_host(slot) => {
                let freed = match self.frames_plan().control {
                    // The room that becomes free is told of by the port of the input.
                    Control::Credits(_) => {
                        let input = self.inputs[self.ports[slot as usize].holder as usize].slot;
                        u64::from(self.ports[input as usize].count)
                    }
                    Control::Pfc(_) | Control::TailDrop(_) => 0,
                };
                match self.queues[self.next_queue(slot)].head {
                    NO_FRAME => freed,
                    head => {
                        let told = self.answering.as_ref().map_or(0, |answering| answering.fetch_told(head));
                        freed ^ told ^ both_lines(&self.frames[head])
                    }
                }
            }
            _ => 0,
        }
    }

    /// The queue from which a port is likely to send next; where nothing waits, that of the first slot, which is always
    /// at hand: a branch would be guessed wrong as often as not.
    #[inline]
    fn next_queue(&self, slot: Slot) -> usize {
        let candidates = self.ports[slot as usize].candidates();
        let queue = self.frames_plan().queue(slot, candidates.trailing_zeros() as usize);
        if candidates == 0 { 0 } else { queue }
    }
}

/// Reads the two cache lines of a frame: its ledger's sums are in the first, the rest is in the second.
#[inline]
fn both_lines(frame: &Frame) -> u64 {
    frame.account.spent_ps()[0] ^ u64::from(frame.to)
}
