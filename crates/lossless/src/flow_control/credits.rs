//! Credits: a FIFO for each lane of an input, of which only the head requests an output, and credits sent to the sender
//! as room becomes free.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::frame::NO_FRAME;
use crate::machine::Lossless;
use crate::observe::stage::FrameStage;
use crate::switch::contest::Ask;

impl<J: Journal> Lossless<J> {
    /// A frame joins the FIFO of the lane by which it came.
    #[inline]
    pub(crate) fn join_lane(&mut self, now: Time, switch: usize, input: usize, frame: u32) {
        let Control::Credits(buffer) = self.frames_plan().control else {
            unreachable!("pause frames have no lanes")
        };
        let bits = u64::from(self.frames[frame].bits);
        let (state, switch_state) = (&mut self.inputs[input], &mut self.switches[switch]);
        state.held += bits;
        state.peak = state.peak.max(state.held);
        assert!(state.held <= buffer, "more was sent than there was credit for");
        switch_state.hold(now, switch_state.held + bits);
        if state.head == NO_FRAME {
            return self.come_to_head(now, input, frame);
        }
        self.frames[frame].next = NO_FRAME;
        match std::mem::replace(&mut state.last, frame) {
            NO_FRAME => state.first = frame,
            last => self.frames[last].next = frame,
        }
    }

    /// A frame is the first of its lane: it requests its output.
    #[inline]
    fn come_to_head(&mut self, now: Time, input: usize, frame: u32) {
        let slot = self.inputs[input].slot;
        self.inputs[input].head = frame;
        let wait = now.since(self.frames[frame].account.since());
        // Most frames come into an empty lane, and have no wait to record.
        if wait > Span::ZERO {
            wait.onto(&mut self.waits.in_lane[slot as usize]);
            self.close(frame, FrameStage::LaneOrRetransmissionWait, slot, now);
        }
        self.contest.asks.push(Ask { slot, input, frame, chosen: None });
    }

    /// The head of a lane has left: credits for its room are sent, and the next comes to the head.
    #[inline]
    pub(crate) fn leave_lane(
        &mut self,
        now: Time,
        input: usize,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let state = &mut self.inputs[input];
        state.held -= u64::from(bits);
        let next = state.first;
        state.head = NO_FRAME;
        let (switch, _) = self.plan.slots.switch_port(state.slot);
        let buffer = &mut self.switches[switch];
        buffer.hold(now, buffer.held - u64::from(bits));
        self.give_credit(now, input, bits, events);
        if next != NO_FRAME {
            let after = self.frames[next].next;
            let state = &mut self.inputs[input];
            state.first = after;
            if after == NO_FRAME {
                state.last = NO_FRAME;
            }
            self.come_to_head(now, input, next);
        }
    }

    /// Sends credits for this much room to the sender.
    #[inline]
    pub(crate) fn give_credit(
        &mut self,
        now: Time,
        input: usize,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let slot = self.inputs[input].slot;
        let lane = input - self.frames_plan().queue(slot, 0);
        let port = &self.ports[slot as usize];
        let (far, arrives) = (port.far, now + port.delay);
        let credit = FrameEvent::Credit(far, lane as u8, bits);
        events.schedule_deferrable(arrives, self.next_order(slot), credit);
    }

    /// Counts the credits that have arrived while no queue waited for them.
    #[inline]
    pub(crate) fn take_credits(&mut self, events: &mut EventQueue<FrameEvent>) {
        while let Some(event) = events.take_due() {
            let FrameEvent::Credit(slot, lane, bits) = event else { unreachable!("only credits wait") };
            let index = self.frames_plan().queue(slot, usize::from(lane));
            self.queues[index].credits += u64::from(bits);
        }
    }

    /// Counts the credits that have arrived, stops a queue that still has too few for this many bits, and returns
    /// whether it is stopped. Not inlined, since a queue seldom seems to have too few.
    #[cold]
    #[inline(never)]
    pub(crate) fn is_held_for_credits(
        &mut self,
        now: Time,
        index: usize,
        bits: u64,
        events: &mut EventQueue<FrameEvent>,
    ) -> bool {
        self.take_credits(events);
        let lacks = self.queues[index].credits < bits;
        if lacks {
            self.queues[index].hold(now);
            self.short_of_credits += 1;
            events.defer(false);
        }
        lacks
    }

    /// A queue no longer waits for credits, if it did.
    pub(crate) fn free_from_hold(&mut self, now: Time, index: usize, events: &mut EventQueue<FrameEvent>) {
        if self.queues[index].is_held() {
            self.short_of_credits -= 1;
            events.defer(self.short_of_credits == 0);
        }
        self.queues[index].free(now);
    }

    /// Credits arrive.
    #[inline]
    pub(crate) fn credited(
        &mut self,
        now: Time,
        slot: Slot,
        lane: u8,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let index = self.frames_plan().queue(slot, usize::from(lane));
        let queue = &mut self.queues[index];
        queue.credits += u64::from(bits);
        if !queue.is_held() {
            return;
        }
        let needed = self.next_length(slot, usize::from(lane));
        if self.queues[index].credits >= needed {
            self.free_from_hold(now, index, events);
            self.ports[slot as usize].held &= !(1 << lane);
            self.start(now, slot, events);
        }
    }
}
