//! The Pup itself: header, data and checksum ("Pup: An Internetwork Architecture", 1980).

use thiserror::Error;

use super::checksum::{NO_CHECKSUM, checksum};

/// Bytes of header before the data.
pub const HEADER: usize = 20;
/// The most data bytes of a Pup: 266 words.
pub const MOST_DATA: usize = 532;
/// Header and checksum: the shortest Pup.
pub const SHORTEST: usize = HEADER + 2;
/// The longest Pup.
pub const LONGEST: usize = SHORTEST + MOST_DATA;
/// The gateway that would have to count one hop more than this discards the Pup.
pub const MOST_HOPS: u8 = 15;

/// A port: where Pups come from and go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// The network; 0 is the one at hand.
    pub net: u8,
    /// The host on it; 0 is every host.
    pub host: u8,
    /// The socket in the host.
    pub socket: u32,
}

/// What every Pup says about itself, but for its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The hop count in the upper four bits; the lower four are free for other uses.
    pub transport_control: u8,
    /// The type, whose meaning the destination socket knows: see [`kind`](super::kind).
    pub kind: u8,
    /// The identifier: in a stream, the number of the first byte.
    pub id: u32,
    /// Where to.
    pub destination: Port,
    /// Where from.
    pub source: Port,
}

/// A Pup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pup<'a> {
    /// The header.
    pub header: Header,
    /// 0 to 532 bytes of data.
    pub data: &'a [u8],
}

/// Why bytes are not a Pup, or a Pup cannot be bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PupError {
    /// Fewer bytes than header and checksum take.
    #[error("{0} bytes are fewer than a Pup's header and checksum take")]
    TooShort(usize),
    /// The length field lies outside 22 to 554.
    #[error("a Pup of {0} bytes; the length is from 22 to 554")]
    Length(usize),
    /// The length field states more or fewer bytes than there are.
    #[error("the length field tells of {told} bytes where there are {there}")]
    Cut {
        /// The length field, rounded up to whole words.
        told: usize,
        /// The bytes that are there.
        there: usize,
    },
    /// The checksum is another than the bytes have.
    #[error("the checksum {told:06o} stands where the bytes have {found:06o}")]
    Checksum {
        /// The checksum field.
        told: u16,
        /// The checksum of the bytes.
        found: u16,
    },
}

impl Header {
    /// The gateways passed.
    #[must_use]
    pub const fn hops(&self) -> u8 {
        self.transport_control >> 4
    }

    /// Counts one hop, as a gateway does; the number of hops then.
    ///
    /// # Errors
    /// Gives back the hop count where no further hop is allowed; the header is then unchanged.
    pub fn count_hop(&mut self) -> Result<u8, u8> {
        let hops = self.hops();
        if hops >= MOST_HOPS {
            return Err(hops);
        }
        self.transport_control += 1 << 4;
        Ok(hops + 1)
    }

    /// The header of a Pup with this number of bytes of data, as on the wire.
    #[must_use]
    pub fn to_bytes(&self, data: usize) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..2].copy_from_slice(&((SHORTEST + data) as u16).to_be_bytes());
        bytes[2..4].copy_from_slice(&[self.transport_control, self.kind]);
        bytes[4..8].copy_from_slice(&self.id.to_be_bytes());
        bytes[8..14].copy_from_slice(&port_bytes(self.destination));
        bytes[14..].copy_from_slice(&port_bytes(self.source));
        bytes
    }
}

impl<'a> Pup<'a> {
    /// Reads a Pup, whose checksum is verified unless the sender had computed none.
    ///
    /// # Errors
    /// Where the bytes are cut, the length is impossible, or the checksum is another.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, PupError> {
        let length = length_field(bytes)?;
        let told = length.next_multiple_of(2);
        if told != bytes.len() {
            return Err(PupError::Cut { told, there: bytes.len() });
        }
        let (covered, last) = bytes.split_at(told - 2);
        let told = u16::from_be_bytes([last[0], last[1]]);
        if told != NO_CHECKSUM {
            let found = checksum(covered);
            if found != told {
                return Err(PupError::Checksum { told, found });
            }
        }
        Ok(Self { header: read_header(bytes), data: &bytes[HEADER..length - 2] })
    }

    /// The bytes that it takes on a network, with its checksum and its padding to whole words.
    #[must_use]
    pub const fn length(&self) -> usize {
        (SHORTEST + self.data.len()).next_multiple_of(2)
    }

    /// Writes the Pup with its checksum in place of what `bytes` holds.
    ///
    /// # Errors
    /// Where there are over 532 bytes of data.
    pub fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), PupError> {
        let length = SHORTEST + self.data.len();
        if length > LONGEST {
            return Err(PupError::Length(length));
        }
        bytes.clear();
        bytes.extend_from_slice(&self.header.to_bytes(self.data.len()));
        bytes.extend_from_slice(self.data);
        bytes.resize(self.length() - 2, 0);
        bytes.extend_from_slice(&checksum(bytes).to_be_bytes());
        Ok(())
    }
}

/// The length field, in bytes: that of the header, the data and the checksum, without padding.
fn length_field(bytes: &[u8]) -> Result<usize, PupError> {
    if bytes.len() < SHORTEST {
        return Err(PupError::TooShort(bytes.len()));
    }
    let length = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
    if !(SHORTEST..=LONGEST).contains(&length) {
        return Err(PupError::Length(length));
    }
    Ok(length)
}

/// The Pup at the start of bytes that padding may follow, by its length field.
///
/// # Errors
/// Where the length is impossible, or states more bytes than there are.
pub(crate) fn unpadded(bytes: &[u8]) -> Result<&[u8], PupError> {
    let told = length_field(bytes)?.next_multiple_of(2);
    bytes.get(..told).ok_or(PupError::Cut { told, there: bytes.len() })
}

/// The header at the start of bytes that are known to be a Pup. Panics where they are fewer than a header.
pub(crate) fn read_header(bytes: &[u8]) -> Header {
    let long = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let port = |at: usize| Port { net: bytes[at], host: bytes[at + 1], socket: long(at + 2) };
    Header {
        transport_control: bytes[2],
        kind: bytes[3],
        id: long(4),
        destination: port(8),
        source: port(14),
    }
}

/// A port as six bytes.
pub(crate) fn port_bytes(port: Port) -> [u8; 6] {
    let [a, b, c, d] = port.socket.to_be_bytes();
    [port.net, port.host, a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn port() -> impl Strategy<Value = Port> {
        any::<(u8, u8, u32)>().prop_map(|(net, host, socket)| Port { net, host, socket })
    }

    fn header() -> impl Strategy<Value = Header> {
        (any::<(u8, u8, u32)>(), port(), port()).prop_map(
            |((transport_control, kind, id), destination, source)| Header {
                transport_control,
                kind,
                id,
                destination,
                source,
            },
        )
    }

    fn encoded(header: Header, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        Pup { header, data }.encode(&mut bytes).expect("the data fit");
        bytes
    }

    #[test]
    fn stands_on_the_wire_as_specified() {
        let header = Header {
            transport_control: 0x20,
            kind: 1,
            id: 0x0102_0304,
            destination: Port { net: 5, host: 6, socket: 7 },
            source: Port { net: 8, host: 9, socket: 0x0A0B_0C0D },
        };
        let expected =
            [0, 25, 0x20, 1, 1, 2, 3, 4, 5, 6, 0, 0, 0, 7, 8, 9, 0x0A, 0x0B, 0x0C, 0x0D, b'a', b'b', b'c', 0];
        let bytes = encoded(header, b"abc");
        assert_eq!(bytes[..24], expected, "the padding is no part of the length");
        assert_eq!(bytes[24..], checksum(&expected).to_be_bytes());
    }

    #[test]
    fn takes_532_bytes_and_no_more() {
        let header = read_header(&[0; HEADER]);
        assert_eq!(encoded(header, &[0; MOST_DATA]).len(), LONGEST);
        let mut bytes = Vec::new();
        assert_eq!(Pup { header, data: &[0; 533] }.encode(&mut bytes), Err(PupError::Length(555)));
    }

    #[test]
    fn a_pup_without_checksum_is_taken_at_its_word() {
        let mut bytes = encoded(read_header(&[7; HEADER]), &[1, 2, 3, 4]);
        let end = bytes.len() - 2;
        bytes[end..].copy_from_slice(&[0xFF, 0xFF]);
        bytes[HEADER] ^= 0x55;
        assert_eq!(Pup::decode(&bytes).expect("nobody checks").data, [0x54, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(header in header(), data in prop::collection::vec(any::<u8>(), 0..=MOST_DATA)) {
            let (bytes, pup) = (encoded(header, &data), Pup { header, data: &data });
            prop_assert_eq!(Pup::decode(&bytes), Ok(pup));
            prop_assert_eq!(bytes.len(), pup.length());
        }

        #[test]
        fn a_wrong_bit_is_refused(
            header in header(),
            data in prop::collection::vec(any::<u8>(), 0..=MOST_DATA),
            at in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let mut bytes = encoded(header, &data);
            let at = at.index(bytes.len());
            bytes[at] ^= 1u8 << bit;
            // The one flaw of the design: a checksum one bit away from "none" may turn into it.
            prop_assume!(!bytes.ends_with(&[0xFF, 0xFF]));
            prop_assert!(Pup::decode(&bytes).is_err());
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            if let Ok(pup) = Pup::decode(&bytes) {
                prop_assert!(pup.data.len() <= MOST_DATA);
            }
        }

        #[test]
        fn gateways_count_fifteen_hops_and_touch_nothing_else(header in header()) {
            let mut header = Header { transport_control: header.transport_control & 0x0F, ..header };
            let first = header;
            for hops in 1..=MOST_HOPS {
                prop_assert_eq!(header.count_hop(), Ok(hops));
                prop_assert_eq!(Header { transport_control: first.transport_control, ..header }, first);
                prop_assert_eq!((header.hops(), header.transport_control & 0x0F), (hops, first.transport_control));
            }
            let before = header;
            prop_assert_eq!(header.count_hop(), Err(MOST_HOPS));
            prop_assert_eq!(header, before);
        }
    }
}
