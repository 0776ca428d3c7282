//! The slots of the radix queue: entries by the highest digit in which their time differs from now.

use std::cmp::Reverse;

use super::chunks::{Chunks, Pile};
use super::entry::Entry;
use super::sorter::Sorter;

pub(super) const DIGIT_BITS: u32 = 6;
const RADIX: usize = 1 << DIGIT_BITS;
const LEVELS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;

/// The place of the highest digit in which times differ, given the bits in which they do.
#[inline]
pub(super) fn level(difference: u64) -> usize {
    ((difference | 1).ilog2() / DIGIT_BITS) as usize
}

#[inline]
fn digit(time: u64, level: usize) -> usize {
    (time >> (level as u32 * DIGIT_BITS)) as usize % RADIX
}

/// Entries by the highest digit in which their time differs from a base, and by the value of that digit.
///
/// All entries of a lower level come before all of a higher one, and within a level the digits follow one another in
/// time.
pub(super) struct Slots<E> {
    chunks: Chunks<E>,
    piles: Vec<Pile>,
    /// For each level, the digits whose slot has entries.
    digits: [u64; LEVELS],
    /// The levels of which any slot has.
    levels: u32,
    base: u64,
    sorter: Sorter,
}

impl<E: Copy> Slots<E> {
    pub fn new() -> Self {
        Self {
            chunks: Chunks::new(),
            piles: vec![Pile::default(); LEVELS * RADIX],
            digits: [0; LEVELS],
            levels: 0,
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
        self.put(level(entry.time ^ self.base), entry);
    }

    #[inline]
    fn put(&mut self, level: usize, entry: Entry<E>) {
        let digit = digit(entry.time, level);
        let pile = &mut self.piles[level * RADIX + digit];
        if pile.is_full() {
            self.digits[level] |= 1 << digit;
            self.levels |= 1 << level;
            self.chunks.extend(pile, entry);
        }
        self.chunks.push(pile, entry);
    }

    /// Moves the base to the start of the slot of this level that `time` belongs to, and returns that slot's end.
    ///
    /// Entries keep their place: those of higher levels still differ from the base first where they did, and lower
    /// levels must be empty.
    #[inline]
    pub fn rebase(&mut self, time: u64, level: usize) -> u64 {
        let length = 1u64 << (level as u32 * DIGIT_BITS);
        self.base = time & !(length - 1);
        self.base.saturating_add(length)
    }

    /// Takes the first slot's entries into `front`, latest first, and returns the slot's level; none where every slot
    /// is empty.
    ///
    /// A slot of more than one chunk is first split, until the part with its earliest entries is of one chunk or of one
    /// instant: only that part is taken.
    #[inline]
    pub fn take_first(&mut self, front: &mut Vec<Entry<E>>) -> Option<usize> {
        if self.levels == 0 {
            return None;
        }
        let mut level = self.levels.trailing_zeros() as usize;
        let mut pile = self.take_first_of(level);
        while let Some(below) = self.level_to_split(level, pile) {
            self.spread(pile, below);
            level = below;
            pile = self.take_first_of(level);
        }
        self.take_sorted(pile, level, front);
        Some(level)
    }

    /// Takes the entries of a slot of this level that is not empty into `front`, latest first.
    #[inline]
    fn take_sorted(&mut self, mut pile: Pile, level: usize, front: &mut Vec<Entry<E>>) {
        let (places, rest) = self.chunks.split_last(pile);
        if rest.is_empty() && level <= Sorter::HIGHEST_LEVEL {
            self.sorter.sort(self.chunks.slice(places), front);
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

    #[inline]
    fn take_first_of(&mut self, level: usize) -> Pile {
        let digit = self.digits[level].trailing_zeros() as usize;
        self.digits[level] &= self.digits[level] - 1;
        if self.digits[level] == 0 {
            self.levels &= !(1 << level);
        }
        core::mem::take(&mut self.piles[level * RADIX + digit])
    }

    /// The level at which a slot of this level must be split: the highest where its times differ; none where it need
    /// not.
    #[inline]
    fn level_to_split(&self, slot_level: usize, pile: Pile) -> Option<usize> {
        let (mut places, mut rest) = self.chunks.split_last(pile);
        if rest.is_empty() {
            return None;
        }
        let any = self.chunks.get(places.start).time;
        let mut difference = 0;
        loop {
            difference |= self.chunks.slice(places).iter().fold(0, |bits, entry| bits | (entry.time ^ any));
            if rest.is_empty() || (difference != 0 && level(difference) + 1 >= slot_level) {
                return (difference != 0).then(|| level(difference));
            }
            (places, rest) = self.chunks.split_last(rest);
        }
    }

    /// Puts the entries of a pile into the slots of this level.
    #[inline]
    fn spread(&mut self, mut pile: Pile, level: usize) {
        while !pile.is_empty() {
            let (places, rest) = self.chunks.split_last(pile);
            for place in places {
                self.put(level, self.chunks.get(place));
            }
            self.chunks.release_last(pile);
            pile = rest;
        }
    }

    /// The number of entries there is room for.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.chunks.room()
    }
}
