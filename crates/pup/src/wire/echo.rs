//! The echo protocol.

use super::kind;
use super::packet::{Header, Pup};

/// Writes the echo of this Pup in place of what `bytes` holds. False where it does not ask for one.
pub fn write_echo(pup: &Pup<'_>, bytes: &mut Vec<u8>) -> bool {
    let asked = pup.header;
    if asked.kind != kind::ECHO_ME || asked.destination.socket != kind::ECHO_SOCKET {
        return false;
    }
    let header = Header {
        transport_control: 0,
        kind: kind::I_AM_AN_ECHO,
        id: asked.id,
        destination: asked.source,
        source: asked.destination,
    };
    Pup { header, data: pup.data }.encode(bytes).is_ok()
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
        let mut bytes = Vec::new();
        assert!(write_echo(&Pup { header, data: b"hello" }, &mut bytes));
        let echo = Pup::decode(&bytes).expect("it is a Pup");
        assert_eq!((echo.header.kind, echo.header.id, echo.data), (kind::I_AM_AN_ECHO, 5, &b"hello"[..]));
        assert_eq!((echo.header.source, echo.header.destination), (destination, source));
        let answer = Pup { header: echo.header, data: echo.data };
        assert!(!write_echo(&answer, &mut Vec::new()), "an echo is not echoed");
    }
}
