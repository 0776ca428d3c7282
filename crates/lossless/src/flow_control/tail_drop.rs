//! Tail drop: no flow control. A switch discards a frame whose output queue is full, or trims its payload.

use hopscope_fabric::Slot;
use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::event::FrameEvent;
use crate::flow_control::Control;
use crate::flow_control::pfc::CONTROL_BITS;
use crate::flow_control::thresholds::ALPHA_ONE;
use crate::frame::HEADER_SERVICE;
use crate::losses::Lost;
use crate::machine::Lossless;
use crate::params::{BufferParams, DropParams};

/// The length of a trimmed frame: its header, as long as a pause frame.
pub(crate) const HEADER_BITS: u64 = CONTROL_BITS;

/// When a frame is discarded; amounts are bits.
#[derive(Clone, Debug)]
pub(crate) struct TailDrop {
    /// The buffer of a switch.
    pub size: u64,
    /// The limit of a queue.
    queue: u64,
    /// The limit of a queue as a multiple of the free buffer, in parts of [`ALPHA_ONE`].
    alpha: Option<u64>,
    /// Whether payloads are trimmed instead.
    trims: bool,
}

impl TailDrop {
    pub fn new(params: &DropParams, buffer: &BufferParams) -> Self {
        Self {
            size: buffer.size.bits(),
            queue: params.queue.map_or(u64::MAX, hopscope_units::Data::bits),
            alpha: buffer.alpha.map(|alpha| (alpha * ALPHA_ONE as f64) as u64),
            trims: params.trimming,
        }
    }

    /// Whether this many bits have room in a queue and in the buffer.
    fn has_room(&self, bits: u64, queued: u64, held: u64) -> bool {
        let free = self.size.saturating_sub(held);
        let share = self.alpha.map_or(u64::MAX, |alpha| {
            u64::try_from(u128::from(free) * u128::from(alpha) / u128::from(ALPHA_ONE)).unwrap_or(u64::MAX)
        });
        bits <= free && queued + bits <= self.queue.min(share)
    }
}

impl<J: Journal> Lossless<J> {
    /// Whether the buffer for an output accepts a frame, whole or as a header. Otherwise it is lost.
    pub(crate) fn gets_in(
        &mut self,
        now: Time,
        switch: usize,
        (input, output, frame): (usize, Slot, u32),
        events: &mut EventQueue<FrameEvent>,
    ) -> bool {
        let Control::TailDrop(limits) = &self.lossless.frames.control else { return true };
        let state = &mut self.frames[frame];
        let plan = &self.lossless.frames;
        let held = self.switches[switch].held;
        let queued = |service: u8| self.queues[plan.queue(output, usize::from(plan.lane(service, 0)))].bits;
        let has_room = |bits: u64, service: u8| limits.has_room(bits, queued(service), held);
        if !has_room(u64::from(state.bits), state.service) {
            let can_trim =
                limits.trims && state.service != HEADER_SERVICE && u64::from(state.bits) > HEADER_BITS;
            if !can_trim || !has_room(HEADER_BITS, HEADER_SERVICE) {
                self.lose(now, frame, (Lost::QueueFull, output), events);
                return false;
            }
            (state.bits, state.service) = (HEADER_BITS as u32, HEADER_SERVICE);
            self.losses.count(Lost::Trimmed, output);
        }
        let bits = u64::from(self.frames[frame].bits);
        let (state, buffer) = (&mut self.inputs[input], &mut self.switches[switch]);
        state.held += bits;
        state.peak = state.peak.max(state.held);
        buffer.hold(now, buffer.held + bits);
        true
    }

    /// A frame has left the buffer.
    pub(crate) fn leaves(&mut self, now: Time, input: usize, bits: u32) {
        let state = &mut self.inputs[input];
        state.held -= u64::from(bits);
        let (switch, _) = self.plan.slots.switch_port(state.slot);
        let buffer = &mut self.switches[switch];
        buffer.hold(now, buffer.held - u64::from(bits));
    }
}
