//! Error Pups: what became of a Pup that did not arrive.

use super::kind;
use super::packet::{HEADER, Header, MOST_DATA, Port, Pup, read_header};

/// Why a Pup was not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The checksum is wrong.
    BadChecksum,
    /// No process listens at the socket.
    NoSuchSocket,
    /// The socket's queue is full.
    SocketFull,
    /// A gateway found the Pup malformed.
    Malformed,
    /// A gateway knows no way to the network.
    NoRoute,
    /// The host is down.
    HostDown,
    /// The Pup has passed fifteen gateways.
    TooManyHops,
    /// The Pup is too long for the next network.
    TooLarge,
    /// This gateway is not the one to use.
    WrongGateway,
    /// A gateway's output queue is full.
    GatewayQueueFull,
    /// A code that the specification does not name.
    Other(u16),
}

/// Codes and their words in the order of the specification.
const CODES: [(ErrorCode, u16, &str); 10] = [
    (ErrorCode::BadChecksum, 0o1, "Bad checksum"),
    (ErrorCode::NoSuchSocket, 0o2, "No such socket"),
    (ErrorCode::SocketFull, 0o3, "Socket queue full"),
    (ErrorCode::Malformed, 0o1001, "Malformed Pup"),
    (ErrorCode::NoRoute, 0o1002, "No route to network"),
    (ErrorCode::HostDown, 0o1003, "Host does not answer"),
    (ErrorCode::TooManyHops, 0o1004, "Too many hops"),
    (ErrorCode::TooLarge, 0o1005, "Pup too large for network"),
    (ErrorCode::WrongGateway, 0o1006, "Wrong gateway"),
    (ErrorCode::GatewayQueueFull, 0o1007, "Gateway queue full"),
];

impl ErrorCode {
    /// The code on the wire.
    #[must_use]
    pub fn number(self) -> u16 {
        match self {
            Self::Other(number) => number,
            known => CODES.iter().find(|(code, ..)| *code == known).map_or(0, |&(_, number, _)| number),
        }
    }

    /// The code of a number on the wire.
    #[must_use]
    pub fn of(number: u16) -> Self {
        CODES.iter().find(|&&(_, of, _)| of == number).map_or(Self::Other(number), |&(code, ..)| code)
    }

    /// The code in words; none for one that the specification does not name.
    #[must_use]
    pub fn words(self) -> &'static str {
        CODES.iter().find(|(code, ..)| *code == self).map_or("", |&(_, _, words)| words)
    }
}

/// The contents of an error Pup: its data are the header of the lost Pup, the code, an argument and words for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorReport {
    /// The header of the Pup that was not delivered.
    pub about: Header,
    /// Why.
    pub code: ErrorCode,
}

impl ErrorReport {
    /// Reads the data of an error Pup; nothing where they are too short to be one.
    #[must_use]
    pub fn of(pup: &Pup<'_>) -> Option<Self> {
        if pup.header.kind != kind::ERROR || pup.data.len() < HEADER + 4 {
            return None;
        }
        let code = u16::from_be_bytes([pup.data[HEADER], pup.data[HEADER + 1]]);
        Some(Self { about: read_header(pup.data), code: ErrorCode::of(code) })
    }

    /// Writes the error Pup about the Pup in `lost` in place of what `bytes` holds. False, with nothing written, where
    /// no error may be reported: about errors, and about Pups to or from every host.
    pub fn write(lost: &[u8], code: ErrorCode, from: Port, bytes: &mut Vec<u8>) -> bool {
        let mut data = Vec::new();
        let header = lost.first_chunk().and_then(|lost| Self::about(lost, code, from, &mut data));
        header.is_some_and(|header| Pup { header, data: &data }.encode(bytes).is_ok())
    }

    /// The header of the error Pup about the Pup with the header `lost`; its data take the place of what `data` holds.
    /// Nothing where no error may be reported.
    pub(crate) fn about(
        lost: &[u8; HEADER],
        code: ErrorCode,
        from: Port,
        data: &mut Vec<u8>,
    ) -> Option<Header> {
        let about = read_header(lost);
        if about.kind == kind::ERROR || about.source.host == 0 || about.destination.host == 0 {
            return None;
        }
        data.clear();
        data.extend_from_slice(lost);
        data.extend_from_slice(&code.number().to_be_bytes());
        data.extend_from_slice(&[0, 0]);
        data.extend_from_slice(code.words().as_bytes());
        assert!(data.len() <= MOST_DATA, "an error report is short");
        Some(Header {
            transport_control: 0,
            kind: kind::ERROR,
            id: about.id,
            destination: about.source,
            source: from,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(kind: u8) -> Vec<u8> {
        let (source, destination) =
            (Port { net: 1, host: 2, socket: 3 }, Port { net: 4, host: 5, socket: 6 });
        let mut bytes = Vec::new();
        let header = Header { transport_control: 0x30, kind, id: 77, destination, source };
        Pup { header, data: b"lost" }.encode(&mut bytes).expect("it is short");
        bytes
    }

    #[test]
    fn a_report_goes_back_to_the_source_and_names_the_pup() {
        let (mut bytes, from) = (Vec::new(), Port { net: 9, host: 9, socket: 2 });
        for (code, number, _) in CODES {
            assert!(ErrorReport::write(&lost(kind::DATA), code, from, &mut bytes));
            let pup = Pup::decode(&bytes).expect("it is a Pup");
            assert_eq!(pup.header.destination, Port { net: 1, host: 2, socket: 3 });
            let report = ErrorReport::of(&pup).expect("it is a report");
            assert_eq!((report.code, report.code.number(), report.about.id), (code, number, 77));
        }
        assert_eq!(ErrorCode::of(0o1234).number(), 0o1234);
    }

    #[test]
    fn errors_about_errors_are_not_reported() {
        assert!(!ErrorReport::write(
            &lost(kind::ERROR),
            ErrorCode::NoRoute,
            Port::default(),
            &mut Vec::new()
        ));
    }
}
