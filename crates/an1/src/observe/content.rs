//! The content of a buffer at an instant, for its exact mean over a window.
//!
//! Packets are counted when they leave, since most runs have millions. Those inside at the end of the warm-up or of the
//! run are added then.

use hopscope_fabric::{NO_SLOT, Slot};
use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::machine::An1;
use crate::packet::NO_PACKET;
use crate::switch::fifo_entries::{FifoEntry, NO_ENTRY};
use crate::switch::input_fifo::InputFifo;

impl<J: Journal> An1<J> {
    /// The time, not yet counted, that the data of all packets in the buffer of a slot have spent there. `input` is
    /// that of the slot, settled.
    pub(crate) fn unbooked(&self, input: &InputFifo, slot: Slot, now: Time) -> i128 {
        if self.plan.slots.is_host(slot) {
            return 0;
        }
        let is_purged =
            |packet| self.control.as_ref().is_some_and(|control| control.purges.contains_key(&packet));
        let mut unbooked = self.unbooked_in_pool(input, slot, now);
        if input.head != NO_PACKET && !is_purged(input.head) {
            unbooked += self.unbooked_head(input, now);
        }
        let mut place = input.next;
        while place != NO_ENTRY {
            let FifoEntry { packet, next, first_in } = self.entries[place];
            unbooked += input.unbooked(self.packets[packet].length(), first_in, next == NO_ENTRY, now);
            place = next;
        }
        unbooked
    }

    /// The same for the packet at the head.
    pub(crate) fn unbooked_head(&self, input: &InputFifo, now: Time) -> i128 {
        let length = self.packets[input.head].length();
        let came = input.unbooked(length, input.head_first_in, input.head_is_newest, now);
        if input.out == NO_SLOT {
            return came;
        }
        let is_paused = self.outputs[input.out as usize].is_paused;
        let since = is_paused.then(|| self.pauses[input.out as usize].since());
        came + input.unbooked_sent(length, since, now)
    }

    /// The same for packets in a pool.
    fn unbooked_in_pool(&self, input: &InputFifo, slot: Slot, now: Time) -> i128 {
        let Some(pool) = self.pools.get(input.switch as usize) else { return 0 };
        let lane = usize::from(self.switches[input.switch as usize].port(slot));
        let each = pool.lanes[lane].iter().map(|one| {
            let length = self.packets[one.packet].length();
            input.unbooked(length, one.first_in, pool.is_newest(lane, one.packet), now)
        });
        each.sum()
    }
}
