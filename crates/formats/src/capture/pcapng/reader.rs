//! Reads a pcapng file back: blocks, interfaces and packets, for tests and inspection.

use thiserror::Error;

use super::{
    BYTE_ORDER, ENHANCED_PACKET, INTERFACE_DESCRIPTION, OPTION_END, OPTION_NAME, OPTION_RESOLUTION, Packet,
    RESOLUTION, SECTION_HEADER,
};

/// Type, length, and the length again.
const FRAME: usize = 12;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The interfaces with their names and link types.
    pub interfaces: Vec<(String, u16)>,
    /// The packets in the order of the file.
    pub packets: Vec<CapturedPacket>,
}

/// A packet of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedPacket {
    /// On which interface, by its place in the list.
    pub interface: u32,
    /// Nanoseconds since the capture's time zero.
    pub time_ns: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl CapturedPacket {
    /// The packet as it is given to a [`Writer`](super::Writer).
    #[must_use]
    pub fn packet(&self) -> Packet<'_> {
        Packet { interface: self.interface, time_ns: self.time_ns, bytes: &self.bytes }
    }
}

/// Why bytes are no capture that can be read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PcapngError {
    /// The file does not begin as one does, or in the other byte order.
    #[error("the file does not begin with the section header of a little-endian pcapng file")]
    NoHeader,
    /// A block's length is impossible, or the file ends within it.
    #[error("the block at byte {0} is cut, or its length is wrong")]
    Cut(usize),
    /// A packet's interface has not been described.
    #[error("the packet at byte {0} was captured on an interface that the file does not describe")]
    NoInterface(usize),
    /// Times in another unit than nanoseconds.
    #[error("the interface at byte {0} does not count time in nanoseconds")]
    Resolution(usize),
}

/// Reads a capture of one section, little endian, with times in nanoseconds: what [`Writer`](super::Writer) writes.
/// Blocks of other kinds are passed over.
///
/// # Errors
/// Where the bytes are no such file, with the place.
pub fn read(file: &[u8]) -> Result<Captured, PcapngError> {
    let magic = (word(file, 0), word(file, 8));
    if magic != (Some(SECTION_HEADER), Some(BYTE_ORDER)) {
        return Err(PcapngError::NoHeader);
    }
    let (mut found, mut at) = (Captured::default(), 0);
    while at < file.len() {
        let body = body(file, at).ok_or(PcapngError::Cut(at))?;
        match word(file, at) {
            Some(INTERFACE_DESCRIPTION) => found.interfaces.push(interface(body, at)?),
            Some(ENHANCED_PACKET) => {
                let packet = packet(body).ok_or(PcapngError::Cut(at))?;
                if packet.interface as usize >= found.interfaces.len() {
                    return Err(PcapngError::NoInterface(at));
                }
                found.packets.push(packet);
            }
            _ => {}
        }
        at += body.len() + FRAME;
    }
    Ok(found)
}

/// What stands between the two lengths of the block that begins here.
fn body(file: &[u8], at: usize) -> Option<&[u8]> {
    let length = word(file, at + 4)? as usize;
    let block = file.get(at..at.checked_add(length)?)?;
    let whole = length >= FRAME && length.is_multiple_of(4) && word(block, length - 4)? as usize == length;
    whole.then(|| &block[8..length - 4])
}

fn interface(body: &[u8], at: usize) -> Result<(String, u16), PcapngError> {
    let link_type = half(body, 0).ok_or(PcapngError::Cut(at))?;
    let (mut name, mut resolution, mut next) = (String::new(), None, 8);
    while let (Some(code), Some(length)) = (half(body, next), half(body, next + 2)) {
        let length = usize::from(length);
        let value = body.get(next + 4..next + 4 + length).ok_or(PcapngError::Cut(at))?;
        match code {
            OPTION_END => break,
            OPTION_NAME => name = String::from_utf8_lossy(value).into_owned(),
            OPTION_RESOLUTION => resolution = value.first().copied(),
            _ => {}
        }
        next += 4 + length.next_multiple_of(4);
    }
    if resolution == Some(RESOLUTION) { Ok((name, link_type)) } else { Err(PcapngError::Resolution(at)) }
}

fn packet(body: &[u8]) -> Option<CapturedPacket> {
    let time_ns = u64::from(word(body, 4)?) << 32 | u64::from(word(body, 8)?);
    let length = word(body, 12)? as usize;
    let bytes = body.get(20..length.checked_add(20)?)?.to_vec();
    Some(CapturedPacket { interface: word(body, 0)?, time_ns, bytes })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
