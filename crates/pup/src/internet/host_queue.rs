//! What of a stream still stands in a queue of its own machine. Nothing is sent again while its last copy has not left: the copy would
//! only make the queue longer, and with it the round trip that the timeout is measured by, without end.

use hopscope_kernel::EventQueue;
use hopscope_measure::Journal;
use hopscope_units::Time;

use super::{Event, Internet};
use crate::bsp::SenderRule;
use crate::observe::Tap;

/// A Pup of a stream, told apart from the stream's other ones that may stand in the same queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Data, by the number of the first byte.
    Data(u32),
    /// A demand without data.
    Probe,
    /// The call, or the request for an end.
    Call,
    /// The receiver's acknowledgment.
    Acknowledgment,
}

impl<J: Journal, T: Tap> Internet<J, T> {
    /// A Pup of a stream is about to be queued in its own machine.
    pub(crate) fn stand(&mut self, stream: u32, packet: u32, what: Standing) {
        self.packets[packet].standing = Some((stream, what));
        self.streams[stream as usize].standing.push(what);
    }

    /// A Pup leaves a queue. Where it was in its own machine, what was held back on its account may follow.
    pub(crate) fn has_left(&mut self, now: Time, packet: u32, queue: &mut EventQueue<Event>) {
        let Some((stream, what)) = self.packets[packet].standing.take() else { return };
        let at = &mut self.streams[stream as usize];
        let place = at.standing.iter().position(|&other| other == what).expect("it stood there");
        at.standing.remove(place);
        if at.standing.contains(&what) {
            return;
        }
        if what == Standing::Acknowledgment {
            if std::mem::take(&mut at.answer_held_back) {
                self.turn_around(now, stream, queue);
            }
        } else if std::mem::take(&mut at.held_back) {
            at.ordered = now;
            self.press_on(now, stream, queue);
        }
    }

    /// Whether the demand that a stream's timer runs for has not even left its machine, so that nobody can have answered it.
    pub(crate) fn demand_stands(&self, stream: u32) -> bool {
        let at = &self.streams[stream as usize];
        match self.plan.params.stream.sender {
            SenderRule::Sliding => at.standing.contains(&Standing::Data(at.sender.unacknowledged())),
            // A demand is the last of its clump.
            SenderRule::Clump | SenderRule::Burst => {
                at.standing.iter().any(|what| matches!(what, Standing::Data(_) | Standing::Probe))
            }
        }
    }
}
