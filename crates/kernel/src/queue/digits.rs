//! The digits of a time by which the queue's slots are distinguished.

/// The largest number of bits in a digit.
pub(super) const DIGIT_BITS: u32 = 10;

/// A slot is split into at least two to this power parts.
const LEAST_BITS: u32 = 3;

/// The number of events intended for the first part of a split slot if they become fewer with time, and half as many if
/// they are spread evenly. Opening a slot costs as much as sorting some ten events, so that parts should not be small.
const PART: u64 = 64;

/// Digits that are made for times around a mean reach this many times as far ahead, so that fewer events move once
/// more.
const REACH: u64 = 8;

/// The digits of a time, each named by its lowest bit.
///
/// The division into digits is not fixed. When a slot is split, the bits below it are divided anew by the number and
/// the times of its events, like the buckets of a rung of a ladder queue.
pub(super) struct Digits {
    /// For each bit, its digit. Bits below the lowest digit count to that.
    of: [u8; u64::BITS as usize],
    /// Digits below this bit may be divided anew: no event is filed by them.
    free: u32,
}

impl Digits {
    pub fn new() -> Self {
        let mut digits = Self { of: [0; u64::BITS as usize], free: u64::BITS };
        digits.divide(0, 0);
        digits
    }

    /// The highest digit in which times differ, given the bits in which they do; the lowest digit where they are equal.
    #[inline]
    pub fn highest(&self, difference: u64) -> usize {
        usize::from(self.of[highest_bit(difference) as usize])
    }

    /// From now on no event is filed by digits below this one.
    #[inline]
    pub fn free_below(&mut self, digit: u32) {
        self.free = digit;
    }

    /// Divides the free bits for a slot that is split in a few parts, whose events differ in these bits, and returns
    /// the lowest digit.
    pub fn divide_in_few(&mut self, difference: u64) -> u32 {
        let highest = highest_bit(difference);
        let lowest = (highest + 1).saturating_sub(LEAST_BITS);
        self.divide(lowest, highest + 1);
        lowest
    }

    /// Divides the free bits for a slot with this many events, which differ in these bits and have this mean time after
    /// its start.
    pub fn divide_for(&mut self, events: u64, difference: u64, mean: u64) {
        let highest = highest_bit(difference);
        let part = mean.saturating_mul(PART) / events;
        let lowest = highest_bit(part).min((highest + 1).saturating_sub(LEAST_BITS));
        let end = highest_bit(mean.saturating_mul(REACH)).min(highest) + 1;
        self.divide(lowest, end);
    }

    /// Divides the free bits: those from `lowest` to before `end` into as few digits as possible, alike in length, and
    /// those from `end` on into long ones.
    fn divide(&mut self, lowest: u32, end: u32) {
        let bits = end.saturating_sub(lowest).max(1);
        let length = bits.div_ceil(bits.div_ceil(DIGIT_BITS));
        let mut digit = lowest;
        for bit in 0..self.free {
            let next = if digit < end { end.min(digit + length) } else { digit + DIGIT_BITS };
            if bit >= next {
                digit = bit;
            }
            self.of[bit as usize] = digit as u8;
        }
    }
}

/// The highest bit that is set; the lowest where none is.
#[inline]
pub(super) fn highest_bit(bits: u64) -> u32 {
    (bits | 1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of each digit its lowest bit and its length, from the lowest digit on.
    fn lengths(digits: &Digits) -> Vec<(u8, usize)> {
        digits.of.chunk_by(|one, next| one == next).map(|bits| (bits[0], bits.len())).collect()
    }

    #[test]
    fn a_new_queue_has_long_digits() {
        assert_eq!(
            lengths(&Digits::new()),
            [(0, 10), (10, 10), (20, 10), (30, 10), (40, 10), (50, 10), (60, 4)]
        );
    }

    /// A thousand events 2^20 ps ahead on average: parts of 2^16 ps, for 64 events, up to 2^23, eight times as far.
    #[test]
    fn a_slot_is_divided_by_its_number_of_events() {
        let mut digits = Digits::new();
        digits.free_below(30);
        digits.divide_for(1_024, 1 << 29, 1 << 20);
        assert_eq!(lengths(&digits)[..3], [(16, 24), (24, 6), (30, 10)]);
    }

    /// A million: 18 bits are two digits of nine.
    #[test]
    fn digits_are_alike_in_length() {
        let mut digits = Digits::new();
        digits.free_below(30);
        digits.divide_for(1 << 20, 1 << 29, 1 << 26);
        assert_eq!(lengths(&digits)[..3], [(12, 21), (21, 9), (30, 10)]);
    }

    /// However far the mean, the highest bit in which events differ separates some of them.
    #[test]
    fn a_slot_is_split_at_least_in_eight() {
        let mut digits = Digits::new();
        digits.free_below(30);
        digits.divide_for(65, 1 << 4, 1 << 28);
        assert_eq!(digits.highest(1 << 4), 2);
    }
}
