//! The slots of the radix queue: entries by the highest digit in which their time differs from now.

use std::cmp::Reverse;

use super::chunks::{Chunks, Pile};
use super::digits::{DIGIT_BITS, Digits, highest_bit};
use super::entry::Entry;
use super::sorter::Sorter;

const VALUES: usize = 1 << DIGIT_BITS;
const BITS: usize = u64::BITS as usize;

/// The mean time of a slot is taken over at least this many of its entries.
const LEAST_SEEN: usize = 64;

/// The entries of a chunk that is split are read in parts of this number, and with each part the same part of the next
/// chunk is fetched. More fetches at once would wait for one another.
const FETCHED: usize = 8;

/// Entries by the highest digit in which their time differs from a base, and by the value of that digit.
///
/// All entries of a lower digit come before all of a higher one, and within a digit its values follow one another in
/// time.
pub(super) struct Slots<E> {
    chunks: Chunks<E>,
    digits: Digits,
    rows: [Row; BITS],
    /// The digits of which any slot has entries.
    filled: u64,
    base: u64,
    sorter: Sorter,
}

impl<E: Copy> Slots<E> {
    pub fn new() -> Self {
        Self {
            chunks: Chunks::new(),
            digits: Digits::new(),
            rows: [const { Row::new() }; BITS],
            filled: 0,
            base: 0,
            sorter: Sorter::new(),
        }
    }

    #[inline]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Files an entry, whose time is not before the base.
    #[inline]
    pub fn file(&mut self, entry: Entry<E>) {
        let digit = self.digits.highest(entry.time ^ self.base);
        let value = (entry.time >> digit) as usize % VALUES;
        match self.rows[digit].piles.get_mut(value) {
            Some(pile) if !pile.is_full() => self.chunks.push(pile, entry),
            _ => self.file_in_another_chunk(digit, value, entry),
        }
    }

    /// As [`file`](Self::file), where the slot needs another chunk.
    #[inline(never)]
    fn file_in_another_chunk(&mut self, digit: usize, value: usize, entry: Entry<E>) {
        self.filled |= 1 << digit;
        let pile = self.rows[digit].fill(value);
        self.chunks.extend(pile, entry);
        self.chunks.push(pile, entry);
    }

    /// Moves the base to the start of the slot of this digit that `time` belongs to, and returns that slot's end.
    ///
    /// Entries keep their place: those of higher digits still differ from the base first where they did, and lower
    /// digits must be empty.
    #[inline]
    pub fn rebase(&mut self, time: u64, digit: u32) -> u64 {
        let length = 1u64 << digit;
        self.base = time & !(length - 1);
        self.digits.free_below(digit);
        self.base.saturating_add(length)
    }

    /// Moves the base to a slot that has `earliest` and not `latest`, both of the slot that the base was moved to last,
    /// and returns its end.
    pub fn narrow(&mut self, earliest: u64, latest: u64) -> u64 {
        let digit = self.digits.divide_in_few(earliest ^ latest);
        self.rebase(earliest, digit)
    }

    /// Takes the first slot's entries into `front`, latest first, and returns the slot's digit; none where every slot
    /// is empty.
    ///
    /// A slot of more than one chunk is first split, until the part with its earliest entries is of one chunk or of one
    /// instant: only that part is taken.
    #[inline]
    pub fn take_first(&mut self, front: &mut Vec<Entry<E>>) -> Option<u32> {
        if self.filled == 0 {
            return None;
        }
        let (mut digit, mut pile) = self.take_first_pile();
        while self.split(digit, pile) {
            (digit, pile) = self.take_first_pile();
        }
        self.fetch_first();
        self.take_sorted(pile, digit, front);
        Some(digit)
    }

    /// Takes the entries of a slot of this digit that is not empty into `front`, latest first.
    #[inline]
    fn take_sorted(&mut self, mut pile: Pile, digit: u32, front: &mut Vec<Entry<E>>) {
        let (places, rest) = self.chunks.split_last(pile);
        if rest.is_empty() && digit <= Sorter::HIGHEST_DIGIT {
            self.sorter.sort(self.chunks.slice(places), digit, front);
            self.chunks.release_last(pile);
            return;
        }
        while !pile.is_empty() {
            let (places, rest) = self.chunks.split_last(pile);
            front.extend_from_slice(self.chunks.slice(places));
            self.chunks.release_last(pile);
            pile = rest;
        }
        front.sort_unstable_by_key(|entry| Reverse(entry.key()));
    }

    /// Prefetches the first slot's entries, which are likely to be taken when the front is empty again.
    #[inline]
    fn fetch_first(&self) {
        if self.filled != 0 {
            let row = &self.rows[self.filled.trailing_zeros() as usize];
            self.chunks.fetch_last(row.piles[row.first_value()]);
        }
    }

    /// Takes the first slot, and returns its digit.
    #[inline]
    fn take_first_pile(&mut self) -> (u32, Pile) {
        let digit = self.filled.trailing_zeros();
        let row = &mut self.rows[digit as usize];
        let pile = row.take_first();
        if row.is_empty() {
            self.filled &= self.filled - 1;
        }
        (digit, pile)
    }

    /// Splits a slot of this digit, which was the first and has been taken. False where it need not be: it is of one
    /// chunk or of one instant.
    #[inline]
    fn split(&mut self, digit: u32, pile: Pile) -> bool {
        let (_, rest) = self.chunks.split_last(pile);
        !rest.is_empty() && self.split_long(digit, pile)
    }

    /// As [`split`](Self::split), of several chunks.
    #[inline(never)]
    fn split_long(&mut self, digit: u32, mut pile: Pile) -> bool {
        let places = self.chunks.split_last(pile).0;
        let any = self.chunks.get(places.start).time;
        let start = any & !((1u64 << digit) - 1);
        let (difference, mean) = self.survey(digit, pile, start);
        if difference == 0 {
            return false;
        }
        self.base = any & !((2u64 << highest_bit(difference)).wrapping_sub(1));
        self.digits.free_below(digit);
        self.digits.divide_for(self.chunks.count(pile), difference, mean.saturating_sub(self.base - start));
        while !pile.is_empty() {
            let (places, rest) = self.chunks.split_last(pile);
            let ahead = rest.last_start().wrapping_sub(places.start);
            for part in places.clone().step_by(FETCHED) {
                self.chunks.fetch(part.wrapping_add(ahead), FETCHED);
                for place in part..places.end.min(part + FETCHED) {
                    self.file(self.chunks.get(place));
                }
            }
            self.chunks.release_last(pile);
            pile = rest;
        }
        true
    }

    /// The bits in which times of a slot of this digit differ, and how long after its start they are on average.
    ///
    /// The mean only chooses digits: times of weeks may make it too small. Of a long slot entries are read only until
    /// two of them differ in the highest possible bit.
    fn survey(&self, digit: u32, mut pile: Pile, start: u64) -> (u64, u64) {
        let (mut difference, mut seen, mut sum) = (0, 0, 0u64);
        let any = self.chunks.get(self.chunks.split_last(pile).0.start).time;
        while !pile.is_empty() && (seen < LEAST_SEEN || highest_bit(difference) + 1 < digit) {
            let (places, rest) = self.chunks.split_last(pile);
            seen += places.len();
            for entry in self.chunks.slice(places) {
                difference |= entry.time ^ any;
                sum = sum.saturating_add(entry.time - start);
            }
            pile = rest;
        }
        (difference, sum / seen as u64)
    }

    /// The number of entries there is room for.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.chunks.room()
    }
}

/// The slots of a digit.
struct Row {
    /// A slot for each value, once the digit is in use.
    piles: Vec<Pile>,
    /// The values whose slot has entries, and which words of them are not zero.
    filled: [u64; VALUES / BITS],
    words: u64,
}

impl Row {
    const fn new() -> Self {
        Self { piles: Vec::new(), filled: [0; VALUES / BITS], words: 0 }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// The slot of this value, which is about to have entries.
    #[inline]
    fn fill(&mut self, value: usize) -> &mut Pile {
        if self.piles.is_empty() {
            self.piles.resize(VALUES, Pile::default());
        }
        self.filled[value / BITS] |= 1 << (value % BITS);
        self.words |= 1 << (value / BITS);
        &mut self.piles[value]
    }

    /// The first value whose slot has entries.
    #[inline]
    fn first_value(&self) -> usize {
        let at = self.words.trailing_zeros() as usize;
        at * BITS + self.filled[at].trailing_zeros() as usize
    }

    /// Takes the first slot that has entries.
    #[inline]
    fn take_first(&mut self) -> Pile {
        let value = self.first_value();
        let word = &mut self.filled[value / BITS];
        *word &= *word - 1;
        if *word == 0 {
            self.words &= self.words - 1;
        }
        core::mem::take(&mut self.piles[value])
    }
}
