//! What an endpoint does with a Pup: to each its socket, or a report why not.

use hopscope_units::Time;

use super::Endpoint;
use super::connection::Connection;
use super::conversation::{Conversation, Protocol};
use super::eftp::EftpReceiver;
use super::notice::{Effects, Notice};
use super::outgoing::Waiting;
use crate::wire::{ErrorCode, ErrorReport, Port, Pup, PupError, echo_of, kind, unpadded};

/// What became of a Pup at its socket.
enum Delivery {
    Taken,
    /// Its type means nothing there.
    OutOfPlace,
    /// There is no listener for it.
    NoSuchSocket,
    /// There is no room for another conversation.
    Full,
}

impl Endpoint {
    /// Bytes that a frame from host `via` has brought as a Pup, with or without padding.
    pub(super) fn take_pup(&mut self, bytes: &[u8], via: u8, now: Time) {
        let Ok(bytes) = unpadded(bytes) else {
            self.counts.malformed += 1;
            return;
        };
        let pup = match Pup::decode(bytes) {
            Ok(pup) => pup,
            Err(PupError::Checksum { .. }) => {
                self.counts.bad_checksums += 1;
                return;
            }
            Err(_) => {
                self.counts.malformed += 1;
                return;
            }
        };
        let to = pup.header.destination;
        let own_net = [0, self.params.net].contains(&to.net) || self.params.net == 0;
        let own_host = to.host == self.params.host || to.host == 0 && to.socket == kind::GATEWAY_SOCKET;
        if !(own_net && own_host) {
            self.counts.not_for_us += 1;
            return;
        }
        let mut effects = Effects::default();
        let delivery = self.hand_to_socket(&pup, via, now, &mut effects);
        self.bring_about(effects, now, Some(via));
        let (count, code) = match delivery {
            Delivery::Taken => return,
            Delivery::OutOfPlace => {
                self.counts.out_of_place += 1;
                return;
            }
            Delivery::NoSuchSocket => (&mut self.counts.no_such_socket, ErrorCode::NoSuchSocket),
            Delivery::Full => (&mut self.counts.socket_full, ErrorCode::SocketFull),
        };
        *count += 1;
        let mut report = Vec::new();
        if ErrorReport::write(bytes, code, self.port(to.socket), &mut report) {
            self.answer(Waiting { due: now + self.params.pause, via: Some(via), pup: report });
        }
    }

    fn hand_to_socket(&mut self, pup: &Pup<'_>, via: u8, now: Time, effects: &mut Effects) -> Delivery {
        match pup.header.destination.socket {
            kind::GATEWAY_SOCKET => self.gateway_information(pup, via, now, effects),
            kind::ECHO_SOCKET => return self.echo(pup, effects),
            socket if pup.header.kind == kind::ERROR => {
                let Some(report) = ErrorReport::of(pup) else { return Delivery::OutOfPlace };
                if let Some(conversation) = self.conversations.get_mut(&socket)
                    && alike(report.about.destination, conversation.far())
                {
                    conversation.undelivered(&report, now, effects);
                }
                effects.notices.push(Notice::Undelivered(report));
            }
            socket => return self.converse(socket, pup, now, effects),
        }
        Delivery::Taken
    }

    /// The echo socket: a request is answered, an answer is reported.
    fn echo(&mut self, pup: &Pup<'_>, effects: &mut Effects) -> Delivery {
        if let Some(echo) = echo_of(pup) {
            let mut bytes = Vec::new();
            echo.encode(&mut bytes).expect("the data of a Pup fit a Pup");
            self.counts.echoed += 1;
            effects.answers.push(bytes);
            return Delivery::Taken;
        }
        match pup.header.kind {
            kind::I_AM_AN_ECHO => {
                effects.notices.push(Notice::Echo { id: pup.header.id, data: pup.data.to_vec() });
            }
            kind::ERROR => effects.notices.extend(ErrorReport::of(pup).map(Notice::Undelivered)),
            _ => return Delivery::OutOfPlace,
        }
        Delivery::Taken
    }

    fn converse(&mut self, socket: u32, pup: &Pup<'_>, now: Time, effects: &mut Effects) -> Delivery {
        if let Some(conversation) = self.conversations.get_mut(&socket) {
            // A second answer to a call still comes from the port that was called; data may overtake the first.
            if !alike(pup.header.source, conversation.far()) {
                return Delivery::OutOfPlace;
            }
            let taken = conversation.take(pup, now, self.params.pause, &mut self.counts, effects);
            return if taken { Delivery::Taken } else { Delivery::OutOfPlace };
        }
        let Some(&protocol) = self.listeners.get(&socket) else { return Delivery::NoSuchSocket };
        if self.called_again(pup, now, effects) {
            Delivery::Taken
        } else if self.conversations.len() >= self.params.conversations {
            Delivery::Full
        } else {
            self.begin(protocol, socket, pup, now, effects)
        }
    }

    /// A call that a connection has answered already: its answer was lost, and is sent again.
    fn called_again(&mut self, pup: &Pup<'_>, now: Time, effects: &mut Effects) -> bool {
        let known = self.conversations.values_mut().find(|conversation| match conversation {
            Conversation::Stream(connection) => connection.is_called_by(pup),
            Conversation::Sending(_) | Conversation::Receiving(_) => false,
        });
        let is_call = pup.header.kind == kind::RENDEZVOUS;
        let Some(conversation) = known.filter(|_| is_call) else { return false };
        conversation.take(pup, now, self.params.pause, &mut self.counts, effects)
    }

    /// Another host begins a conversation with a socket at which the endpoint listens.
    fn begin(
        &mut self,
        protocol: Protocol,
        socket: u32,
        pup: &Pup<'_>,
        now: Time,
        effects: &mut Effects,
    ) -> Delivery {
        // The answer comes from the address by which the caller knows this host.
        let named = |socket| Port { socket, ..pup.header.destination };
        let begun = match protocol {
            Protocol::Stream if pup.header.kind != kind::RENDEZVOUS => None,
            Protocol::Stream => {
                let own = named(self.new_port().1.socket);
                let connection = Connection::answering(&self.params, own, pup, now, effects);
                connection.map(|connection| (own.socket, Conversation::Stream(Box::new(connection))))
            }
            Protocol::Eftp => {
                let mut receiver = EftpReceiver::begun_by(pup, named(socket), effects);
                receiver.iter_mut().for_each(|receiver| {
                    receiver.take(pup, now, effects);
                });
                receiver.map(|receiver| (socket, Conversation::Receiving(receiver)))
            }
        };
        let Some((name, conversation)) = begun else { return Delivery::OutOfPlace };
        self.conversations.insert(name, conversation);
        Delivery::Taken
    }
}

/// Whether two ports are the same, where one may leave its network open.
fn alike(one: Port, other: Port) -> bool {
    (one.host, one.socket) == (other.host, other.socket)
        && (one.net == other.net || one.net == 0 || other.net == 0)
}
