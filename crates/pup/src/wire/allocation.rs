//! What an acknowledgment allows the sender of a stream (byte stream protocol).

/// How much a receiver is ready to take beyond what it acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The most bytes in one Pup.
    pub bytes_a_pup: u16,
    /// Pups.
    pub pups: u16,
    /// Bytes in all of them.
    pub bytes: u16,
}

impl Allocation {
    /// The allocation as the data of an acknowledgment.
    #[must_use]
    pub fn to_data(self) -> [u8; 6] {
        let ([a, b], [c, d], [e, f]) =
            (self.bytes_a_pup.to_be_bytes(), self.pups.to_be_bytes(), self.bytes.to_be_bytes());
        [a, b, c, d, e, f]
    }

    /// Reads the data of an acknowledgment; nothing where they are too short.
    #[must_use]
    pub fn of_data(data: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u16::from_be_bytes([*data.get(at)?, *data.get(at + 1)?]));
        Some(Self { bytes_a_pup: word(0)?, pups: word(2)?, bytes: word(4)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn allocations_read_back(bytes_a_pup: u16, pups: u16, bytes: u16) {
            let allocation = Allocation { bytes_a_pup, pups, bytes };
            prop_assert_eq!(Allocation::of_data(&allocation.to_data()), Some(allocation));
            prop_assert_eq!(Allocation::of_data(&allocation.to_data()[..5]), None);
        }
    }
}
