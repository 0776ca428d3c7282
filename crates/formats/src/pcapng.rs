//! Captures as pcapng files, which Wireshark reads: one section, an interface for each network, times in nanoseconds.
//!
//! Source: M. Tuexen and others, "PCAP Now Generic (pcapng) Capture File Format", IETF draft-ietf-opsawg-pcapng, sections 3 and 4. Little
//! endian throughout. The same packets give the same bytes: nothing of the clock or the machine enters the file. What is needed of the
//! format is three kinds of blocks, fewer lines than a crate that reads and writes all of it would take to drive.

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

/// The bytes of a pcapng file. Panics where a packet names an interface that is not in the list: a program error.
#[must_use]
pub fn encode<'a>(interfaces: &[Interface<'_>], packets: impl IntoIterator<Item = Packet<'a>>) -> Vec<u8> {
    let mut file = Vec::new();
    block(&mut file, SECTION_HEADER, |body| {
        body.extend_from_slice(&BYTE_ORDER.to_le_bytes());
        body.extend_from_slice(&1u16.to_le_bytes());
        body.extend_from_slice(&0u16.to_le_bytes());
        // The length of the section is left open.
        body.extend_from_slice(&u64::MAX.to_le_bytes());
        option(body, OPTION_APPLICATION, b"hopscope");
        option(body, OPTION_END, &[]);
    });
    for interface in interfaces {
        block(&mut file, INTERFACE_DESCRIPTION, |body| {
            body.extend_from_slice(&interface.link_type.to_le_bytes());
            body.extend_from_slice(&[0; 2]);
            // No limit to the bytes kept of a packet.
            body.extend_from_slice(&[0; 4]);
            option(body, OPTION_NAME, interface.name.as_bytes());
            option(body, OPTION_RESOLUTION, &[RESOLUTION]);
            option(body, OPTION_END, &[]);
        });
    }
    for packet in packets {
        assert!((packet.interface as usize) < interfaces.len(), "a packet was captured somewhere");
        block(&mut file, ENHANCED_PACKET, |body| {
            let length = u32::try_from(packet.bytes.len()).expect("a packet is shorter than 4 GB");
            let (high, low) = ((packet.time_ns >> 32) as u32, packet.time_ns as u32);
            for field in [packet.interface, high, low, length, length] {
                body.extend_from_slice(&field.to_le_bytes());
            }
            padded(body, packet.bytes);
        });
    }
    file
}

/// A block: its type and its length, which stands again at its end.
fn block(file: &mut Vec<u8>, kind: u32, write: impl FnOnce(&mut Vec<u8>)) {
    let start = file.len();
    file.extend_from_slice(&kind.to_le_bytes());
    file.extend_from_slice(&[0; 4]);
    write(file);
    let length = u32::try_from(file.len() - start + 4).expect("a block is shorter than 4 GB").to_le_bytes();
    file[start + 4..start + 8].copy_from_slice(&length);
    file.extend_from_slice(&length);
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

    /// Reads the packets back, block by block, as a reader does who skips what it does not know.
    fn packets(mut file: &[u8]) -> Vec<(u32, u64, Vec<u8>)> {
        let word = |bytes: &[u8], at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let mut found = Vec::new();
        while !file.is_empty() {
            let length = word(file, 4) as usize;
            let (block, rest) = file.split_at(length);
            assert_eq!((length % 4, word(block, length - 4) as usize), (0, length));
            if word(block, 0) == ENHANCED_PACKET {
                let time_ns = u64::from(word(block, 12)) << 32 | u64::from(word(block, 16));
                let bytes = block[28..28 + word(block, 20) as usize].to_vec();
                found.push((word(block, 8), time_ns, bytes));
            }
            file = rest;
        }
        found
    }

    proptest! {
        #[test]
        fn packets_read_back(sent in prop::collection::vec((0u32..3, any::<u64>(), prop::collection::vec(any::<u8>(), 0..600)), 0..20)) {
            let interfaces = ["a", "bc", "def"].map(|name| Interface { name, link_type: EXPERIMENTAL_ETHERNET });
            let given = sent.iter().map(|(interface, time_ns, bytes)| Packet { interface: *interface, time_ns: *time_ns, bytes });
            let file = encode(&interfaces, given);
            prop_assert_eq!(packets(&file), sent);
        }
    }
}
