//! One direction of a line between two IMPs: acknowledgment channels, odd/even bits, retransmission and line
//! priorities.
//!
//! Every line has eight logical channels. A packet takes one when it is queued for the line and keeps it until the next
//! IMP has acknowledged it, so that queued and unacknowledged packets are never more than eight: the "output queue of
//! 8" of Kleinrock and Opderbeck, section III. Each channel alternates an odd/even bit; the eight bits that the
//! receiver last accepted ride back in every packet. [`Sender::next`] describes the priorities.

use hopscope_units::{Span, Time};

/// Logical channels of a line.
pub const CHANNELS: u8 = 8;

/// Where the packet of a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    /// Queued for its first transmission.
    Queued,
    /// Sent, and not yet seen by the receiver.
    Flying,
    /// In the hands of the receiver, which may still refuse it.
    There,
    /// Lost on the line or refused: to be sent again.
    Back,
}

#[derive(Clone, Copy, Debug)]
struct Channel {
    state: State,
    packet: u32,
    bits: u16,
    sent: Time,
}

/// Channel numbers in the order in which they were queued.
#[derive(Clone, Copy, Debug, Default)]
struct ChannelQueue {
    order: [u8; CHANNELS as usize],
    len: u8,
}

impl ChannelQueue {
    #[inline]
    fn push(&mut self, channel: u8) {
        self.order[usize::from(self.len)] = channel;
        self.len += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<u8> {
        if self.len == 0 {
            return None;
        }
        let first = self.order[0];
        self.order.copy_within(1..usize::from(self.len), 0);
        self.len -= 1;
        Some(first)
    }
}

/// What a line sends next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// A routing message.
    Routing,
    /// The packet of this channel, again.
    Again(u8),
    /// The packet of this channel, for the first time.
    First(u8),
    /// A null packet, which carries acknowledgments only.
    Null,
}

/// The sending end of one direction of a line.
#[derive(Clone, Debug)]
pub struct Sender {
    channels: [Channel; CHANNELS as usize],
    /// The odd/even bit of each channel's present packet.
    parity: u8,
    /// One bit a channel: those that are free, and those whose packet is in the hands of the receiver.
    free: u8,
    there: u8,
    replies: ChannelQueue,
    data: ChannelQueue,
    /// No packet that is not acknowledged was sent before this.
    sent_since: Time,
    /// The next channel to be examined for retransmission.
    examined: u8,
    /// A routing message is to be sent.
    pub routing_due: bool,
    /// Something has been accepted in the other direction that no packet has acknowledged yet.
    pub acknowledgment_owed: bool,
}

impl Sender {
    /// An idle sender.
    #[must_use]
    pub fn new() -> Self {
        Self {
            channels: [Channel { state: State::Free, packet: 0, bits: 0, sent: Time::ZERO };
                CHANNELS as usize],
            parity: 0,
            free: u8::MAX,
            there: 0,
            replies: ChannelQueue::default(),
            data: ChannelQueue::default(),
            sent_since: Time::NEVER,
            examined: 0,
            routing_due: false,
            acknowledgment_owed: false,
        }
    }

    /// Channels in use: packets queued or not yet acknowledged.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> u8 {
        CHANNELS - self.free.count_ones() as u8
    }

    /// Whether anything but a retransmission is to be sent.
    #[inline]
    #[must_use]
    pub const fn has_more(&self) -> bool {
        self.has_waiting() || self.acknowledgment_owed
    }

    /// Whether a routing message or a packet is to be sent for the first time.
    #[inline]
    #[must_use]
    pub const fn has_waiting(&self) -> bool {
        self.routing_due || self.replies.len > 0 || self.data.len > 0
    }

    /// The length on the line of the packet of a channel.
    #[must_use]
    pub const fn bits(&self, channel: u8) -> u16 {
        self.channels[channel as usize].bits
    }

    /// Whether the packet of a channel has been sent before.
    #[must_use]
    pub fn was_sent(&self, channel: u8) -> bool {
        self.channels[usize::from(channel)].state != State::Queued
    }

    /// Queues a packet on a free channel; replies go before data. Panics where none is free: an error of the model.
    #[inline]
    pub fn enqueue(&mut self, packet: u32, bits: u16, reply: bool) {
        assert!(self.free != 0, "a packet is queued only where a channel is free");
        let channel = self.free.trailing_zeros() as u8;
        self.channels[usize::from(channel)] =
            Channel { state: State::Queued, packet, bits, sent: Time::ZERO };
        self.parity ^= 1 << channel;
        self.free &= !(1 << channel);
        if reply { self.replies.push(channel) } else { self.data.push(channel) }
    }

    /// What goes out now: a routing message before a retransmission that is due, that before replies, those before
    /// data, and a null packet only where there is nothing else. One channel is examined for retransmission at each
    /// opportunity, all where the line would be idle.
    #[inline]
    pub fn next(&mut self, now: Time, timeout: Span) -> Option<Dispatch> {
        if self.routing_due {
            return Some(Dispatch::Routing);
        }
        if self.free == u8::MAX {
            return self.acknowledgment_owed.then_some(Dispatch::Null);
        }
        let idle = self.replies.len == 0 && self.data.len == 0;
        let examined = if idle { CHANNELS } else { 1 };
        if self.is_overdue(now, timeout) {
            for _ in 0..examined {
                let channel = self.examined;
                self.examined = (channel + 1) % CHANNELS;
                if self.overdue(channel, now, timeout) {
                    return Some(Dispatch::Again(channel));
                }
            }
        } else {
            self.examined = (self.examined + examined) % CHANNELS;
        }
        let first = self.replies.pop().or_else(|| self.data.pop()).map(Dispatch::First);
        first.or_else(|| self.acknowledgment_owed.then_some(Dispatch::Null))
    }

    /// Whether any packet is overdue: seldom, so that the channels need not be looked at one by one.
    #[inline]
    pub fn is_overdue(&mut self, now: Time, timeout: Span) -> bool {
        let is_due = |since: Time| since < Time::NEVER && since + timeout <= now;
        is_due(self.sent_since) && {
            self.look_for_oldest();
            is_due(self.sent_since)
        }
    }

    /// Finds out when the first packet was sent that is not acknowledged.
    fn look_for_oldest(&mut self) {
        let sent = self.channels.iter().filter(|c| !matches!(c.state, State::Free | State::Queued));
        self.sent_since = sent.map(|channel| channel.sent).min().unwrap_or(Time::NEVER);
    }

    fn overdue(&self, channel: u8, now: Time, timeout: Span) -> bool {
        let Channel { state, sent, .. } = self.channels[usize::from(channel)];
        !matches!(state, State::Free | State::Queued) && sent + timeout <= now
    }

    /// When the next retransmission is due, if nothing is acknowledged before; nothing where that is not before
    /// `until`.
    #[must_use]
    pub fn next_timeout(&mut self, timeout: Span, until: Time) -> Option<Time> {
        let due = |since: Time| (since < Time::NEVER).then(|| since + timeout).filter(|&due| due < until);
        due(self.sent_since)?;
        self.look_for_oldest();
        due(self.sent_since)
    }

    /// The packet of a channel is being sent until `end`. Returns it where its life goes on here, which it does not
    /// where an earlier transmission is still under way or in the receiver's hands.
    #[inline]
    pub fn sent(&mut self, channel: u8, end: Time, lost: bool) -> Option<u32> {
        let entry = &mut self.channels[usize::from(channel)];
        assert!(entry.state != State::Free, "a channel without a packet sends");
        entry.sent = end;
        self.sent_since = self.sent_since.min(end);
        let here = matches!(entry.state, State::Queued | State::Back);
        if here {
            entry.state = if lost { State::Back } else { State::Flying };
        }
        here.then_some(entry.packet)
    }

    /// The odd/even bit that the packet of a channel carries.
    #[must_use]
    pub const fn parity(&self, channel: u8) -> bool {
        self.parity >> channel & 1 == 1
    }

    /// A packet of this channel and odd/even bit has come to the receiver. Returns it unless it is a duplicate.
    #[inline]
    pub fn arrived(&mut self, channel: u8, parity: bool) -> Option<u32> {
        let current = self.parity(channel) == parity;
        let entry = &mut self.channels[usize::from(channel)];
        if !current || !matches!(entry.state, State::Flying | State::Back) {
            return None;
        }
        entry.state = State::There;
        self.there |= 1 << channel;
        Some(entry.packet)
    }

    /// Whether this packet of a channel is in the hands of the receiver.
    #[inline]
    #[must_use]
    pub const fn is_there(&self, channel: u8, packet: u32) -> bool {
        self.there >> channel & 1 == 1 && self.channels[channel as usize].packet == packet
    }

    /// The receiver has refused the packet of a channel.
    pub fn refused(&mut self, channel: u8) {
        let entry = &mut self.channels[usize::from(channel)];
        assert!(entry.state == State::There, "refused what had not come");
        entry.state = State::Back;
        self.there &= !(1 << channel);
    }

    /// Whether a packet is in transit to the receiver, or at the receiver and not yet accepted.
    #[must_use]
    pub fn has_under_way(&self, receiver: Receiver) -> bool {
        (0..CHANNELS).any(|channel| match self.channels[usize::from(channel)].state {
            State::Flying => true,
            State::There => !receiver.has(channel, self.parity(channel)),
            State::Free | State::Queued | State::Back => false,
        })
    }

    /// The line is dead: every channel becomes free, and the packets come back that the receiver has not accepted.
    /// Nothing may be under way.
    pub fn withdraw(&mut self, receiver: Receiver) -> Vec<u32> {
        assert!(!self.has_under_way(receiver), "a packet is still on a dead line");
        let back: Vec<u32> = (0..CHANNELS)
            .filter(|&channel| {
                let state = self.channels[usize::from(channel)].state;
                matches!(state, State::Queued | State::Back)
            })
            .map(|channel| self.channels[usize::from(channel)].packet)
            .collect();
        *self = Self { parity: receiver.bits(), examined: self.examined, ..Self::new() };
        back
    }

    /// Takes the receiver's odd/even bits. Returns how many channels they release.
    #[inline]
    pub fn acknowledged(&mut self, bits: u8) -> u8 {
        let released = self.there & !(bits ^ self.parity);
        let mut rest = released;
        while rest != 0 {
            self.channels[rest.trailing_zeros() as usize].state = State::Free;
            rest &= rest - 1;
        }
        self.there &= !released;
        self.free |= released;
        released.count_ones() as u8
    }
}

impl Default for Sender {
    fn default() -> Self {
        Self::new()
    }
}

/// The receiving end of one direction of a line: the odd/even bits that it has last accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receiver(u8);

impl Receiver {
    /// Whether a packet of this channel and odd/even bit has been accepted before.
    #[must_use]
    pub const fn has(self, channel: u8, parity: bool) -> bool {
        (self.0 >> channel & 1 == 1) == parity
    }

    /// Accepts the packet of a channel.
    pub fn accept(&mut self, channel: u8) {
        self.0 ^= 1 << channel;
    }

    /// The bits that ride back in every packet.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TIMEOUT: Span = Span::from_ms(125);

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn priorities_of_the_line() {
        let mut sender = Sender::new();
        sender.enqueue(1, 1176, false);
        assert_eq!(sender.next(at(0), TIMEOUT), Some(Dispatch::First(0)));
        sender.sent(0, at(24), true);
        for (packet, reply) in [(2, false), (3, true)] {
            sender.enqueue(packet, 1176, reply);
        }
        (sender.routing_due, sender.acknowledgment_owed) = (true, true);
        assert_eq!(sender.next(at(200), TIMEOUT), Some(Dispatch::Routing));
        sender.routing_due = false;
        sender.examined = 0;
        assert_eq!(sender.next(at(200), TIMEOUT), Some(Dispatch::Again(0)));
        sender.sent(0, at(224), false);
        assert_eq!(sender.next(at(224), TIMEOUT), Some(Dispatch::First(2)));
        assert_eq!(sender.next(at(227), TIMEOUT), Some(Dispatch::First(1)));
        assert_eq!(sender.next(at(250), TIMEOUT), Some(Dispatch::Null));
    }

    #[test]
    fn a_duplicate_of_an_earlier_packet_is_not_taken_for_the_next() {
        let (mut sender, mut receiver) = (Sender::new(), Receiver::default());
        sender.enqueue(7, 1176, false);
        let first = sender.parity(0);
        assert_eq!(sender.next(at(0), TIMEOUT), Some(Dispatch::First(0)));
        assert_eq!(sender.sent(0, at(24), false), Some(7));
        assert_eq!(sender.sent(0, at(180), false), None); // again, too early: the first one still flies
        assert_eq!(sender.arrived(0, first), Some(7));
        receiver.accept(0);
        assert_eq!(sender.acknowledged(receiver.bits()), 1);
        sender.enqueue(8, 1176, false);
        assert_eq!(sender.sent(0, at(210), false), Some(8));
        assert_eq!(sender.arrived(0, first), None);
        assert!(receiver.has(0, first) && !receiver.has(0, sender.parity(0)));
    }

    #[test]
    fn what_a_dead_line_has_not_brought_comes_back() {
        let (mut sender, mut receiver) = (Sender::new(), Receiver::default());
        (1..=3).for_each(|packet| sender.enqueue(packet, 1176, false));
        let parity = sender.parity(0);
        sender.next(at(0), TIMEOUT);
        sender.sent(0, at(24), false);
        assert!(sender.has_under_way(receiver));
        assert_eq!(sender.arrived(0, parity), Some(1));
        assert!(sender.has_under_way(receiver));
        receiver.accept(0);
        sender.next(at(24), TIMEOUT);
        sender.sent(1, at(48), true);
        assert!(!sender.has_under_way(receiver));
        assert_eq!(sender.withdraw(receiver), [2, 3]);
        sender.enqueue(4, 1176, false);
        assert!((0..CHANNELS).all(|channel| receiver.has(channel, sender.parity(channel)) == (channel > 0)));
    }

    proptest! {
        /// Whatever is lost, refused or acknowledged late: every packet is accepted exactly once.
        #[test]
        fn every_packet_is_accepted_once(fates in prop::collection::vec(0u8..4, 1..600)) {
            let (mut sender, mut receiver) = (Sender::new(), Receiver::default());
            let (mut queued, mut accepted, mut ms) = (0, Vec::new(), 0);
            for fate in fates {
                ms += 30;
                if sender.occupied() < CHANNELS {
                    sender.enqueue(queued, 1176, fate == 1);
                    queued += 1;
                }
                let next = sender.next(at(ms), TIMEOUT);
                let Some(Dispatch::First(channel) | Dispatch::Again(channel)) = next else { continue };
                let parity = sender.parity(channel);
                sender.sent(channel, at(ms), fate == 0);
                if fate > 0 && let Some(packet) = sender.arrived(channel, parity) {
                    prop_assert!(!receiver.has(channel, parity));
                    if fate == 2 {
                        sender.refused(channel);
                    } else {
                        receiver.accept(channel);
                        accepted.push(packet);
                    }
                }
                if fate == 3 {
                    sender.acknowledged(receiver.bits());
                }
            }
            accepted.sort_unstable();
            prop_assert!(accepted.windows(2).all(|pair| pair[0] < pair[1]), "{accepted:?}");
            prop_assert!(accepted.len() + usize::from(CHANNELS) >= queued as usize);
        }
    }
}
