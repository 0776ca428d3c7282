//! What of a stream still stands in a queue of its own machine. Nothing is sent again while its last copy has not left: the copy would
//! only make the queue longer, and with it the round trip that the timeout is measured by, without end.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::bsp::StreamPup;
use crate::observe::Tap;

impl<J: Journal, T: Tap> Internet<J, T> {
    /// A Pup of a stream is about to be queued in its own machine.
    pub(crate) fn enter_host_queue(&mut self, stream: u32, packet: u32, what: StreamPup) {
        self.packets[packet].in_host_queue = Some((stream, what));
        self.streams[stream as usize].in_host_queue.push(what);
    }

    /// A Pup leaves a queue. Where it was in its own machine, what was held back on its account may follow.
    pub(crate) fn left_host_queue(&mut self, now: Time, packet: u32, queue: &mut EventQueue<Event>) {
        let Some((stream, what)) = self.packets[packet].in_host_queue.take() else { return };
        let at = &mut self.streams[stream as usize];
        let place = at.in_host_queue.iter().position(|&other| other == what).expect("it stood there");
        at.in_host_queue.remove(place);
        if at.in_host_queue.contains(&what) {
            return;
        }
        if what == StreamPup::Acknowledgment {
            if std::mem::take(&mut at.answer_held_back) {
                self.turn_around(now, stream, queue);
            }
        } else if std::mem::take(&mut at.held_back) {
            at.ordered = now;
            self.press_on(now, stream, queue);
        }
    }

    /// Whether the demand that a stream's timer runs for has not even left its machine, so that nobody can have answered it.
    pub(crate) fn demand_in_host_queue(&self, stream: u32) -> bool {
        let at = &self.streams[stream as usize];
        at.sender.demand_is_among(&at.in_host_queue)
    }
}
