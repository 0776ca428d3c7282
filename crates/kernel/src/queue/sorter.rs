//! Sorting the entries of one chunk by time, in parts of a word where these tell all apart, or else in single words,
//! which takes half the time of sorting the entries.

use std::cmp::Reverse;

use super::chunks::CHUNK;
use super::entry::Entry;

/// The number of bits of an entry's place in its chunk.
const PLACE_BITS: u32 = CHUNK.ilog2();

/// The bits of times that are compared first: what a number of 16 bits holds beside its sign, because processors
/// compare many numbers at once only with their signs.
const COARSE_BITS: u32 = i16::BITS - 1;

/// The number of keys that are compared at once.
const LANES: usize = 16;

/// Sorts entries of one chunk.
pub(super) struct Sorter {
    /// For each entry, its time without the common leading bits, and its place.
    keys: Vec<u64>,
    /// Whether the last chunk had events of one instant: then the next is likely to, and is sorted by whole keys at
    /// once.
    tied: bool,
}

impl Sorter {
    /// The highest digit whose slots can be sorted: their times agree in as many leading bits as a place takes.
    pub const HIGHEST_DIGIT: u32 = u64::BITS - PLACE_BITS;

    pub fn new() -> Self {
        Self { keys: Vec::with_capacity(CHUNK), tied: false }
    }

    /// Puts the entries of a chunk, which are of one slot of this digit, into the empty `front`, latest first.
    #[inline]
    pub fn sort<E: Copy>(&mut self, entries: &[Entry<E>], digit: u32, front: &mut Vec<Entry<E>>) {
        if let [only] = entries {
            front.push(*only);
            return;
        }
        if self.tied {
            front.extend_from_slice(entries);
        } else {
            if sort_by_counting(entries, digit, front) {
                return;
            }
            self.sort_by_time(entries, front);
            if !has_ties(front) {
                return;
            }
        }
        front.sort_unstable_by_key(|entry| Reverse(entry.key()));
        self.tied = has_ties(front);
    }

    /// Puts the entries into the front by time. Apart, because it is seldom needed.
    #[inline(never)]
    fn sort_by_time<E: Copy>(&mut self, entries: &[Entry<E>], front: &mut Vec<Entry<E>>) {
        self.keys.clear();
        self.keys.extend((0..).zip(entries).map(|(place, entry)| entry.time << PLACE_BITS | place));
        self.keys.sort_unstable();
        front.clear();
        front.extend(self.keys.iter().rev().map(|key| entries[*key as usize % CHUNK]));
    }
}

/// Puts each entry into the empty front where the number of earlier ones says, by the highest bits in which times of a
/// slot of this digit differ. False where these do not tell all apart: then the front is not in order.
///
/// Counting all pairs needs no branch that could be guessed wrong. Numbers of 16 bits are compared eight at once by
/// every processor, so that up to a whole chunk it takes less time than sorting.
#[inline]
fn sort_by_counting<E: Copy>(entries: &[Entry<E>], digit: u32, front: &mut Vec<Entry<E>>) -> bool {
    let shift = digit.saturating_sub(COARSE_BITS);
    let mut keys = [i16::MAX; CHUNK];
    for (key, entry) in keys.iter_mut().zip(entries) {
        *key = (entry.time >> shift) as i16 & i16::MAX;
    }
    // Whole groups, which end with numbers that are earlier than none: all are compared at once, without a rest.
    let groups = &keys.as_chunks::<LANES>().0[..entries.len().div_ceil(LANES)];
    let keys = groups.as_flattened();
    front.extend_from_slice(entries);
    let last = entries.len() - 1;
    let mut pairs = 0i32;
    for (key, entry) in keys.iter().zip(entries) {
        // It counts at most a chunk.
        let earlier = keys.iter().fold(0i16, |count, other| count.wrapping_add(i16::from(other < key)));
        front[last.wrapping_sub(earlier as usize)] = *entry;
        pairs += i32::from(earlier);
    }
    // Of every two that differ, one has counted the other.
    pairs as usize == last * entries.len() / 2
}

/// Whether any two neighbours are of one instant.
#[inline]
fn has_ties<E>(front: &[Entry<E>]) -> bool {
    front.windows(2).fold(false, |any, two| any | (two[0].time == two[1].time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;

    /// Of every length a chunk has, with times that differ in any of the bits of a slot, and with few instants.
    #[test]
    fn a_chunk_is_sorted_as_its_entries_are() {
        let mut stream = RandomStream::named(1, "chunk", 0);
        let mut sorter = Sorter::new();
        for bits in [0, 1, 4, Sorter::HIGHEST_DIGIT] {
            for length in 1..=CHUNK {
                let leading = u64::MAX << bits;
                let entries = (0..length as u64)
                    .map(|event| Entry {
                        time: leading | stream.below(1 << bits),
                        order: stream.below(1 << 40),
                        event,
                    })
                    .collect::<Vec<_>>();
                let mut front = Vec::new();
                sorter.sort(&entries, bits, &mut front);
                let mut expected = entries;
                expected.sort_unstable_by_key(|entry| Reverse(entry.key()));
                let events =
                    |entries: &[Entry<u64>]| entries.iter().map(|entry| entry.event).collect::<Vec<_>>();
                assert_eq!(events(&front), events(&expected), "{length} entries, {bits} bits");
            }
        }
    }
}
