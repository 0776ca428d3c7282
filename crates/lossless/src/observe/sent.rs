//! The data that links sent within the measured window.
//!
//! A frame is counted when it begins to leave, since most runs have millions. For frames in transmission when the
//! window begins and ends, the data still to be sent is subtracted then.

use hopscope_fabric::{ManyNanobits, NANOBITS, Nanobits, Slot, sent_within, time_of};
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::machine::Lossless;

/// What the frame under way at a port has still to send.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StillToSend {
    /// Data of the transmission that succeeds.
    frame: Nanobits,
    /// Data of the transmissions that fail before.
    in_vain: Nanobits,
}

impl<J: Journal> Lossless<J> {
    /// The data that a port has sent since the measurement began, without transmissions that failed.
    pub(crate) fn sent_in_window(&self, slot: Slot, now: Time) -> ManyNanobits {
        let (before, after) = (self.counted_before.to_send(slot), self.still_to_send(slot, now));
        sent_within(self.ports[slot as usize].bits, before.frame, after.frame)
    }

    /// The data that it has sent since then in transmissions that failed.
    pub(crate) fn in_vain_in_window(&self, slot: Slot, now: Time) -> ManyNanobits {
        let (before, after) = (self.counted_before.to_send(slot), self.still_to_send(slot, now));
        sent_within(self.degraded.failed_bits(slot), before.in_vain, after.in_vain)
    }

    /// What the frame under way at a port has still to send.
    pub(crate) fn still_to_send(&self, slot: Slot, now: Time) -> StillToSend {
        let port = &self.ports[slot as usize];
        if !port.busy {
            return StillToSend::default();
        }
        // Pause frames sent after the frame occupy the link for longer.
        let followed = self.followed[slot as usize];
        let ends = if followed > now { followed } else { port.free_at };
        let left = ends.saturating_since(now);
        let rate = u64::from(port.rate);
        let frame = (rate * left.ps()).min(u64::from(port.sending) * NANOBITS);
        let failing = &self.frames_plan().degraded.failing;
        let in_vain = if failing.contains_key(&slot) {
            let once = time_of(u64::from(port.sending), port.rate);
            rate * left.ps().saturating_sub(once.ps())
        } else {
            0
        };
        StillToSend { frame, in_vain }
    }

    /// The data that the links which show the carried load have sent in the window, without what hosts did not take.
    pub(crate) fn carried(&self, now: Time) -> ManyNanobits {
        let sent: ManyNanobits = self.plan.carrying().map(|slot| self.sent_in_window(slot, now)).sum();
        sent - i128::from(self.tally.passed_over_bits) * i128::from(NANOBITS)
    }
}
