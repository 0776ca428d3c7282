//! A Pup host between a user and a wire, both of whom do whatever the bytes say.

use hopscope_pup::endpoint::{Endpoint, EndpointParams, Notice, Protocol};
use hopscope_pup::wire::{EthernetFrame, Header, MOST_DATA, PUP_TYPE, Port, Pup};
use hopscope_units::{Span, Time};

const OWN: Port = Port { net: 1, host: 1, socket: 0 };
const FAR: Port = Port { net: 1, host: 2, socket: 0 };
/// Sockets for calls: routing, echo, a stream's, a transfer's.
const SOCKETS: [u32; 4] = [2, 5, 100, 0o20];
/// What conversations, calls and queues hold at most (see the tests of the endpoint).
const MOST_HELD: usize = 64 * 3 * 65_536 + 512 * 554;

/// Bytes as a script of datagrams, times and what the user does.
pub fn endpoints(bytes: &[u8]) {
    let Some((&first, mut script)) = bytes.split_first() else { return };
    let params = EndpointParams { net: 1, gateway: first.is_multiple_of(2), ..EndpointParams::default() };
    let mut endpoint = Endpoint::new(params);
    endpoint.listen(SOCKETS[2], Protocol::Stream);
    endpoint.listen(SOCKETS[3], Protocol::Eftp);
    let (mut now, mut sockets, mut read) = (Time::ZERO, SOCKETS.to_vec(), Vec::new());
    while let Some((&[what, how, which], rest)) = script.split_first_chunk() {
        script = rest;
        let socket = sockets[usize::from(which) % sockets.len()];
        let (data, rest) = script.split_at(script.len().min(usize::from(how)));
        match what % 8 {
            0 => {
                endpoint.handle(data, now);
                script = rest;
            }
            1..=3 => {
                endpoint.handle(&sent(what / 8, how, Port { socket, ..OWN }, data), now);
                script = rest;
            }
            4 => now += Span::from_ms(u64::from(how) * u64::from(which) + 1),
            5 => {
                endpoint.write(socket, &vec![how; usize::from(which) * 16]);
                endpoint.read(socket, &mut read, now);
                read.clear();
            }
            6 if how < 64 => endpoint.close(socket),
            6 if how < 96 => endpoint.abort(socket, now),
            6 => sockets.push(endpoint.call(Port { socket, ..FAR }, Protocol::Stream, now)),
            _ => endpoint.ask_echo(Port { socket, ..FAR }, u32::from(how), data, now),
        }
        let polls = usize::from(which % 4);
        (0..polls).for_each(|_| drop(endpoint.poll(now)));
        while let Some(notice) = endpoint.notice() {
            if let Notice::Opened { conversation, .. } = notice {
                sockets.push(conversation);
            }
        }
        assert!(endpoint.held_bytes() <= MOST_HELD, "memory without end");
    }
}

/// A datagram with a Pup whose checksum is right.
fn sent(kind: u8, id: u8, destination: Port, data: &[u8]) -> Vec<u8> {
    let header = Header {
        transport_control: 0,
        kind,
        id: u32::from(id),
        destination,
        source: Port { socket: 7, ..FAR },
    };
    let (mut pup, mut datagram) = (Vec::new(), Vec::new());
    let data = &data[..data.len().min(MOST_DATA)];
    Pup { header, data }.encode(&mut pup).expect("it fits");
    let (destination, source) = (destination.host, FAR.host);
    EthernetFrame { destination, source, kind: PUP_TYPE, data: &pup }.write_datagram(&mut datagram);
    datagram
}
