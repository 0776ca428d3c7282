//! Hosts that take nothing from their IMP.
//!
//! BBN Report 1822 as changed by RFC 394, and the program's listing. A host that does not take a packet for 30 s is
//! tardy: its IMP discards what it holds for it (type 9, subtype 0), and answers for what comes later that the host is
//! dead (type 7).

use hopscope_measure::Journal;
use hopscope_units::{Span, Time};

use crate::protocol::message_order::Place;
use crate::protocol::packet::Fate;
use crate::protocol::stage::Phase;
use crate::subnet::host::Output;
use crate::subnet::{Queue, Subnet};

/// The time limit for a host to accept a packet: 30 s (RFC 394).
const TARDY_AFTER: Span = Span::from_s(30);

impl<J: Journal> Subnet<J> {
    /// Whether an IMP has declared a host dead.
    pub(super) fn is_dead(&self, now: Time, host: u32) -> bool {
        now < self.hosts[host as usize].dead_until
    }

    /// When a host has taken what its IMP begins to send now and what takes this long, and whether it is too tardy for
    /// that: then it is when the IMP loses patience.
    pub(super) fn taken_at(&self, now: Time, host: u32, length: Span) -> (Time, bool) {
        let Some(until) = self.plan.hosts[host as usize].silent_until(now) else {
            return (now + length, false);
        };
        if until > now + TARDY_AFTER { (now + TARDY_AFTER, true) } else { (until + length, false) }
    }

    /// A host has not taken a packet for 30 s: everything that its IMP holds for it is discarded, and it is dead until
    /// it takes something again.
    pub(super) fn host_is_tardy(&mut self, now: Time, host: u32, queue: &mut Queue) {
        let until = self.plan.hosts[host as usize].silent_until(now).unwrap_or(now);
        let h = &mut self.hosts[host as usize];
        h.dead_until = until;
        let (serving, replies) = (h.serving.take(), std::mem::take(&mut h.replies));
        let messages = std::mem::take(&mut h.output);
        match serving {
            Some((Output::Rfnm(message), _)) => self.finish_unheard(now, message, queue),
            Some((Output::Message(message), 0)) => self.not_taken(now, message, Fate::Tardy),
            Some((Output::Message(message), _)) => {
                // Its RFNM went when the host had the first packet.
                self.discard_packets(now, message);
                self.end(message);
            }
            None => {}
        }
        for &message in &messages {
            self.not_taken(now, message, Fate::Tardy);
        }
        for message in replies {
            self.finish_unheard(now, message, queue);
        }
        let imp = self.plan.hosts[host as usize].imp;
        let first = serving.and_then(|(item, index)| match item {
            Output::Message(message) if index == 0 => Some(message),
            _ => None,
        });
        for message in first.into_iter().chain(messages) {
            let sequence = self.messages[message].sequence;
            self.reply(now, sequence, queue);
        }
        self.serve_waiting(now, imp, queue);
        self.released(now, imp, queue);
    }

    /// The destination's host does not take a message that is complete there.
    pub(super) fn not_taken(&mut self, now: Time, message: u32, fate: Fate) {
        self.discard_packets(now, message);
        self.messages[message].fate = fate;
        self.advance_phase(now, message, Phase::ReplyWait);
        let (sequence, number) = (self.messages[message].sequence, self.messages[message].number);
        self.sequences[sequence as usize].order.set(number, Place::Lost(message));
        self.end(message);
    }

    /// Packets of a message that are in the destination's reassembly buffers are discarded.
    fn discard_packets(&mut self, now: Time, message: u32) {
        let m = &mut self.messages[message];
        let (held, phase, dest) = (u64::from(std::mem::take(&mut m.buffers)), m.phase, m.dest);
        let imp = &mut self.imps[usize::from(dest)];
        imp.reassembly.empty(now, held, phase);
        imp.buffers.release(now, held);
    }

    /// A message's reply finds its host dead.
    pub(super) fn finish_unheard(&mut self, now: Time, message: u32, queue: &mut Queue) {
        if self.messages[message].fate == Fate::Delivered {
            self.messages[message].fate = Fate::Unheard;
        }
        self.finish(now, message, queue);
    }
}
