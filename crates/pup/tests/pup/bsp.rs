//! Byte streams over a network that loses, duplicates, corrupts and reorders real Pups.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hopscope_pup::bsp::{ByteStreamReceiver, ByteStreamSender, ReceiverRule, SenderRule};
use hopscope_pup::wire::{Allocation, Header, Port, Pup, kind};
use hopscope_units::{Span, Time};
use proptest::prelude::*;

use crate::shared::rules;

/// What the network does to one Pup.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Corrupted(u16),
    Delayed(u16),
    Twice(u16),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Arrives),
        2 => Just(Fate::Lost),
        1 => any::<u16>().prop_map(Fate::Corrupted),
        3 => (0u16..3_000).prop_map(Fate::Delayed),
        1 => (0u16..9_000).prop_map(Fate::Twice),
    ]
}

/// A Pup under way: when it arrives in ms, its number, whether it goes to the receiver, its bytes.
type UnderWay = (u64, usize, bool, Vec<u8>);

/// A network in both directions: after the list of fates has run out, every Pup arrives.
struct Network {
    fates: Vec<Fate>,
    sent: usize,
    under_way: BinaryHeap<Reverse<UnderWay>>,
}

impl Network {
    fn send(&mut self, now_ms: u64, forward: bool, kind: u8, id: u32, data: &[u8]) {
        let port = Port { net: 1, host: 1, socket: 1 };
        let header = Header { transport_control: 0, kind, id, destination: port, source: port };
        let mut bytes = Vec::new();
        Pup { header, data }.encode(&mut bytes).expect("it fits");
        let fate = self.fates.get(self.sent).copied().unwrap_or(Fate::Arrives);
        self.sent += 1;
        let arrival = |delay: u16| now_ms + 10 + u64::from(delay);
        match fate {
            Fate::Lost => return,
            Fate::Corrupted(bit) => {
                // A flaw of the design lets a checksum turn into "no checksum"; the last word is spared.
                let bit = usize::from(bit) % ((bytes.len() - 2) * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            Fate::Twice(later) => {
                self.under_way.push(Reverse((arrival(later), self.sent + 1_000_000, forward, bytes.clone())));
            }
            Fate::Arrives | Fate::Delayed(_) => {}
        }
        let delay = if let Fate::Delayed(ms) = fate { ms } else { 0 };
        self.under_way.push(Reverse((arrival(delay), self.sent, forward, bytes)));
    }
}

/// Sends the content as a stream of such Pups; what the receiver's user gets, and how long it took in ms.
fn transfer(
    rules: (SenderRule, ReceiverRule),
    window: u16,
    first: u32,
    content: &[u8],
    pup: usize,
    fates: Vec<Fate>,
) -> (Vec<u8>, u64) {
    let mut sender = ByteStreamSender::new(rules.0, window, first);
    let mut receiver = ByteStreamReceiver::new(rules.1, window, first);
    let mut network = Network { fates, sent: 0, under_way: BinaryHeap::new() };
    let (mut got, mut now_ms) = (Vec::new(), 0);
    let mut pups = content.chunks(pup);
    let mut left = pups.len();
    while left > 0 || !sender.idle() {
        let now = Time::ZERO + Span::from_ms(now_ms);
        while left > 0 && sender.room() {
            sender.write(pups.next().expect("some are left"));
            left -= 1;
        }
        if left == 0 {
            sender.flush();
        }
        while let Some(transmit) = sender.poll(now) {
            let mut data = Vec::new();
            sender.copy_data(&transmit, &mut data);
            network.send(now_ms, true, transmit.kind(), transmit.sequence, &data);
        }
        let deadline = sender.deadline().map(|at| at.since(Time::ZERO).ps() / 1_000_000_000);
        let arrival = network.under_way.peek().map(|Reverse((at, ..))| *at);
        now_ms =
            deadline.into_iter().chain(arrival).min().expect("a stream that is not over never just waits");
        sender.time_out(Time::ZERO + Span::from_ms(now_ms));
        let due = |Reverse((at, ..)): &Reverse<UnderWay>| *at <= now_ms;
        if let Some(Reverse((_, _, forward, bytes))) =
            network.under_way.peek().filter(|next| due(next)).cloned()
        {
            network.under_way.pop();
            let Ok(Pup { header, data }) = Pup::decode(&bytes) else { continue };
            if forward {
                receiver.data(header.id, data, |_, data| got.extend_from_slice(data));
                if header.kind == kind::A_DATA {
                    let (wanted, allocation) = receiver.acknowledge();
                    network.send(now_ms, false, kind::ACK, wanted, &allocation.to_data());
                }
            } else {
                let allocation = Allocation::of_data(data).expect("an acknowledgment allows something");
                sender.acknowledged(Time::ZERO + Span::from_ms(now_ms), header.id, allocation);
            }
        }
        assert!(now_ms < 100_000_000, "the stream makes no progress");
    }
    (got, now_ms)
}

proptest! {
    #[test]
    fn streams_are_reliable_and_in_order(
        rules in rules(),
        window in 1u16..12,
        first: u32,
        content in prop::collection::vec(any::<u8>(), 1..6_000),
        pup in 1usize..=532,
        fates in prop::collection::vec(fate(), 0..200),
    ) {
        let content = &content[..content.len().min(pup * 60)];
        let (got, _) = transfer(rules, window, first, content, pup, fates);
        prop_assert!(got == content, "{} bytes came of {}", got.len(), content.len());
    }
}

#[test]
fn a_perfect_network_takes_one_round_trip_a_clump() {
    let content: Vec<u8> = (0..100 * 50).map(|n| n as u8).collect();
    let rules = (SenderRule::Clump, ReceiverRule::InOrder);
    assert_eq!(transfer(rules, 5, 0, &content, 50, Vec::new()), (content, 20 * 20));
}

#[test]
fn a_pup_out_of_order_costs_the_rest_of_the_clump() {
    let mut sender = ByteStreamSender::new(SenderRule::Clump, 5, 0);
    let now = Time::ZERO;
    assert_eq!(
        filled(&mut sender, now),
        [(0, false, false), (10, false, false), (20, false, false), (30, false, false), (40, true, false)]
    );
    let (_, allocation) = ByteStreamReceiver::new(ReceiverRule::InOrder, 5, 0).acknowledge();
    assert_eq!(sender.acknowledged(now, 20, allocation), 2);
    assert_eq!(polled(&mut sender, now), [(20, false, true), (30, false, true), (40, true, true)]);
    assert_eq!(sender.acknowledged(now, 50, allocation), 3);
    assert!(sender.idle() && sender.room());
}

/// What a sender sends now: first byte, whether it demands an acknowledgment, whether it was sent before.
fn polled(sender: &mut ByteStreamSender, now: Time) -> Vec<(u32, bool, bool)> {
    std::iter::from_fn(|| sender.poll(now)).map(|t| (t.sequence, t.demand, t.again)).collect()
}

/// Writes Pups of ten bytes while there is room; what the sender sends then.
fn filled(sender: &mut ByteStreamSender, now: Time) -> Vec<(u32, bool, bool)> {
    while sender.room() {
        sender.write(&[7; 10]);
    }
    polled(sender, now)
}

#[test]
fn a_sliding_window_moves_with_every_acknowledgment_and_repeats_only_the_oldest() {
    let now = Time::ZERO;
    let (_, allocation) = ByteStreamReceiver::new(ReceiverRule::KeepAll, 3, 0).acknowledge();
    let mut sender = ByteStreamSender::new(SenderRule::Sliding, 3, 0);
    assert_eq!(filled(&mut sender, now), [(0, true, false), (10, true, false), (20, true, false)]);
    assert_eq!(sender.acknowledged(now, 10, allocation), 1);
    assert_eq!(filled(&mut sender, now), [(30, true, false)], "one place was free");
    // The Pup of byte 10 is late: the others are acknowledged without it, three times.
    for _ in 0..2 {
        assert_eq!(sender.acknowledged(now, 10, allocation), 0);
        assert_eq!(polled(&mut sender, now), [], "it may only be late");
    }
    assert_eq!(sender.acknowledged(now, 10, allocation), 0);
    assert_eq!(polled(&mut sender, now), [(10, true, true)], "it is lost");
    assert_eq!(sender.acknowledged(now, 40, allocation), 3, "the receiver has kept the others");
    assert!(sender.idle());
    assert_eq!(filled(&mut sender, now).len(), 3);
    let deadline = sender.deadline().expect("Pups are outstanding");
    sender.time_out(deadline);
    assert_eq!(polled(&mut sender, deadline), [(40, true, true)], "at the timeout, the oldest again");
}

#[test]
fn a_sliding_window_never_waits_where_the_round_trip_fits_into_it() {
    let content: Vec<u8> = (0..100 * 50).map(|n| n as u8).collect();
    let rules = (SenderRule::Sliding, ReceiverRule::KeepAll);
    // Every Pup is sent at once when one is acknowledged: with 5 of them a round trip, 100 take 20 round trips of 20
    // ms. A clump takes as long here, where a network has no rate: what it loses is the time in which the pipe is
    // empty.
    assert_eq!(transfer(rules, 5, 0, &content, 50, Vec::new()), (content, 20 * 20));
}

#[test]
fn the_bcpl_sender_repeats_what_went_before_its_demand_and_fills_the_window() {
    let now = Time::ZERO;
    let (_, allocation) = ByteStreamReceiver::new(ReceiverRule::Keep, 4, 0).acknowledge();
    let mut sender = ByteStreamSender::new(SenderRule::Burst, 4, 0);
    assert_eq!(filled(&mut sender, now).last(), Some(&(30, true, false)));
    assert_eq!(sender.acknowledged(now, 20, allocation), 2);
    let burst = [(20, false, true), (30, false, true), (40, false, false), (50, true, false)];
    assert_eq!(filled(&mut sender, now), burst, "old and new in one burst, one demand at its end");
}

#[test]
fn refusals_shrink_the_window_and_ten_good_clumps_widen_it() {
    let mut sender = ByteStreamSender::new(SenderRule::Clump, 5, 0);
    let (_, allocation) = ByteStreamReceiver::new(ReceiverRule::InOrder, 5, 0).acknowledge();
    for _ in 0..9 {
        sender.refused();
    }
    assert_eq!(sender.limit(), 1, "one Pup is always allowed");
    let mut clumps = 0;
    while sender.limit() < 3 {
        while sender.room() {
            sender.write(&[1]);
        }
        let last = std::iter::from_fn(|| sender.poll(Time::ZERO)).last().expect("a clump");
        assert!(last.demand);
        sender.acknowledged(Time::ZERO, last.sequence + 1, allocation);
        clumps += 1;
    }
    assert_eq!(clumps, 20);
}
