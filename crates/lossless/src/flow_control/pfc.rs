//! Pause frames (PFC, IEEE 802.1Qbb): the buffer content of each input and priority, when its sender is paused, and
//! what the sender does.

use hopscope_fabric::{Slot, time_of};
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::FrameEvent;
use crate::machine::Lossless;

/// The bits of a pause frame on the link: 64 bytes (IEEE 802.3, annex 31B).
pub(crate) const CONTROL_BITS: u64 = 64 * 8;

impl<J: Journal> Lossless<J> {
    /// Takes a frame into the buffer, and counts it for its input.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        now: Time,
        switch: usize,
        input: usize,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let thresholds = self.lossless.frames.control.thresholds();
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
            self.tell(now, input, events);
            self.look_for_trees(now);
        }
    }

    /// A frame has left the buffer.
    #[inline]
    pub(crate) fn release(
        &mut self,
        now: Time,
        input: usize,
        bits: u32,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let thresholds = self.lossless.frames.control.thresholds();
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
            self.tell(now, input, events);
        }
    }

    /// Sends a pause frame back: after the frame that the link carries or is about to carry, ahead of all others.
    ///
    /// A pause frame carries the state at its beginning. So at most one of each priority waits, and none is delayed by
    /// older ones of its priority.
    fn tell(&mut self, now: Time, input: usize, events: &mut EventQueue<FrameEvent>) {
        if std::mem::replace(&mut self.inputs[input].tells, true) {
            return;
        }
        let slot = self.inputs[input].slot;
        let port = &mut self.ports[slot as usize];
        let followed = &mut self.followed[slot as usize];
        if port.busy && *followed <= now {
            *followed = port.free_at;
        }
        let takes = time_of(CONTROL_BITS, port.rate);
        let between = if port.busy { self.degraded.between_transmissions(slot, now, takes) } else { None };
        let begins = between.unwrap_or(now.max(port.free_at));
        port.free_at = begins.max(port.free_at) + takes;
        if begins == now {
            self.told(now, input as u32, events);
        } else {
            self.schedule(events, slot, begins, FrameEvent::Tell(input as u32));
        }
    }

    /// A pause frame begins: it carries the present state.
    pub(crate) fn told(&mut self, now: Time, input: u32, events: &mut EventQueue<FrameEvent>) {
        let input = input as usize;
        let state = &mut self.inputs[input];
        state.tells = false;
        let (slot, stop) = (state.slot, state.stopped);
        state.xoffs += u32::from(stop);
        let lane = input - self.frames_plan().queue(slot, 0);
        self.send_pause(now, slot, lane as u8, stop, events);
    }

    /// Sends a pause frame over a port's own link: it arrives after its transmission and propagation.
    pub(crate) fn send_pause(
        &mut self,
        now: Time,
        slot: Slot,
        lane: u8,
        stop: bool,
        events: &mut EventQueue<FrameEvent>,
    ) {
        let port = &self.ports[slot as usize];
        let (far, arrives) = (port.far, now + time_of(CONTROL_BITS, port.rate) + port.delay);
        self.schedule(events, slot, arrives, FrameEvent::Pause(far, lane, stop));
    }

    /// A pause frame arrives.
    pub(crate) fn paused(
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
