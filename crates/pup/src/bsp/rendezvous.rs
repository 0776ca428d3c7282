//! The rendezvous and termination protocol: how a connection opens and ends (Pup specification, 1980).

use crate::wire::{Header, Port, Pup, kind, port_bytes};

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It waits for a call.
    Listening,
    /// It calls.
    Calling,
    /// Bytes may flow.
    Open,
    /// It has asked for the end.
    Ending,
    /// It is over.
    Ended,
}

/// One end of a connection by the rendezvous and termination protocol.
#[derive(Clone, Copy, Debug)]
pub struct Rendezvous {
    phase: Phase,
    caller: bool,
    id: u32,
    own: Port,
    /// Where the call came to: the answer goes out from there, or the caller does not take it.
    called: Port,
    far: Port,
}

impl Rendezvous {
    /// The end that calls: the connection's number is also that of the first byte.
    #[must_use]
    pub const fn calling(id: u32, own: Port, far: Port) -> Self {
        Self { phase: Phase::Calling, caller: true, id, own, called: own, far }
    }

    /// The end that waits at its port.
    #[must_use]
    pub const fn listening(own: Port) -> Self {
        Self::answering(own, own)
    }

    /// The end that waits at the port `called`, and whose connection will have the port `own`.
    #[must_use]
    pub const fn answering(called: Port, own: Port) -> Self {
        let far = Port { net: 0, host: 0, socket: 0 };
        Self { phase: Phase::Listening, caller: false, id: 0, own, called, far }
    }

    /// How far the connection has come.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The connection's number.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The other end.
    #[must_use]
    pub const fn far(&self) -> Port {
        self.far
    }

    /// Whether this call comes from the end that has called.
    #[must_use]
    pub fn caller_is(&self, call: &Pup<'_>) -> bool {
        !self.caller && connection_port(call) == self.far
    }

    /// Asks for the end: send [`request`](Self::request) until it is there.
    pub fn end(&mut self) {
        if self.phase == Phase::Open {
            self.phase = Phase::Ending;
        }
    }

    /// The Pup type to send, and to send again from time to time, until the phase changes.
    #[must_use]
    pub const fn request(&self) -> Option<u8> {
        match self.phase {
            Phase::Calling => Some(kind::RENDEZVOUS),
            Phase::Ending => Some(kind::END),
            Phase::Listening | Phase::Open | Phase::Ended => None,
        }
    }

    /// A Pup of the protocol has come; the type of the Pup to answer with, if any.
    pub fn received(&mut self, pup: &Pup<'_>) -> Option<u8> {
        let header = &pup.header;
        let known = self.phase != Phase::Listening;
        if known && header.id != self.id {
            return None;
        }
        match (header.kind, self.phase) {
            (kind::RENDEZVOUS, Phase::Listening) => {
                (self.id, self.far, self.phase) = (header.id, connection_port(pup), Phase::Open);
                Some(kind::RENDEZVOUS)
            }
            (kind::RENDEZVOUS, Phase::Calling) => {
                (self.far, self.phase) = (connection_port(pup), Phase::Open);
                None
            }
            // The answer was lost and the caller calls again.
            (kind::RENDEZVOUS, Phase::Open) if !self.caller => Some(kind::RENDEZVOUS),
            (kind::END, Phase::Open | Phase::Ending | Phase::Ended) => {
                self.phase = Phase::Ended;
                Some(kind::END_REPLY)
            }
            (kind::END_REPLY, Phase::Ending) => {
                self.phase = Phase::Ended;
                Some(kind::END_REPLY)
            }
            (kind::ABORT, _) if known => {
                self.phase = Phase::Ended;
                None
            }
            _ => None,
        }
    }

    /// Writes a Pup of this type in place of what `bytes` holds.
    pub fn write(&self, kind: u8, bytes: &mut Vec<u8>) {
        self.tell(kind, |pup| pup.encode(bytes).expect("a port is short"));
    }

    /// Gives a Pup of this type to `to`.
    pub(crate) fn tell(&self, kind: u8, to: impl FnOnce(&Pup<'_>)) {
        let own = port_bytes(self.own);
        let (source, data): (Port, &[u8]) =
            if kind == kind::RENDEZVOUS { (self.called, &own) } else { (self.own, &[]) };
        let header = Header { transport_control: 0, kind, id: self.id, destination: self.far, source };
        to(&Pup { header, data });
    }
}

/// The port that a request for connection names, or the one it came from.
fn connection_port(pup: &Pup<'_>) -> Port {
    match *pup.data {
        [net, host, a, b, c, d] => Port { net, host, socket: u32::from_be_bytes([a, b, c, d]) },
        _ => pup.header.source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands a Pup of this type from one end to the other; the type of the answer.
    fn pass(kind: u8, from: &Rendezvous, to: &mut Rendezvous) -> Option<u8> {
        let mut bytes = Vec::new();
        from.write(kind, &mut bytes);
        to.received(&Pup::decode(&bytes).expect("it is a Pup"))
    }

    #[test]
    fn a_connection_opens_and_ends_though_pups_are_lost() {
        let (near, far) = (Port { net: 1, host: 2, socket: 3 }, Port { net: 4, host: 5, socket: 6 });
        let (mut caller, mut listener) = (Rendezvous::calling(1000, near, far), Rendezvous::listening(far));
        assert_eq!(pass(caller.request().unwrap(), &caller, &mut listener), Some(kind::RENDEZVOUS));
        // The answer is lost; the caller calls again.
        assert_eq!(pass(caller.request().unwrap(), &caller, &mut listener), Some(kind::RENDEZVOUS));
        assert_eq!(pass(kind::RENDEZVOUS, &listener, &mut caller), None);
        assert_eq!((caller.phase(), listener.phase()), (Phase::Open, Phase::Open));
        assert_eq!((listener.far(), listener.id(), caller.request()), (near, 1000, None));
        caller.end();
        assert_eq!(pass(caller.request().unwrap(), &caller, &mut listener), Some(kind::END_REPLY));
        assert_eq!(pass(caller.request().unwrap(), &caller, &mut listener), Some(kind::END_REPLY));
        assert_eq!(pass(kind::END_REPLY, &listener, &mut caller), Some(kind::END_REPLY));
        assert_eq!(pass(kind::END_REPLY, &caller, &mut listener), None);
        assert_eq!((caller.phase(), listener.phase()), (Phase::Ended, Phase::Ended));
    }

    #[test]
    fn a_call_is_answered_from_the_port_that_was_called() {
        let (near, called) = (Port { net: 1, host: 2, socket: 3 }, Port { net: 1, host: 5, socket: 6 });
        let own = Port { socket: 99, ..called };
        let (mut caller, mut listener) =
            (Rendezvous::calling(7, near, called), Rendezvous::answering(called, own));
        assert_eq!(pass(kind::RENDEZVOUS, &caller, &mut listener), Some(kind::RENDEZVOUS));
        let mut bytes = Vec::new();
        listener.write(kind::RENDEZVOUS, &mut bytes);
        let answer = Pup::decode(&bytes).expect("it is a Pup");
        assert_eq!((answer.header.source, answer.data), (called, &port_bytes(own)[..]));
        caller.received(&answer);
        assert_eq!(caller.far(), own, "what follows goes to the port of the connection");
        listener.write(kind::END, &mut bytes);
        assert_eq!(Pup::decode(&bytes).expect("it is a Pup").header.source, own);
    }

    #[test]
    fn a_pup_of_another_connection_changes_nothing() {
        let port = Port::default();
        let (mut caller, stranger) = (Rendezvous::calling(7, port, port), Rendezvous::calling(8, port, port));
        assert_eq!(pass(kind::ABORT, &stranger, &mut caller), None);
        assert_eq!(caller.phase(), Phase::Calling);
    }
}
