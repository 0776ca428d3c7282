//! The Pup software checksum: add and left cycle, in one's-complement arithmetic ("Pup: An Internetwork Architecture",
//! 1980).

/// On the wire: the sender has not computed a checksum.
pub const NO_CHECKSUM: u16 = 0xFFFF;

/// The checksum of these bytes, taken as 16-bit words with the most significant byte first; an odd last byte is padded
/// with 0.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u16 {
    // Sixteen left cycles change nothing, so words that are sixteen apart are cycled alike and can be summed first.
    let mut sums = [0_u64; CYCLE];
    let mut cycles = bytes.chunks_exact(2 * CYCLE);
    for cycle in &mut cycles {
        for (sum, pair) in sums.iter_mut().zip(cycle.chunks_exact(2)) {
            *sum += u64::from(u16::from_be_bytes([pair[0], pair[1]]));
        }
    }
    let summed = sums.into_iter().map(|sum| (sum % ONES) as u16);
    let rest = cycles.remainder().chunks(2);
    let rest = rest.map(|pair| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
    canonical(summed.chain(rest).fold(0, |sum, word| add(sum, word).rotate_left(1)))
}

/// Left cycles after which a word is what it was.
const CYCLE: usize = 16;

/// One's-complement arithmetic of 16 bits is arithmetic modulo this.
const ONES: u64 = 0xFFFF;

/// One's-complement addition: the carry comes round to the lowest bit.
fn add(a: u16, b: u16) -> u16 {
    let (sum, carry) = a.overflowing_add(b);
    sum + u16::from(carry)
}

/// One's complement has two zeros; the checksum uses the one that does not mean "no checksum".
fn canonical(sum: u16) -> u16 {
    if sum == NO_CHECKSUM { 0 } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn adds_and_cycles_word_by_word() {
        assert_eq!(checksum(&[]), 0);
        assert_eq!(checksum(&[0x00, 0x01]), 2, "the last word is cycled too");
        assert_eq!(checksum(&[0x80, 0x00]), 1, "the highest bit comes round");
        assert_eq!(checksum(&[0x00, 0x01, 0x00, 0x01]), 6);
        assert_eq!(checksum(&[0xFF, 0xFF]), 0, "minus zero is written as zero");
        assert_eq!(checksum(&[0x12]), checksum(&[0x12, 0x00]), "an odd byte is padded");
    }

    proptest! {
        #[test]
        fn it_is_the_sum_of_its_definition(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let word = |pair: &[u8]| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
            let sum = bytes.chunks(2).fold(0, |sum, pair| add(sum, word(pair)).rotate_left(1));
            prop_assert_eq!(checksum(&bytes), canonical(sum));
        }

        #[test]
        fn one_wrong_bit_is_seen(
            mut bytes in prop::collection::vec(any::<u8>(), 2..554),
            at in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let before = checksum(&bytes);
            let at = at.index(bytes.len());
            bytes[at] ^= 1u8 << bit;
            prop_assert_ne!(checksum(&bytes), before);
        }
    }
}
