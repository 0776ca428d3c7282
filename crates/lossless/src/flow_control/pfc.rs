//! Pause frames: what of each input and priority is in the buffer, when its sender is told to stop, and what the sender does.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::FrameEvent;
use super::machine::FrameFabric;
use super::plan::{ALPHA_ONE, CONTROL_BITS, Thresholds, time_of};
use crate::slots::Slot;

impl Thresholds {
    /// The level above which an input is told to stop, when its switch's inputs share so much.
    #[inline]
    pub fn stop_above(&self, switch: usize, shared: u64) -> u64 {
        match self.alpha {
            None => self.xoff,
            Some(alpha) => {
                let free = self.shared[switch].saturating_sub(shared);
                (u128::from(free) * u128::from(alpha) / u128::from(ALPHA_ONE)) as u64
            }
        }
    }

    /// The level down to which it must come to be told to start.
    #[inline]
    pub fn start_at(&self, switch: usize, shared: u64) -> u64 {
        self.stop_above(switch, shared).saturating_sub(self.gap)
    }
}

impl<J: Journal> FrameFabric<J> {
    /// Takes a frame into the buffer, on the account of its input.
    #[inline]
    pub(super) fn admit(
        &mut self,
        now: Time,
        switch: usize,
        input: usize,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let thresholds = self.plan.frames().control.thresholds();
        let bits = u64::from(bits);
        let (state, buffer) = (&mut self.inputs[input], &mut self.switches[switch]);
        state.held += bits;
        state.peak = state.peak.max(state.held);
        buffer.hold(now, buffer.held + bits);
        let fits = buffer.shared + bits <= thresholds.shared[switch];
        if state.stopped || !fits {
            state.headroom += bits;
            state.headroom_peak = state.headroom_peak.max(state.headroom);
            let room = thresholds.headroom[state.slot as usize];
            assert!(
                state.headroom <= room,
                "a frame is lost: {} bits in a headroom of {room}",
                state.headroom
            );
        } else {
            buffer.shared += bits;
        }
        if !state.stopped && (!fits || state.held > thresholds.stop_above(switch, buffer.shared)) {
            state.stopped = true;
            state.xoffs += 1;
            self.tell(now, input, true, events);
            self.look_for_trees(now);
        }
    }

    /// A frame has left the buffer.
    #[inline]
    pub(super) fn release(
        &mut self,
        now: Time,
        input: usize,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let thresholds = self.plan.frames().control.thresholds();
        let bits = u64::from(bits);
        let state = &mut self.inputs[input];
        let (switch, _) = self.plan.slots.switch_port(state.slot);
        let buffer = &mut self.switches[switch];
        state.held -= bits;
        buffer.hold(now, buffer.held - bits);
        let from_headroom = state.headroom.min(bits);
        state.headroom -= from_headroom;
        buffer.shared -= bits - from_headroom;
        if state.stopped && state.headroom == 0 && state.held <= thresholds.start_at(switch, buffer.shared) {
            state.stopped = false;
            self.tell(now, input, false, events);
        }
    }

    /// Sends a pause frame back: after the frame under way, ahead of all others.
    fn tell(&mut self, now: Time, input: usize, stop: bool, events: &mut EventQueue<FrameEvent>) {
        let slot = self.inputs[input].slot;
        let lane = input - self.frames_plan().queue(slot, 0);
        let port = &mut self.ports[slot as usize];
        port.free_at = now.max(port.free_at) + time_of(CONTROL_BITS, port.rate);
        let (far, arrives) = (port.far, port.free_at + port.delay);
        self.schedule(events, slot, arrives, FrameEvent::Pause(far, lane as u8, stop));
    }

    /// A pause frame arrives.
    pub(super) fn paused(
        &mut self,
        now: Time,
        slot: Slot,
        lane: u8,
        stop: bool,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let index = self.frames_plan().queue(slot, usize::from(lane));
        let (queue, port) = (&mut self.queues[index], &mut self.ports[slot as usize]);
        if stop {
            queue.hold(now);
            port.held |= 1 << lane;
        } else {
            queue.free(now);
            port.held &= !(1 << lane);
            self.start(now, slot, events);
        }
    }
}
