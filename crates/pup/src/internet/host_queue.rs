//! What of a stream still stands in a queue of its own machine. Nothing is sent again while its last copy has not left:
//! the copy would only make the queue longer, and with it the round trip that the timeout is measured by, without end.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::bsp::StreamPup;
use crate::observe::Tap;
use crate::puptest::HeldBack;

impl<J: Journal, T: Tap> Internet<J, T> {
    /// A Pup of a stream is about to be queued in its own machine.
    pub(super) fn enter_host_queue(&mut self, stream: u32, packet: u32, pup: StreamPup) {
        self.packets[packet].in_host_queue = Some((stream, pup));
        self.streams[stream as usize].enters_host_queue(pup);
    }

    /// A Pup leaves a queue. Where it was in its own machine, what was held back on its account may follow.
    pub(super) fn left_host_queue(&mut self, now: Time, packet: u32, queue: &mut EventQueue<Event>) {
        let Some((stream, pup)) = self.packets[packet].in_host_queue.take() else { return };
        match self.streams[stream as usize].left_host_queue(now, pup) {
            Some(HeldBack::Acknowledgment) => self.turn_around(now, stream, queue),
            Some(HeldBack::Pup) => self.press_on(now, stream, queue),
            None => {}
        }
    }
}
