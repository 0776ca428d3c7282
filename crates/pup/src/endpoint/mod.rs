//! A Pup host that talks to others on a real wire, without a socket or a clock of its own.
//!
//! The caller of an [`Endpoint`] passes it each datagram with the time ([`handle`](Endpoint::handle)), sends what
//! [`poll`](Endpoint::poll) gives until that is nothing, and comes back at [`next_timer`](Endpoint::next_timer) at the
//! latest. Times are those of any clock that does not run backwards. Datagrams are those of the emulators of the Alto
//! ([`EthernetFrame`]). It echoes, speaks the byte stream protocol and EFTP, receives and sends routes, and reports
//! what it cannot deliver. No datagram can exhaust it: every queue and buffer in it has a limit.

mod connection;
mod conversation;
mod counts;
mod eftp;
mod notice;
mod outgoing;
mod patience;
mod routes;
mod sockets;

use std::collections::{BTreeMap, VecDeque};

use hopscope_units::{Span, Time};

use crate::bsp::{ReceiverRule, SenderRule};
use crate::stations::RoutingTable;
use crate::wire::{EthernetFrame, Header, PUP_TYPE, Port, Pup, kind, read_header};
use connection::Connection;
use conversation::Conversation;
use eftp::EftpSender;
use notice::Effects;
use outgoing::{Outgoing, Waiting};

pub use conversation::Protocol;
pub use counts::Counts;
pub use notice::{Ending, Notice};

/// The most notices that wait for the user; further ones are counted and forgotten.
const MOST_NOTICES: usize = 256;

/// What an endpoint is, and how it behaves.
#[derive(Clone, Debug)]
pub struct EndpointParams {
    /// The network it is on; 0 where it does not know, and learns it from the first gateway that sends its routes.
    pub net: u8,
    /// Its host number: 1 to 255.
    pub host: u8,
    /// When its streams send.
    pub sender: SenderRule,
    /// What its streams do with Pups before their turn.
    pub receiver: ReceiverRule,
    /// Pups that a stream may have outstanding, either way: 1 to 100.
    pub window: u16,
    /// From the arrival of a Pup to what is sent because of it: 4 ms for an Alto, which is deaf after it has sent.
    pub pause: Span,
    /// Repeats in a row without an answer after which a conversation is given up: 46, as the byte stream protocol of
    /// Mesa.
    pub tries: u32,
    /// Conversations at a time.
    pub conversations: usize,
    /// Whether it answers requests for routes, and sends them every 30 s.
    pub gateway: bool,
    /// The number of its first connection. One that starts again should use others than before: a clock's.
    pub first_id: u32,
}

impl Default for EndpointParams {
    fn default() -> Self {
        Self {
            net: 0,
            host: 1,
            sender: SenderRule::Clump,
            receiver: ReceiverRule::InOrder,
            window: 5,
            pause: Span::from_ms(4),
            tries: 46,
            conversations: 16,
            gateway: false,
            first_id: 1,
        }
    }
}

/// A datagram to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The host on this network that it is for; 0 is every host.
    pub to: u8,
    /// The frame as a datagram of the emulators.
    pub bytes: Vec<u8>,
}

/// A Pup host without a socket or a clock.
#[derive(Debug)]
pub struct Endpoint {
    params: EndpointParams,
    listeners: BTreeMap<u32, Protocol>,
    conversations: BTreeMap<u32, Conversation>,
    /// The conversation that was served last: the others come before it the next time.
    served: u32,
    routes: RoutingTable,
    broadcast_at: Time,
    outgoing: Outgoing,
    notices: VecDeque<Notice>,
    counts: Counts,
    next_id: u32,
}

impl Endpoint {
    /// An endpoint. Panics at host number 0, or at a window of 0 or above 100: program errors.
    #[must_use]
    pub fn new(params: EndpointParams) -> Self {
        assert!(params.host > 0, "host number 0 is every host");
        assert!((1..=100).contains(&params.window), "a window is from 1 to 100 Pups");
        let mut routes = RoutingTable::new();
        if params.net > 0 {
            routes.own(params.net, 0, 0);
        }
        Self {
            next_id: params.first_id,
            params,
            listeners: BTreeMap::new(),
            conversations: BTreeMap::new(),
            served: 0,
            routes,
            broadcast_at: Time::ZERO,
            outgoing: Outgoing::default(),
            notices: VecDeque::new(),
            counts: Counts::default(),
        }
    }

    /// A datagram has come. What is wrong with it is counted.
    pub fn handle(&mut self, datagram: &[u8], now: Time) {
        self.counts.datagrams += 1;
        let frame = EthernetFrame::of_datagram(datagram);
        let Ok(frame) = frame else {
            self.counts.malformed += 1;
            return;
        };
        let for_us = [0, self.params.host].contains(&frame.destination) && frame.source != self.params.host;
        if frame.kind == PUP_TYPE && for_us {
            self.take_pup(frame.data, frame.source, now);
        } else {
            self.counts.not_for_us += 1;
        }
    }

    /// The next datagram to send now; ask until there is none.
    pub fn poll(&mut self, now: Time) -> Option<Datagram> {
        if let Some(Waiting { via, pup, .. }) = self.outgoing.due(now) {
            return Some(self.dressed(via, &pup, now));
        }
        if self.params.gateway && self.broadcast_at <= now {
            self.broadcast(now);
            return self.outgoing.due(now).map(|waiting| self.dressed(waiting.via, &waiting.pup, now));
        }
        self.conversations.retain(|_, conversation| !conversation.gone(now));
        let mut effects = Effects::default();
        let after = self.conversations.range(self.served.wrapping_add(1)..).map(|(socket, _)| *socket);
        let before = self.conversations.range(..=self.served).map(|(socket, _)| *socket);
        let turns: Vec<u32> = after.chain(before).collect();
        let mut found = None;
        for socket in turns {
            let conversation = self.conversations.get_mut(&socket).expect("it is there");
            found = conversation.poll(now, &mut effects);
            if found.is_some() {
                self.served = socket;
                break;
            }
        }
        self.bring_about(effects, now, None);
        let pup = found?;
        Some(self.dressed(None, &pup, now))
    }

    /// When [`poll`](Self::poll) may next have something, unless a datagram or the user comes before.
    #[must_use]
    pub fn next_timer(&self) -> Option<Time> {
        let conversations = self.conversations.values().filter_map(Conversation::next_timer);
        let broadcast = self.params.gateway.then_some(self.broadcast_at);
        conversations.chain(broadcast).chain(self.outgoing.next_timer()).min()
    }

    /// The next notice for the user.
    pub fn notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// What has been counted.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Bytes of Pups and data that it holds: bounded, whatever comes in.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let notices = self.notices.iter().map(|notice| match notice {
            Notice::Echo { data, .. } => data.len(),
            _ => 0,
        });
        let conversations = self.conversations.values().map(Conversation::held_bytes);
        self.outgoing.held_bytes() + notices.chain(conversations).sum::<usize>()
    }

    /// A Pup as a datagram to its next host: the one named, the destination, or the gateway on the way.
    fn dressed(&self, via: Option<u8>, pup: &[u8], now: Time) -> Datagram {
        let destination = read_header(pup).destination;
        let at_hand = [0, self.params.net].contains(&destination.net) || self.params.net == 0;
        let route = || self.routes.route(now, destination.net).map(|route| route.gateway);
        // Without a route the host itself is tried: on a single network that is right.
        let there = || if at_hand { destination.host } else { route().unwrap_or(destination.host) };
        let to = via.unwrap_or_else(there);
        let mut bytes = Vec::new();
        EthernetFrame { destination: to, source: self.params.host, kind: PUP_TYPE, data: pup }
            .write_datagram(&mut bytes);
        Datagram { to, bytes }
    }

    /// Queues answers and notices; `via` is the host that what they answer came from.
    fn bring_about(&mut self, effects: Effects, now: Time, via: Option<u8>) {
        let due = now + self.params.pause;
        for pup in effects.answers {
            self.answer(Waiting { due, via, pup });
        }
        for notice in effects.notices {
            if self.notices.len() < MOST_NOTICES {
                self.notices.push_back(notice);
            } else {
                self.counts.notices_lost += 1;
            }
        }
    }

    fn answer(&mut self, waiting: Waiting) {
        if !self.outgoing.push(waiting) {
            self.counts.answers_dropped += 1;
        }
    }
}

/// What its user does.
impl Endpoint {
    /// Its port with this socket.
    #[must_use]
    pub const fn port(&self, socket: u32) -> Port {
        Port { net: self.params.net, host: self.params.host, socket }
    }

    /// From now on, calls to this socket by this protocol are answered.
    pub fn listen(&mut self, socket: u32, protocol: Protocol) {
        self.listeners.insert(socket, protocol);
    }

    /// Begins a conversation with another port; its name from now on.
    pub fn call(&mut self, far: Port, protocol: Protocol, now: Time) -> u32 {
        let (id, own) = self.new_port();
        let conversation = match protocol {
            Protocol::Stream => {
                Conversation::Stream(Box::new(Connection::calling(&self.params, id, own, far, now)))
            }
            Protocol::Eftp => Conversation::Sending(EftpSender::new(own, far, self.params.tries, now)),
        };
        self.conversations.insert(own.socket, conversation);
        own.socket
    }

    /// A number and a port that no conversation has had for long.
    fn new_port(&mut self) -> (u32, Port) {
        loop {
            let id = self.next_id;
            self.next_id = self.next_id.wrapping_add(1 << 16 | 1);
            // Above the well-known sockets.
            let socket = id | 1 << 16;
            if !self.conversations.contains_key(&socket) && !self.listeners.contains_key(&socket) {
                return (id, self.port(socket));
            }
        }
    }

    /// Hands bytes over to be sent; how many were taken, as far as there is room.
    pub fn write(&mut self, conversation: u32, data: &[u8]) -> usize {
        self.conversations.get_mut(&conversation).map_or(0, |found| found.write(data))
    }

    /// Bytes handed over and not acknowledged yet.
    #[must_use]
    pub fn unsent(&self, conversation: u32) -> usize {
        self.conversations.get(&conversation).map_or(0, Conversation::unsent)
    }

    /// Moves what has come behind what `data` holds.
    pub fn read(&mut self, conversation: u32, data: &mut Vec<u8>, now: Time) {
        let mut effects = Effects::default();
        if let Some(found) = self.conversations.get_mut(&conversation) {
            found.read(data, &mut effects);
        }
        self.bring_about(effects, now, None);
    }

    /// Nothing more will be written: the conversation ends when everything is acknowledged.
    pub fn close(&mut self, conversation: u32) {
        if let Some(found) = self.conversations.get_mut(&conversation) {
            found.close();
        }
    }

    /// Breaks a conversation off.
    pub fn abort(&mut self, conversation: u32, now: Time) {
        let mut effects = Effects::default();
        if let Some(found) = self.conversations.get_mut(&conversation) {
            found.abort(now, &mut effects);
        }
        self.bring_about(effects, now, None);
    }

    /// Whether a conversation is still there: it may have ended, and dally.
    #[must_use]
    pub fn knows(&self, conversation: u32) -> bool {
        self.conversations.contains_key(&conversation)
    }

    /// Asks a port for an echo of these data, which are cut to what a Pup holds; the answer is a notice.
    pub fn ask_echo(&mut self, far: Port, id: u32, data: &[u8], now: Time) {
        let data = &data[..data.len().min(crate::wire::MOST_DATA)];
        self.send_own(kind::ECHO_ME, id, far, kind::ECHO_SOCKET, data, now);
    }

    /// Sends a Pup of this socket's own.
    fn send_own(&mut self, kind: u8, id: u32, destination: Port, socket: u32, data: &[u8], now: Time) {
        let header = Header { transport_control: 0, kind, id, destination, source: self.port(socket) };
        let mut pup = Vec::new();
        Pup { header, data }.encode(&mut pup).expect("the data fit");
        self.answer(Waiting { due: now, via: None, pup });
    }
}
