//! The data that links sent within the measured window.
//!
//! A packet is counted when its last byte has left, since most runs have millions. For packets in transmission when the
//! window begins and ends, the data sent so far is added then.

use hopscope_fabric::{ManyNanobits, NANOBITS, NO_SLOT, Nanobits, Slot, sent_within};
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::machine::An1;

impl<J: Journal> An1<J> {
    /// The data that an output has sent since the measurement began.
    pub(crate) fn sent_in_window(&self, output: Slot, now: Time) -> ManyNanobits {
        let before = self.sent_before[output as usize];
        sent_within(self.outputs[output as usize].bits, self.sent_of_packet(output, now), before)
    }

    /// The measurement begins: keeps what packets in transmission have sent before.
    pub(crate) fn keep_sent(&mut self, now: Time) {
        for output in 0..self.outputs.len() {
            self.sent_before[output] = self.sent_of_packet(output as Slot, now);
        }
    }

    /// The data that the packet which holds an output has sent by now.
    fn sent_of_packet(&self, output: Slot, now: Time) -> Nanobits {
        let out = &self.outputs[output as usize];
        if out.holder == NO_SLOT {
            return 0;
        }
        if self.an1.params.switch.discipline.queues_at_outputs() && !self.plan.slots.is_host(out.holder) {
            // Nothing stops a packet that leaves an output queue.
            return u64::from(out.rate) * now.since(out.held_since).ps();
        }
        let mut input = self.inputs[out.holder as usize].clone();
        if input.out == NO_SLOT {
            // It waits for other outputs, or has been destroyed.
            return 0;
        }
        input.settle(now);
        self.packets[input.head].length() - input.tx_left
    }

    /// The data that the links which show the carried load have sent in the window, without what is not a message.
    pub(crate) fn carried(&self, now: Time) -> ManyNanobits {
        let sent: ManyNanobits = self.plan.carrying().map(|output| self.sent_in_window(output, now)).sum();
        sent - i128::from(self.tally.apart_bits) * i128::from(NANOBITS)
    }

    /// Acknowledgments, and copies that their own sender discards, are not part of the carried load.
    pub(crate) fn count_apart(&mut self, to: u32, bits: u32) {
        if self.plan.shows_carried[to as usize] {
            self.tally.apart_bits += u64::from(bits);
        }
    }
}
