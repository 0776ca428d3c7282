//! Sorting the entries of one chunk by time in single words, which takes half the time of sorting the entries.

use std::cmp::Reverse;

use super::chunks::CHUNK;
use super::entry::Entry;

/// The number of bits of an entry's place in its chunk.
const PLACE_BITS: u32 = CHUNK.ilog2();

/// Up to this many entries are sorted by counting the earlier ones of each. Counting has no branches to mispredict;
/// with more entries, n² comparisons cost more than sorting.
const COUNTED: usize = 20;

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

    /// Puts the entries of a chunk, which are of one slot, into the empty `front`, latest first.
    #[inline]
    pub fn sort<E: Copy>(&mut self, entries: &[Entry<E>], front: &mut Vec<Entry<E>>) {
        if let [only] = entries {
            front.push(*only);
            return;
        }
        if self.tied {
            front.extend_from_slice(entries);
            front.sort_unstable_by_key(|entry| Reverse(entry.key()));
            self.tied = has_ties(front);
            return;
        }
        self.sort_by_time(entries, front);
        if has_ties(front) {
            self.tied = true;
            front.sort_unstable_by_key(|entry| Reverse(entry.key()));
        }
    }

    #[inline]
    fn sort_by_time<E: Copy>(&mut self, entries: &[Entry<E>], front: &mut Vec<Entry<E>>) {
        self.keys.clear();
        self.keys.extend((0..).zip(entries).map(|(place, entry)| entry.time << PLACE_BITS | place));
        if entries.len() <= COUNTED {
            front.extend_from_slice(entries);
            let last = entries.len() - 1;
            for (key, entry) in self.keys.iter().zip(entries) {
                let earlier: usize = self.keys.iter().map(|other| usize::from(other < key)).sum();
                front[last - earlier] = *entry;
            }
        } else {
            self.keys.sort_unstable();
            front.extend(self.keys.iter().rev().map(|key| entries[*key as usize % CHUNK]));
        }
    }
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
                sorter.sort(&entries, &mut front);
                let mut expected = entries;
                expected.sort_unstable_by_key(|entry| Reverse(entry.key()));
                let events =
                    |entries: &[Entry<u64>]| entries.iter().map(|entry| entry.event).collect::<Vec<_>>();
                assert_eq!(events(&front), events(&expected), "{length} entries, {bits} bits");
            }
        }
    }
}
