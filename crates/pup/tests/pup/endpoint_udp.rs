//! Two endpoints over UDP on the loopback interface, with loss, reordering and duplication made between them.
//!
//! The datagrams pass through real sockets; the clock is the test's own, which jumps to the next thing that can happen,
//! so that a thousand streams with all their timeouts take seconds and come out the same every time.

use std::net::UdpSocket;

use hopscope_kernel::RandomStream;
use hopscope_pup::bsp::{ReceiverRule, SenderRule};
use hopscope_pup::endpoint::{Ending, Endpoint, EndpointParams, Notice, Protocol};
use hopscope_pup::wire::Port;
use hopscope_units::{Span, Time};

const SOCKET: u32 = 0o1000;

/// An endpoint with its socket, and what is under way to it.
struct Side {
    endpoint: Endpoint,
    socket: UdpSocket,
    /// When each datagram arrives, in the order of sending.
    under_way: Vec<(Time, u64)>,
    /// The datagrams themselves wait here once they have come through the socket.
    datagrams: std::collections::BTreeMap<u64, Vec<u8>>,
}

impl Side {
    fn new(host: u8, sender: SenderRule, receiver: ReceiverRule) -> Self {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).expect("the loopback interface has a free port");
        let params =
            EndpointParams { net: 1, host, sender, receiver, conversations: 64, ..EndpointParams::default() };
        Self {
            endpoint: Endpoint::new(params),
            socket,
            under_way: Vec::new(),
            datagrams: std::collections::BTreeMap::new(),
        }
    }

    fn next(&self) -> Option<Time> {
        let arrival = self.under_way.iter().map(|(at, _)| *at).min();
        arrival.into_iter().chain(self.endpoint.next_timer()).min()
    }
}

/// What the network between them does to datagrams, out of a thousand.
#[derive(Clone, Copy)]
struct Trouble {
    lost: u64,
    delayed: u64,
    doubled: u64,
}

/// Sends what `from` has to say through the sockets.
fn carry(from: &mut Side, to: &mut Side, now: Time, random: &mut RandomStream, trouble: Trouble) {
    while let Some(datagram) = from.endpoint.poll(now) {
        let address = to.socket.local_addr().expect("it is bound");
        from.socket.send_to(&datagram.bytes, address).expect("the loopback interface takes it");
        let mut bytes = vec![0; 2_000];
        let (length, _) = to.socket.recv_from(&mut bytes).expect("it has come through");
        bytes.truncate(length);
        assert_eq!(bytes, datagram.bytes);
        if random.below(1_000) < trouble.lost {
            continue;
        }
        let copies = 1 + u64::from(random.below(1_000) < trouble.doubled);
        for _ in 0..copies {
            let late = if random.below(1_000) < trouble.delayed { random.below(400) } else { 0 };
            let number = to.datagrams.last_key_value().map_or(0, |(last, _)| last + 1);
            to.datagrams.insert(number, bytes.clone());
            to.under_way.push((now + Span::from_ms(1 + late), number));
        }
    }
}

/// Hands over what arrives by now.
fn arrive(side: &mut Side, now: Time) {
    side.under_way.sort_unstable();
    while let Some(&(_, number)) = side.under_way.first().filter(|(at, _)| *at <= now) {
        side.under_way.remove(0);
        let bytes = side.datagrams.remove(&number).expect("it came through the socket");
        side.endpoint.handle(&bytes, now);
    }
}

/// One side's part in the streams that are under way: what each is to send, and what has come.
#[derive(Default)]
struct Part {
    /// By conversation: what is still to be written.
    to_write: std::collections::BTreeMap<u32, Vec<u8>>,
    got: std::collections::BTreeMap<u32, Vec<u8>>,
    ended: u64,
}

impl Part {
    fn press_on(&mut self, endpoint: &mut Endpoint, now: Time) {
        for (&conversation, left) in &mut self.to_write {
            let taken = endpoint.write(conversation, left);
            left.drain(..taken);
        }
        for (&conversation, got) in &mut self.got {
            endpoint.read(conversation, got, now);
        }
    }
}

fn content(stream: u64, length: u64) -> Vec<u8> {
    let mut random = RandomStream::named(stream, "content", length);
    (0..length).map(|_| random.below(256) as u8).collect()
}

/// `count` streams, one after the other, each both ways: the caller ends it when it has the answer. Returns the
/// simulated time that it took.
fn streams(rule: SenderRule, receiver: ReceiverRule, count: u64, trouble: Trouble) -> Span {
    let mut near = Side::new(1, rule, receiver);
    let mut far = Side::new(2, rule, receiver);
    far.endpoint.listen(SOCKET, Protocol::Stream);
    let mut random = RandomStream::named(17, "trouble", count);
    let mut now = Time::ZERO;
    for stream in 0..count {
        let (there, back) =
            (content(stream, 200 + random.below(6_000)), content(stream + 1, 1 + random.below(4_000)));
        let (mut caller, mut called) = (Part::default(), Part::default());
        let conversation =
            near.endpoint.call(Port { net: 1, host: 2, socket: SOCKET }, Protocol::Stream, now);
        caller.to_write.insert(conversation, there.clone());
        caller.got.insert(conversation, Vec::new());
        while caller.ended == 0 || called.ended == 0 {
            for (side, part) in [(&mut near, &mut caller), (&mut far, &mut called)] {
                arrive(side, now);
                while let Some(notice) = side.endpoint.notice() {
                    match notice {
                        Notice::Opened { conversation, .. } if part.got.is_empty() => {
                            part.to_write.insert(conversation, back.clone());
                            part.got.insert(conversation, Vec::new());
                        }
                        Notice::Ended { how, .. } => {
                            assert_eq!(how, Ending::Complete, "stream {stream}");
                            part.ended += 1;
                        }
                        _ => {}
                    }
                }
                part.press_on(&mut side.endpoint, now);
            }
            if caller.got[&conversation].len() == back.len() {
                near.endpoint.close(conversation);
            }
            carry(&mut near, &mut far, now, &mut random, trouble);
            carry(&mut far, &mut near, now, &mut random, trouble);
            let next =
                near.next().into_iter().chain(far.next()).min().expect("a stream that is not over waits");
            now = now.max(next);
            assert!(now < Time::ZERO + Span::from_s(3_000_000), "stream {stream} makes no progress");
        }
        assert!(caller.got[&conversation] == back, "stream {stream} back");
        assert!(called.got.values().all(|got| *got == there), "stream {stream} there");
    }
    now.since(Time::ZERO)
}

#[test]
fn a_thousand_streams_arrive_byte_by_byte_both_ways_by_three_rules() {
    let trouble = Trouble { lost: 50, delayed: 80, doubled: 30 };
    for (rule, receiver, count) in [
        (SenderRule::Clump, ReceiverRule::InOrder, 340),
        (SenderRule::Burst, ReceiverRule::Keep, 330),
        (SenderRule::Sliding, ReceiverRule::KeepAll, 330),
    ] {
        streams(rule, receiver, count, trouble);
    }
}

#[test]
fn without_trouble_streams_take_no_timeouts() {
    let calm = Trouble { lost: 0, delayed: 0, doubled: 0 };
    let took = streams(SenderRule::Clump, ReceiverRule::InOrder, 20, calm);
    // A call, the question for the allocation, at most four clumps each way, an end: a round trip each, with pauses.
    assert!(took < Span::from_ms(20 * 30 * 10), "{took}");
}
