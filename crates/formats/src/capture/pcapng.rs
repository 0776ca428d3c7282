//! Captures as pcapng files, which Wireshark reads: one section, an interface for each network, times in nanoseconds.
//!
//! Source: M. Tuexen and others, "PCAP Now Generic (pcapng) Capture File Format", IETF draft-ietf-opsawg-pcapng,
//! sections 3 and 4. Little endian throughout. The same packets give the same bytes: nothing of the clock or the
//! machine enters the file. What is needed of the format is three kinds of blocks, fewer lines than a crate that reads
//! and writes all of it would take to drive.

mod reader;

use std::io::{self, Write};

pub use reader::{Captured, CapturedPacket, PcapngError, read};

/// The link type of the experimental Ethernet of 3 Mbit/s.
pub const EXPERIMENTAL_ETHERNET: u16 = 2;

/// Where packets were captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its packets begin with, by the number that tcpdump.org has given it.
    pub link_type: u16,
}

/// A packet as it was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// On which interface, by its place in the list.
    pub interface: u32,
    /// Nanoseconds since the capture's time zero.
    pub time_ns: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
}

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const BYTE_ORDER: u32 = 0x1A2B_3C4D;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const OPTION_END: u16 = 0;
const OPTION_NAME: u16 = 2;
const OPTION_APPLICATION: u16 = 4;
const OPTION_RESOLUTION: u16 = 9;

/// Nanoseconds, as a power of ten.
const RESOLUTION: u8 = 9;

/// Writes a file packet by packet, so that a capture of any length takes no memory.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    interfaces: u32,
    block: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a file with its interfaces.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn new(out: W, interfaces: &[Interface<'_>]) -> io::Result<Self> {
        let count = u32::try_from(interfaces.len()).expect("there are fewer than 2^32 networks");
        let mut writer = Self { out, interfaces: count, block: Vec::new() };
        writer.write_block(SECTION_HEADER, |body| {
            body.extend_from_slice(&BYTE_ORDER.to_le_bytes());
            body.extend_from_slice(&1u16.to_le_bytes());
            body.extend_from_slice(&0u16.to_le_bytes());
            // The length of the section is left open.
            body.extend_from_slice(&u64::MAX.to_le_bytes());
            option(body, OPTION_APPLICATION, b"hopscope");
            option(body, OPTION_END, &[]);
        })?;
        for interface in interfaces {
            writer.write_block(INTERFACE_DESCRIPTION, |body| {
                body.extend_from_slice(&interface.link_type.to_le_bytes());
                body.extend_from_slice(&[0; 2]);
                // No limit to the bytes kept of a packet.
                body.extend_from_slice(&[0; 4]);
                option(body, OPTION_NAME, name_of(interface).as_bytes());
                option(body, OPTION_RESOLUTION, &[RESOLUTION]);
                option(body, OPTION_END, &[]);
            })?;
        }
        Ok(writer)
    }

    /// Adds a packet. Panics where it names an interface that the file does not have: a program error.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn packet(&mut self, packet: Packet<'_>) -> io::Result<()> {
        assert!(packet.interface < self.interfaces, "a packet was captured somewhere");
        self.write_block(ENHANCED_PACKET, |body| {
            let length = u32::try_from(packet.bytes.len()).expect("a packet is shorter than 4 GB");
            let (high, low) = ((packet.time_ns >> 32) as u32, packet.time_ns as u32);
            for field in [packet.interface, high, low, length, length] {
                body.extend_from_slice(&field.to_le_bytes());
            }
            padded(body, packet.bytes);
        })
    }

    /// Where it has been written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// A block: its type and its length, which stands again at its end.
    fn write_block(&mut self, kind: u32, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        self.block.clear();
        self.block.extend_from_slice(&kind.to_le_bytes());
        self.block.extend_from_slice(&[0; 4]);
        write(&mut self.block);
        let length = u32::try_from(self.block.len() + 4).expect("a block is shorter than 4 GB").to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.block.extend_from_slice(&length);
        self.out.write_all(&self.block)
    }
}

/// The name as far as an option can hold it.
fn name_of<'a>(interface: &Interface<'a>) -> &'a str {
    let ends = interface.name.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let most = ends.take_while(|end| *end <= usize::from(u16::MAX)).last().unwrap_or(0);
    &interface.name[..most]
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let length = u16::try_from(value.len()).expect("an option is short");
    body.extend_from_slice(&code.to_le_bytes());
    body.extend_from_slice(&length.to_le_bytes());
    padded(body, value);
}

/// Bytes, filled up to 32 bits.
fn padded(body: &mut Vec<u8>, bytes: &[u8]) {
    body.extend_from_slice(bytes);
    body.resize(body.len() + (4 - bytes.len() % 4) % 4, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode<'a>(interfaces: &[Interface<'_>], packets: impl IntoIterator<Item = Packet<'a>>) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), interfaces).expect("memory takes it");
        packets.into_iter().for_each(|packet| writer.packet(packet).expect("memory takes it"));
        writer.into_inner()
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    #[test]
    fn every_field_stands_where_the_format_has_it() {
        let interfaces = [Interface { name: "parc", link_type: EXPERIMENTAL_ETHERNET }];
        let packet = Packet { interface: 0, time_ns: 0x1_0000_0002, bytes: &[1, 2, 3, 4, 5] };
        let file = words(&encode(&interfaces, [packet]));
        let section = [
            0x0A0D_0D0A,
            44,
            0x1A2B_3C4D,
            1,
            u32::MAX,
            u32::MAX,
            4 | 8 << 16,
            0x7370_6F68,
            0x6570_6F63,
            0,
            44,
        ];
        let interface = [1, 40, 2, 0, 2 | 4 << 16, 0x6372_6170, 9 | 1 << 16, 9, 0, 40];
        let packet = [6, 40, 0, 1, 2, 5, 5, 0x0403_0201, 5, 40];
        assert_eq!(file, [&section[..], &interface, &packet].concat());
    }

    proptest! {
        #[test]
        fn packets_read_back(
            sent in prop::collection::vec(
                (0u32..3, any::<u64>(), prop::collection::vec(any::<u8>(), 0..600)),
                0..20,
            ),
        ) {
            let interfaces = ["a", "bc", "def"].map(|name| Interface { name, link_type: EXPERIMENTAL_ETHERNET });
            let packets = sent.iter().map(|(interface, time_ns, bytes)| {
                Packet { interface: *interface, time_ns: *time_ns, bytes }
            });
            let file = encode(&interfaces, packets.clone());
            let found = read(&file).expect("what is written can be read");
            let named = ["a", "bc", "def"].map(|name| (name.to_owned(), EXPERIMENTAL_ETHERNET));
            prop_assert_eq!(found.interfaces, named);
            let again: Vec<Packet<'_>> = found.packets.iter().map(CapturedPacket::packet).collect();
            prop_assert_eq!(again, packets.collect::<Vec<_>>());
        }

        #[test]
        fn a_file_cut_short_is_refused_unless_between_two_blocks(
            bytes in prop::collection::vec(any::<u8>(), 0..60),
            at in any::<prop::sample::Index>(),
        ) {
            let interfaces = [Interface { name: "parc", link_type: EXPERIMENTAL_ETHERNET }];
            let file = encode(&interfaces, [Packet { interface: 0, time_ns: 7, bytes: &bytes }]);
            let cut = at.index(file.len());
            prop_assert_eq!(read(&file[..cut]).is_ok(), [44, 44 + 40].contains(&cut));
        }

        #[test]
        fn no_bytes_panic(start in prop::bool::ANY, tail in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = if start { encode(&[Interface { name: "x", link_type: 1 }], []) } else { Vec::new() };
            bytes.extend(tail);
            let _ = read(&bytes);
        }
    }
}
