//! The parts into which data are divided.

use hopscope_units::Data;

/// A vector of a number of bytes, divided into parts that differ by at most a byte, the longer ones first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    bytes: u64,
    parts: u64,
}

impl Parts {
    pub(crate) fn new(data: Data, parts: usize) -> Self {
        Self { bytes: data.bytes(), parts: parts as u64 }
    }

    /// The bytes of the parts from `first` on, `count` of them.
    pub(crate) fn bytes(self, first: usize, count: usize) -> Data {
        let before = |part: usize| {
            let part = part as u64;
            part * (self.bytes / self.parts) + part.min(self.bytes % self.parts)
        };
        Data::from_bytes(before(first + count) - before(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_make_the_whole_and_differ_by_a_byte(bytes in 1u64..1 << 40, parts in 1usize..100) {
            let cut = Parts::new(Data::from_bytes(bytes), parts);
            let each: Vec<u64> = (0..parts).map(|part| cut.bytes(part, 1).bytes()).collect();
            prop_assert_eq!(each.iter().sum::<u64>(), bytes);
            prop_assert!(each[0] - each[parts - 1] <= 1);
            prop_assert_eq!(cut.bytes(0, parts).bytes(), bytes);
        }
    }
}
