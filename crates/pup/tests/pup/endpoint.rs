//! An endpoint beside what an Alto does on the wire, Pup by Pup, and under bytes of any kind.

use hopscope_kernel::RandomStream;
use hopscope_pup::bsp::SenderRule;
use hopscope_pup::endpoint::{Ending, Endpoint, EndpointParams, Notice, Protocol};
use hopscope_pup::wire::{
    Allocation, ErrorCode, ErrorReport, EthernetFrame, Header, PUP_TYPE, Port, Pup, RouteTold, kind,
    routes_told, write_routes,
};
use hopscope_units::{Span, Time};

const OWN: u8 = 0o42;
const ALTO: u8 = 0o101;
const SOCKET: u32 = 0o60;
const ALTOS: Port = Port { net: 1, host: ALTO, socket: 0o7777 };

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn endpoint(change: impl FnOnce(&mut EndpointParams)) -> Endpoint {
    let mut params = EndpointParams { net: 1, host: OWN, ..EndpointParams::default() };
    change(&mut params);
    Endpoint::new(params)
}

fn own(socket: u32) -> Port {
    Port { net: 1, host: OWN, socket }
}

fn pup(kind: u8, id: u32, source: Port, destination: Port, data: &[u8]) -> Vec<u8> {
    let header = Header { transport_control: 0, kind, id, destination, source };
    let mut bytes = Vec::new();
    Pup { header, data }.encode(&mut bytes).expect("it is short");
    bytes
}

fn datagram(pup: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    EthernetFrame { destination: OWN, source: ALTO, kind: PUP_TYPE, data: pup }.write_datagram(&mut bytes);
    bytes
}

/// A Pup of the Alto's comes to the endpoint.
fn hears(endpoint: &mut Endpoint, now: Time, kind: u8, id: u32, from: Port, to: u32, data: &[u8]) {
    endpoint.handle(&datagram(&pup(kind, id, from, own(to), data)), now);
}

/// Everything that the endpoint sends by this time.
fn said(endpoint: &mut Endpoint, now: Time) -> Vec<(Header, Vec<u8>)> {
    let mut found = Vec::new();
    while let Some(sent) = endpoint.poll(now) {
        let frame = EthernetFrame::of_datagram(&sent.bytes).expect("it is a frame");
        assert_eq!((frame.destination, frame.source, frame.kind), (sent.to, OWN, PUP_TYPE));
        let pup = Pup::decode(frame.data).expect("it is a Pup");
        found.push((pup.header, pup.data.to_vec()));
    }
    assert!(endpoint.next_timer().is_none_or(|next| next > now), "what is due has been sent");
    found
}

fn kinds(said: &[(Header, Vec<u8>)]) -> Vec<u8> {
    said.iter().map(|(header, _)| header.kind).collect()
}

fn notices(endpoint: &mut Endpoint) -> Vec<Notice> {
    std::iter::from_fn(|| endpoint.notice()).collect()
}

/// The Alto calls; the port of the connection that is named in the answer.
fn called(endpoint: &mut Endpoint, id: u32) -> u32 {
    endpoint.listen(SOCKET, Protocol::Stream);
    let mut contents = vec![ALTOS.net, ALTOS.host];
    contents.extend(ALTOS.socket.to_be_bytes());
    hears(endpoint, at(0), kind::RENDEZVOUS, id, ALTOS, SOCKET, &contents);
    assert_eq!(said(endpoint, at(3)), [], "the Alto is deaf for some milliseconds after it has sent");
    let answers = said(endpoint, at(4));
    let [(header, data)] = &answers[..] else { panic!("one answer: {answers:?}") };
    assert_eq!((header.kind, header.id, header.source), (kind::RENDEZVOUS, id, own(SOCKET)));
    assert_eq!(data[..2], [1, OWN]);
    let socket = u32::from_be_bytes([data[2], data[3], data[4], data[5]]);
    assert_ne!(socket, SOCKET, "the connection has a port of its own");
    assert_eq!(notices(endpoint), [Notice::Opened { conversation: socket, far: ALTOS }]);
    socket
}

/// What the acknowledgments among these Pups want, and how many Pups they allow.
fn acknowledged(said: &[(Header, Vec<u8>)]) -> Vec<(u32, u16)> {
    let acks = said.iter().filter(|(header, _)| header.kind == kind::ACK);
    acks.map(|(header, data)| (header.id, Allocation::of_data(data).expect("it allows something").pups))
        .collect()
}

#[test]
fn a_call_is_answered_from_the_port_that_was_called_and_once_more_if_repeated() {
    let mut endpoint = endpoint(|_| {});
    let socket = called(&mut endpoint, 1000);
    let mut contents = vec![ALTOS.net, ALTOS.host];
    contents.extend(ALTOS.socket.to_be_bytes());
    hears(&mut endpoint, at(2000), kind::RENDEZVOUS, 1000, ALTOS, SOCKET, &contents);
    let again = said(&mut endpoint, at(2004));
    assert_eq!((again[0].0.source, &again[0].1[2..]), (own(SOCKET), &socket.to_be_bytes()[..]));
    assert_eq!(notices(&mut endpoint), [], "it is the same connection");
}

#[test]
fn the_alto_learns_its_allocation_from_an_empty_pup_and_every_demand_is_answered() {
    let mut endpoint = endpoint(|_| {});
    let socket = called(&mut endpoint, 1000);
    hears(&mut endpoint, at(10), kind::A_DATA, 1000, ALTOS, socket, &[]);
    assert_eq!(acknowledged(&said(&mut endpoint, at(14))), [(1000, 5)]);
    // Four Data and one AData, of which the third is lost: what is not next is dropped, the demand is answered.
    for (n, kind) in [(0, kind::DATA), (1, kind::DATA), (3, kind::DATA), (4, kind::A_DATA)] {
        hears(&mut endpoint, at(20), kind, 1000 + 10 * n, ALTOS, socket, &[n as u8; 10]);
    }
    assert_eq!(acknowledged(&said(&mut endpoint, at(24))), [(1020, 5)]);
    // It sends everything again that is not acknowledged; duplicates cost nothing.
    for (n, kind) in [(1, kind::DATA), (2, kind::DATA), (3, kind::DATA), (4, kind::A_DATA)] {
        hears(&mut endpoint, at(30), kind, 1000 + 10 * n, ALTOS, socket, &[n as u8; 10]);
    }
    assert_eq!(acknowledged(&said(&mut endpoint, at(34))), [(1050, 5)]);
    let mut data = Vec::new();
    endpoint.read(socket, &mut data, at(40));
    assert_eq!(data, (0..5).flat_map(|n| [n; 10]).collect::<Vec<u8>>());
    assert_eq!((endpoint.counts().early, endpoint.counts().duplicate), (2, 1));
}

#[test]
fn nothing_is_sent_before_an_allocation_and_then_no_more_than_it_says() {
    let mut endpoint = endpoint(|_| {});
    let socket = called(&mut endpoint, 1000);
    assert_eq!(endpoint.write(socket, &[7; 1_000]), 1_000);
    let asked = said(&mut endpoint, at(10));
    assert_eq!((kinds(&asked), asked[0].0.id, asked[0].1.len()), (vec![kind::A_DATA], 1000, 0));
    let allow = |endpoint: &mut Endpoint, now, wanted, bytes_a_pup, pups, bytes| {
        let allocation = Allocation { bytes_a_pup, pups, bytes };
        hears(endpoint, now, kind::ACK, wanted, ALTOS, socket, &allocation.to_data());
    };
    // Nothing is allowed: it asks again, and sends nothing.
    allow(&mut endpoint, at(20), 1000, 532, 0, 0);
    assert!(said(&mut endpoint, at(659)).is_empty());
    let asked = said(&mut endpoint, at(660));
    assert_eq!((kinds(&asked), asked[0].1.len()), (vec![kind::A_DATA], 0));
    // Two Pups of at most 100 bytes.
    allow(&mut endpoint, at(670), 1000, 100, 2, 1_000);
    let sent = said(&mut endpoint, at(674));
    assert_eq!(kinds(&sent), [kind::DATA, kind::A_DATA]);
    assert!(sent.iter().all(|(_, data)| data.len() == 100));
    // Five Pups, and 130 bytes in all.
    allow(&mut endpoint, at(680), 1200, 100, 5, 130);
    let lengths: Vec<usize> = said(&mut endpoint, at(684)).iter().map(|(_, data)| data.len()).collect();
    assert_eq!(lengths, [100, 30]);
}

#[test]
fn a_receiver_that_is_not_read_shrinks_its_window_to_nothing_and_opens_it_again() {
    let mut endpoint = endpoint(|_| {});
    let socket = called(&mut endpoint, 0);
    let (mut next, mut allowed, mut windows) = (0u32, 5, Vec::new());
    while allowed > 0 {
        hears(&mut endpoint, at(20), kind::A_DATA, next, ALTOS, socket, &[1; 532]);
        next += 532;
        let answers = acknowledged(&said(&mut endpoint, at(24)));
        assert_eq!(answers[0].0, next);
        allowed = answers[0].1;
        windows.push(allowed);
    }
    assert!(windows.windows(2).all(|pair| pair[1] <= pair[0]) && windows.contains(&1), "{windows:?}");
    let mut data = Vec::new();
    endpoint.read(socket, &mut data, at(30));
    assert_eq!(data.len(), next as usize);
    assert_eq!(acknowledged(&said(&mut endpoint, at(34))), [(next, 5)], "it is told without being asked");
}

#[test]
fn marks_and_interrupts_are_told_and_answered() {
    let mut endpoint = endpoint(|_| {});
    let socket = called(&mut endpoint, 0);
    hears(&mut endpoint, at(20), kind::DATA, 0, ALTOS, socket, b"abc");
    hears(&mut endpoint, at(20), kind::A_MARK, 3, ALTOS, socket, &[9]);
    hears(&mut endpoint, at(20), kind::INTERRUPT, 0, ALTOS, socket, &[0, 1]);
    let answers = said(&mut endpoint, at(24));
    assert_eq!(kinds(&answers), [kind::ACK, kind::INTERRUPT_REPLY]);
    assert_eq!(answers[0].0.id, 4, "a mark takes one place among the bytes");
    let mark = Notice::Mark { conversation: socket, mark: 9, behind: 3 };
    assert_eq!(notices(&mut endpoint), [mark, Notice::Interrupt { conversation: socket }]);
    let mut data = Vec::new();
    endpoint.read(socket, &mut data, at(30));
    assert_eq!(data, b"abc");
}

#[test]
fn the_end_is_answered_and_answered_again_until_the_dally_is_over() {
    let mut endpoint = endpoint(|_| {});
    let socket = called(&mut endpoint, 77);
    for ms in [20, 2_020] {
        hears(&mut endpoint, at(ms), kind::END, 77, ALTOS, socket, &[]);
        assert_eq!(kinds(&said(&mut endpoint, at(ms + 4))), [kind::END_REPLY]);
    }
    assert_eq!(notices(&mut endpoint), [Notice::Ended { conversation: socket, how: Ending::Complete }]);
    assert_eq!(endpoint.next_timer(), Some(at(10_020)));
    hears(&mut endpoint, at(3_000), kind::END_REPLY, 77, ALTOS, socket, &[]);
    assert_eq!(said(&mut endpoint, at(3_004)), []);
    assert!(!endpoint.knows(socket), "both know: it need not dally");
}

#[test]
fn a_peer_that_vanishes_is_given_up_after_46_repeats() {
    for opened in [false, true] {
        let mut endpoint = endpoint(|_| {});
        let socket = if opened {
            let socket = called(&mut endpoint, 0);
            endpoint.write(socket, b"is anybody there?");
            socket
        } else {
            endpoint.call(Port { socket: 5, ..ALTOS }, Protocol::Stream, at(0))
        };
        let (mut now, mut sent) = (at(4), Vec::new());
        loop {
            sent.extend(said(&mut endpoint, now));
            match endpoint.next_timer() {
                Some(next) => now = next,
                None => break,
            }
        }
        assert_eq!(kinds(&sent).last(), Some(&kind::ABORT));
        assert_eq!(sent.len(), if opened { 1 + 46 + 1 } else { 46 + 1 });
        let how = Ending::NoAnswer;
        assert_eq!(notices(&mut endpoint), [Notice::Ended { conversation: socket, how }]);
        assert_eq!(endpoint.held_bytes(), 0);
    }
}

#[test]
fn a_stream_of_ours_opens_sends_and_ends() {
    let mut endpoint = endpoint(|_| {});
    let (listening, connection) = (Port { socket: 5, ..ALTOS }, Port { socket: 99, ..ALTOS });
    let socket = endpoint.call(listening, Protocol::Stream, at(0));
    endpoint.write(socket, b"hello");
    endpoint.close(socket);
    let calls = said(&mut endpoint, at(0));
    let id = calls[0].0.id;
    let mut contents = vec![1, ALTO];
    contents.extend(connection.socket.to_be_bytes());
    for _ in 0..2 {
        hears(&mut endpoint, at(10), kind::RENDEZVOUS, id, listening, socket, &contents);
    }
    let asked = said(&mut endpoint, at(14));
    assert_eq!((kinds(&asked), asked[0].0.destination), (vec![kind::A_DATA], connection));
    let allocation = Allocation { bytes_a_pup: 532, pups: 5, bytes: 2_660 }.to_data();
    hears(&mut endpoint, at(20), kind::ACK, id, connection, socket, &allocation);
    let sent = said(&mut endpoint, at(24));
    assert_eq!((kinds(&sent), &sent[0].1[..]), (vec![kind::A_DATA], &b"hello"[..]));
    hears(&mut endpoint, at(30), kind::ACK, id.wrapping_add(5), connection, socket, &allocation);
    assert_eq!(kinds(&said(&mut endpoint, at(34))), [kind::END]);
    hears(&mut endpoint, at(40), kind::END_REPLY, id, connection, socket, &[]);
    assert_eq!(kinds(&said(&mut endpoint, at(44))), [kind::END_REPLY]);
    let opened = Notice::Opened { conversation: socket, far: connection };
    assert_eq!(
        notices(&mut endpoint),
        [opened, Notice::Ended { conversation: socket, how: Ending::Complete }]
    );
}

#[test]
fn eftp_carries_a_file_block_by_block() {
    let mut receiver = endpoint(|_| {});
    receiver.listen(0o20, Protocol::Eftp);
    let from = Port { socket: 0o1234, ..ALTOS };
    let blocks: [(u8, u32, &[u8]); 5] = [
        (kind::EFTP_DATA, 0, b"abc"),
        (kind::EFTP_DATA, 0, b"abc"),
        (kind::EFTP_DATA, 1, b"def"),
        (kind::EFTP_END, 2, b""),
        (kind::EFTP_END, 3, b""),
    ];
    let mut answered = Vec::new();
    for (n, (kind, id, data)) in (0..).zip(blocks) {
        hears(&mut receiver, at(10 * n), kind, id, from, 0o20, data);
        answered
            .extend(said(&mut receiver, at(10 * n + 4)).iter().map(|(header, _)| (header.kind, header.id)));
    }
    assert_eq!(answered, [0, 0, 1, 2].map(|id| (kind::EFTP_ACK, id)));
    let mut data = Vec::new();
    receiver.read(0o20, &mut data, at(100));
    assert_eq!(data, b"abcdef");
    assert_eq!(said(&mut receiver, at(100)), []);
    assert!(!receiver.knows(0o20), "the second end spares the dally");

    let mut sender = endpoint(|_| {});
    let socket = sender.call(Port { socket: 0o20, ..ALTOS }, Protocol::Eftp, at(0));
    sender.write(socket, &[1; 600]);
    sender.close(socket);
    let mut sent = Vec::new();
    for n in 0..4 {
        let now = at(10 + 10 * n);
        sent.extend(said(&mut sender, now).iter().map(|(header, data)| (header.kind, header.id, data.len())));
        hears(&mut sender, now, kind::EFTP_ACK, n as u32, Port { socket: 0o20, ..ALTOS }, socket, &[]);
    }
    let expected = [(kind::EFTP_DATA, 0, 532), (kind::EFTP_DATA, 1, 68), (kind::EFTP_END, 2, 0)];
    assert_eq!(sent[..3], expected);
    assert_eq!(sent[3], (kind::EFTP_END, 3, 0));
}

#[test]
fn a_withdrawn_route_is_gone_at_once() {
    let mut endpoint = endpoint(|_| {});
    let gateway = Port { net: 1, host: ALTO, socket: kind::GATEWAY_SOCKET };
    for (hops, known) in [(0, true), (15, false), (16, false), (2, true), (16, false)] {
        let mut data = Vec::new();
        write_routes(&[RouteTold { net: 9, gateway_net: 1, gateway_host: ALTO, hops }], &mut data);
        let information = kind::GATEWAY_INFORMATION;
        hears(&mut endpoint, at(0), information, 1, gateway, kind::GATEWAY_SOCKET, &data);
        assert_eq!(endpoint.routes(at(0)).iter().any(|told| told.net == 9), known, "{hops} hops");
    }
}

#[test]
fn a_gateway_tells_its_network_when_asked_and_every_thirty_seconds() {
    let mut gateway = endpoint(|params| params.gateway = true);
    let first = said(&mut gateway, at(0));
    assert_eq!((kinds(&first), first[0].0.destination.host), (vec![kind::GATEWAY_INFORMATION], 0));
    hears(&mut gateway, at(10), kind::GATEWAY_REQUEST, 1, ALTOS, kind::GATEWAY_SOCKET, &[]);
    let answer = said(&mut gateway, at(14));
    let told = pup(answer[0].0.kind, 1, answer[0].0.source, ALTOS, &answer[0].1);
    let told: Vec<_> = routes_told(&Pup::decode(&told).expect("it is a Pup")).collect();
    assert_eq!(told, [RouteTold { net: 1, gateway_net: 1, gateway_host: OWN, hops: 0 }]);
    assert_eq!(gateway.next_timer(), Some(at(30_000)));
    assert_eq!(kinds(&said(&mut gateway, at(30_000))), [kind::GATEWAY_INFORMATION]);
}

#[test]
fn what_is_wrong_with_a_datagram_is_counted_and_padding_is_not_wrong() {
    let mut endpoint = endpoint(|_| {});
    let echo = pup(kind::ECHO_ME, 5, ALTOS, own(kind::ECHO_SOCKET), b"hello");
    let mut padded = echo.clone();
    padded.extend([0xEE; 60]);
    endpoint.handle(&datagram(&padded), at(0));
    let answer = said(&mut endpoint, at(4));
    assert_eq!((answer[0].0.kind, &answer[0].1[..]), (kind::I_AM_AN_ECHO, &b"hello"[..]));
    let mut spoiled = echo.clone();
    spoiled[20] ^= 1;
    endpoint.handle(&datagram(&spoiled), at(5));
    let mut lies = echo;
    lies[1] += 40;
    endpoint.handle(&datagram(&lies), at(5));
    endpoint.handle(&[0, 99, OWN, ALTO, 2, 0], at(5));
    endpoint.handle(&[], at(5));
    hears(&mut endpoint, at(5), kind::DATA, 5, ALTOS, 4711, b"hello");
    let counts = endpoint.counts();
    assert_eq!((counts.datagrams, counts.malformed, counts.bad_checksums), (6, 3, 1));
    assert_eq!((counts.no_such_socket, counts.echoed), (1, 1));
    let answer = said(&mut endpoint, at(10));
    let bytes = pup(answer[0].0.kind, 0, ALTOS, ALTOS, &answer[0].1);
    let report = ErrorReport::of(&Pup::decode(&bytes).expect("it is a Pup")).expect("it is a report");
    assert_eq!((report.code, report.about.id), (ErrorCode::NoSuchSocket, 5));
}

#[test]
fn an_abort_ends_a_file_on_its_way() {
    let mut sender = endpoint(|_| {});
    let far = Port { socket: 0o20, ..ALTOS };
    let socket = sender.call(far, Protocol::Eftp, at(0));
    sender.write(socket, &[1; 600]);
    said(&mut sender, at(0));
    hears(&mut sender, at(10), kind::EFTP_ABORT, 0, far, socket, b"no room");
    assert!(notices(&mut sender).contains(&Notice::Ended { conversation: socket, how: Ending::Aborted }));
}

#[test]
fn an_echo_that_was_not_delivered_is_told() {
    let mut endpoint = endpoint(|_| {});
    let echo = pup(kind::ECHO_ME, 5, own(kind::ECHO_SOCKET), ALTOS, b"hello");
    let mut report = Vec::new();
    assert!(ErrorReport::write(&echo, ErrorCode::NoSuchSocket, ALTOS, &mut report));
    endpoint.handle(&datagram(&report), at(0));
    let told = notices(&mut endpoint);
    assert!(
        matches!(&told[..], [Notice::Undelivered(report)] if report.code == ErrorCode::NoSuchSocket),
        "{told:?}"
    );
}

#[test]
fn an_error_pup_ends_a_call_to_nobody() {
    let mut endpoint = endpoint(|_| {});
    let nobody = Port { socket: 4711, ..ALTOS };
    let socket = endpoint.call(nobody, Protocol::Stream, at(0));
    let call = said(&mut endpoint, at(0)).remove(0);
    let lost = pup(call.0.kind, call.0.id, call.0.source, call.0.destination, &call.1);
    let mut report = Vec::new();
    assert!(ErrorReport::write(&lost, ErrorCode::NoSuchSocket, nobody, &mut report));
    endpoint.handle(&datagram(&report), at(10));
    let ended = Notice::Ended { conversation: socket, how: Ending::NoSuchSocket };
    assert!(notices(&mut endpoint).contains(&ended));
}

/// A datagram of no sense, of little, or of much.
fn any_datagram(random: &mut RandomStream, sockets: &[u32]) -> Vec<u8> {
    let bytes = |length: u64, random: &mut RandomStream| -> Vec<u8> {
        (0..length).map(|_| random.below(256) as u8).collect()
    };
    if random.below(4) == 0 {
        let length = random.below(700);
        return bytes(length, random);
    }
    let kinds = [1, 2, 4, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 128, 129, 77];
    let kind = kinds[random.below(kinds.len() as u64) as usize];
    let socket = sockets[random.below(sockets.len() as u64) as usize];
    let length = [0, 1, 6, 24, 300, 532][random.below(6) as usize];
    let mut data = bytes(length, random);
    if length == 6 {
        data = vec![1, ALTO, 0, 0, 0, random.below(40) as u8];
    }
    let from = Port { socket: random.below(40) as u32, ..ALTOS };
    let id = [0, 1, 532, 1_064, u32::MAX][random.below(5) as usize];
    let mut datagram = datagram(&pup(kind, id, from, own(socket), &data));
    if random.below(8) == 0 {
        let at = random.below(datagram.len() as u64) as usize;
        datagram[at] ^= 1 << random.below(8);
    }
    datagram
}

/// Floods an endpoint with datagrams; the most bytes that it ever held.
fn flood(seed: u64, datagrams: u64) -> usize {
    let mut random = RandomStream::named(seed, "datagrams", 0);
    let rules = [SenderRule::Clump, SenderRule::Burst, SenderRule::Sliding];
    let mut endpoint = endpoint(|params| {
        params.gateway = seed.is_multiple_of(2);
        params.sender = rules[seed as usize % 3];
    });
    let mut sockets = vec![2, 5, SOCKET, 0o20, 4711];
    endpoint.listen(SOCKET, Protocol::Stream);
    endpoint.listen(0o20, Protocol::Eftp);
    let (mut now, mut most) = (at(0), 0);
    for n in 0..datagrams {
        now += Span::from_us(random.below(3_000));
        endpoint.handle(&any_datagram(&mut random, &sockets), now);
        // A driver that lags behind, and a user who seldom looks.
        for _ in 0..random.below(4) {
            endpoint.poll(now);
        }
        if n % 64 == 0 {
            while let Some(notice) = endpoint.notice() {
                if let Notice::Opened { conversation, .. } = notice {
                    sockets.truncate(20);
                    sockets.insert(5, conversation);
                    endpoint.write(conversation, &[7; 4_000]);
                }
            }
            now += Span::from_ms(random.below(3_000));
        }
        if n % 1_000 == 0 {
            let far = Port { socket: random.below(40) as u32, ..ALTOS };
            let socket = endpoint.call(far, Protocol::Stream, now);
            endpoint.write(socket, &[7; 4_000]);
            let mut data = Vec::new();
            sockets.iter().for_each(|&socket| endpoint.read(socket, &mut data, now));
        }
        most = most.max(endpoint.held_bytes());
    }
    assert_eq!(endpoint.counts().datagrams, datagrams);
    most
}

/// What 16 conversations hold at most, and as many calls of our own as may be open, and the queues.
const BOUND: usize = 64 * 3 * 65_536 + 512 * 554;

#[test]
fn any_bytes_cost_a_count_and_never_a_panic_or_memory() {
    for seed in 0..6 {
        let most = flood(seed, 20_000);
        assert!((10_000..BOUND).contains(&most), "{most} bytes");
    }
}

#[cfg(feature = "long")]
#[test]
fn ten_million_datagrams_of_any_bytes_cost_no_memory() {
    for seed in 0..10 {
        assert!(flood(seed, 1_000_000) < BOUND);
    }
}
