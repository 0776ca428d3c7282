//! How the life of a message ends: its host has the reply, T(7), or it was lost; and when everything is over.

use hopscope_measure::Journal;
use hopscope_units::{Data, Time};

use crate::observe::statistics::{HostRoundTrip, Series};
use crate::protocol::packet::{Fate, Message};
use crate::scenario::params::Version;
use crate::subnet::{Queue, Subnet};

/// T(1) to T(7) of one message (RFC 619), kept for a reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptInstants {
    pub message: u64,
    /// Nothing: a message of others.
    pub class: Option<u8>,
    pub from: u32,
    pub to: u32,
    pub instants: [Time; 7],
}

impl<J: Journal> Subnet<J> {
    /// A message's reply has been taken by its source host: T(7).
    pub(super) fn finish(&mut self, now: Time, message: u32, queue: &mut Queue) {
        let m = &self.messages[message];
        let (sequence, observed, fate) = (m.sequence, m.observed, m.fate);
        if fate != Fate::Blocked {
            self.statistics.last_delivery = now;
        }
        if fate == Fate::Delivered {
            self.finish_delivered(now, message);
        } else {
            self.statistics.lost(fate);
            if observed {
                self.monitor.given_up(now);
            }
        }
        self.end(message);
        if self.plan.params.protocol.version == Version::Three {
            self.sequences[sequence as usize].users -= 1;
            self.review_blocks(now, sequence, queue);
        }
    }

    /// Counts a message that has arrived, and keeps its instants where its journey is kept.
    fn finish_delivered(&mut self, now: Time, message: u32) {
        let m = &self.messages[message];
        let (times, observed) = (m.times, m.observed);
        let instants =
            [m.account.born(), times.tabled, times.queued, times.complete, times.replied, times.arrived, now];
        if self.journal.keeps(m.serial) {
            let class = observed.then_some(m.class);
            let kept = KeptInstants { message: m.serial, class, from: m.from, to: m.to, instants };
            self.instants.push(kept);
        }
        if !observed {
            return;
        }
        let bits = Data::from_bits(u64::from(m.bits));
        let round_trip = times.arrived.since(times.tabled);
        self.monitor.delivered(now, usize::from(m.class), round_trip, &m.account, bits);
        self.monitor.went(m.from, m.to, &m.account);
        for (series, pair) in instants.windows(2).enumerate() {
            self.monitor.sample(now, series, pair[1].since(pair[0]));
        }
        if let Some(tables) = &mut self.site_tables {
            tables.count(now, &self.plan, &self.messages[message], &instants);
        }
        let from_last_bit = now.since(times.last_bit);
        let from_first_bit = now.since(times.first_bit);
        self.monitor.sample(now, Series::FROM_FIRST_BIT, from_first_bit);
        self.monitor.sample(now, Series::FROM_LAST_BIT, from_last_bit);
        let Message { hops, class, .. } = self.messages[message];
        let took = HostRoundTrip { class, from_first_bit, from_last_bit };
        self.statistics.delivered(now, took, bits.bits(), hops);
    }

    /// One of the two ends of a message's life, its delivery and its reply, is over; with both it is forgotten.
    pub(super) fn end(&mut self, message: u32) {
        let ends = &mut self.messages[message].open_ends;
        *ends -= 1;
        if *ends == 0 {
            self.messages.remove(message);
        }
    }

    /// Whether all hosts have ceased to send, all that they sent has arrived, and no control message is or will be in
    /// transit: routing goes on until then, because a packet could be in a loop.
    pub(crate) fn is_over(&self, now: Time) -> bool {
        now >= self.sources.end
            && self.messages.is_empty()
            && self.packets.is_empty()
            && self.imps.iter().all(|imp| imp.allocations.is_empty())
    }
}
