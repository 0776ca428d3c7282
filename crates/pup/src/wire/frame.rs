//! Frames of the experimental Ethernet, and the datagrams that carry them between emulated Altos.
//!
//! Emulators send a frame in a UDP datagram to port 42424: a 16-bit word with the number of words that follow, then the
//! frame without its CRC: destination, source, type, Pup.

use thiserror::Error;

/// The UDP port of the emulators.
pub const EMULATORS_PORT: u16 = 42_424;
/// The Ethernet type of a Pup.
pub const PUP_TYPE: u16 = 0o1000;

/// Bytes of a frame before its data: destination, source, type.
const ADDRESSES: usize = 4;
/// Bytes of a datagram before the frame: the number of words.
const WORDS: usize = 2;

/// A frame of the experimental Ethernet, without its CRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EthernetFrame<'a> {
    /// The host that it is for; 0 is every host.
    pub destination: u8,
    /// The host that sends it.
    pub source: u8,
    /// What the data are: [`PUP_TYPE`] for a Pup.
    pub kind: u16,
    /// The data, with whatever padding follows them.
    pub data: &'a [u8],
}

/// Why a datagram holds no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Fewer bytes than length, addresses and type take.
    #[error("{0} bytes are fewer than an encapsulated frame takes")]
    TooShort(usize),
    /// The length states more words than there are, or fewer than a frame has.
    #[error("the length tells of {told} words where there are {there}")]
    Length {
        /// The length, in words.
        told: usize,
        /// The whole words behind it.
        there: usize,
    },
}

impl<'a> EthernetFrame<'a> {
    /// The frame in a datagram. Bytes beyond its stated length are padding.
    ///
    /// # Errors
    /// Where the datagram is cut, or its length is impossible.
    pub fn of_datagram(datagram: &'a [u8]) -> Result<Self, FrameError> {
        if datagram.len() < WORDS + ADDRESSES {
            return Err(FrameError::TooShort(datagram.len()));
        }
        let told = usize::from(u16::from_be_bytes([datagram[0], datagram[1]]));
        let there = (datagram.len() - WORDS) / 2;
        if told > there || told < ADDRESSES / 2 {
            return Err(FrameError::Length { told, there });
        }
        let frame = &datagram[WORDS..WORDS + 2 * told];
        let kind = u16::from_be_bytes([frame[2], frame[3]]);
        Ok(Self { destination: frame[0], source: frame[1], kind, data: &frame[ADDRESSES..] })
    }

    /// Writes the datagram behind what `bytes` holds. Panics where the data are longer than any frame: a program error.
    pub fn write_datagram(&self, bytes: &mut Vec<u8>) {
        let words = (ADDRESSES + self.data.len().next_multiple_of(2)) / 2;
        let words = u16::try_from(words).expect("a frame is short");
        bytes.extend_from_slice(&words.to_be_bytes());
        self.write(bytes);
        bytes.resize(bytes.len() + self.data.len() % 2, 0);
    }

    /// Writes the frame itself behind what `bytes` holds.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&[self.destination, self.source]);
        bytes.extend_from_slice(&self.kind.to_be_bytes());
        bytes.extend_from_slice(self.data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_datagram_begins_with_its_length_in_words() {
        let frame = EthernetFrame { destination: 0o42, source: 0o101, kind: PUP_TYPE, data: &[1, 2, 3] };
        let mut datagram = Vec::new();
        frame.write_datagram(&mut datagram);
        assert_eq!(datagram, [0, 4, 0o42, 0o101, 2, 0, 1, 2, 3, 0]);
    }

    #[test]
    fn a_length_that_lies_is_refused_and_padding_is_not() {
        let mut datagram = vec![0, 3, 1, 2, 2, 0, 7, 7];
        datagram.extend([0; 40]);
        assert_eq!(EthernetFrame::of_datagram(&datagram).map(|frame| frame.data), Ok(&[7, 7][..]));
        let lies = |told| Err(FrameError::Length { told, there: 23 });
        for told in [1u8, 24] {
            datagram[1] = told;
            assert_eq!(EthernetFrame::of_datagram(&datagram), lies(usize::from(told)));
        }
        assert_eq!(EthernetFrame::of_datagram(&datagram[..5]), Err(FrameError::TooShort(5)));
    }

    proptest! {
        #[test]
        fn frames_read_back(
            destination: u8, source: u8, kind: u16, data in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            let frame = EthernetFrame { destination, source, kind, data: &data };
            let mut datagram = Vec::new();
            frame.write_datagram(&mut datagram);
            let found = EthernetFrame::of_datagram(&datagram).expect("what is written can be read");
            prop_assert_eq!((found.destination, found.source, found.kind), (destination, source, kind));
            prop_assert_eq!(&found.data[..data.len()], &data[..]);
            prop_assert!(found.data.len() - data.len() <= 1, "at most a byte of padding");
        }
    }
}
