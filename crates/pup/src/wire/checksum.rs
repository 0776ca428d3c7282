//! The Pup software checksum: add and left cycle, in one's-complement arithmetic ("Pup: An Internetwork Architecture",
//! 1980).

/// On the wire: the sender has not computed a checksum.
pub const NO_CHECKSUM: u16 = 0xFFFF;

/// The checksum of these bytes, taken as 16-bit words with the most significant byte first; an odd last byte is padded
/// with 0.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
    canonical(bytes.chunks(2).fold(0, |sum, pair| add(sum, word(pair)).rotate_left(1)))
}

/// The checksum after one word has changed, without a look at the others: what a gateway does when it counts a hop.
///
/// `distance` is the number of words from the changed one to the checksum, 1 for the last word. A checksum that was not
/// computed stays so.
#[must_use]
pub fn update(checksum: u16, old: u16, new: u16, distance: usize) -> u16 {
    if checksum == NO_CHECKSUM {
        return NO_CHECKSUM;
    }
    // The left cycle doubles modulo 65535, so it can be done on the difference alone.
    let difference = add(new, !old).rotate_left((distance % 16) as u32);
    canonical(add(checksum, difference))
}

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
        fn the_update_agrees_with_a_new_checksum(
            mut words in prop::collection::vec(any::<u16>(), 1..277),
            at in any::<prop::sample::Index>(),
            new: u16,
        ) {
            let bytes = |words: &[u16]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
            let before = checksum(&bytes(&words));
            let at = at.index(words.len());
            let old = std::mem::replace(&mut words[at], new);
            prop_assert_eq!(update(before, old, new, words.len() - at), checksum(&bytes(&words)));
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
