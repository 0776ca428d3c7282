//! The echo protocol.

use super::kind;
use super::packet::{Header, Pup};

/// The echo of this Pup; nothing where it does not ask for one.
#[must_use]
pub fn echo_of<'a>(pup: &Pup<'a>) -> Option<Pup<'a>> {
    let asked = pup.header;
    if asked.kind != kind::ECHO_ME || asked.destination.socket != kind::ECHO_SOCKET {
        return None;
    }
    let header = Header {
        transport_control: 0,
        kind: kind::I_AM_AN_ECHO,
        id: asked.id,
        destination: asked.source,
        source: asked.destination,
    };
    Some(Pup { header, data: pup.data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Port;

    #[test]
    fn the_echo_brings_the_data_back() {
        let (source, destination) =
            (Port { net: 1, host: 2, socket: 99 }, Port { net: 1, host: 3, socket: 5 });
        let header = Header { transport_control: 0x20, kind: kind::ECHO_ME, id: 5, destination, source };
        let echo = echo_of(&Pup { header, data: b"hello" }).expect("it was asked for");
        assert_eq!((echo.header.kind, echo.header.id, echo.data), (kind::I_AM_AN_ECHO, 5, &b"hello"[..]));
        assert_eq!((echo.header.source, echo.header.destination), (destination, source));
        assert_eq!(echo_of(&echo), None, "an echo is not echoed");
    }
}
