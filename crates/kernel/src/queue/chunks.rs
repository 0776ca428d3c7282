//! The store of the queue's entries, in chunks that are reused.

use core::ops::Range;

use prefetch_index::prefetch_index;

use super::entry::Entry;

/// Entries in a chunk: enough for the processor to prefetch, few enough to be sorted at once.
pub(super) const CHUNK: usize = 64;

/// The bytes that a cache reads from memory at once.
const CACHE_LINE: usize = 64;

const NO_CHUNK: u32 = u32::MAX;

/// The store of every slot's entries: chunks that are allocated and returned, the last returned first.
///
/// Slots with arrays of their own would each keep their greatest size. Chunks are shared, and the one allocated next is
/// the one most likely still in the cache.
pub(super) struct Chunks<E> {
    entries: Vec<Entry<E>>,
    /// For each chunk in use, the one its pile filled before it; for each free chunk, the next free one.
    before: Vec<u32>,
    free: u32,
}

/// Entries in chunks of which all but the last are full.
#[derive(Clone, Copy, Default)]
pub(super) struct Pile {
    /// Where the next entry goes.
    next: u32,
    /// The end of the last chunk; 0 where there is none.
    end: u32,
}

impl Pile {
    fn last_chunk(self) -> u32 {
        (self.end / CHUNK as u32).wrapping_sub(1)
    }

    /// The first place of the last chunk; any place where there is none.
    #[inline]
    pub fn last_start(self) -> usize {
        (self.end as usize).saturating_sub(CHUNK)
    }

    /// Whether the next entry needs another chunk. An empty pile is full.
    #[inline]
    pub fn is_full(self) -> bool {
        self.next == self.end
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.end == 0
    }
}

impl<E: Copy> Chunks<E> {
    /// Entries in a cache line, at least one.
    const LINE: usize =
        if size_of::<Entry<E>>() < CACHE_LINE { CACHE_LINE / size_of::<Entry<E>>() } else { 1 };

    pub fn new() -> Self {
        Self { entries: Vec::new(), before: Vec::new(), free: NO_CHUNK }
    }

    /// Puts an entry on a pile that is not full.
    #[inline]
    pub fn push(&mut self, pile: &mut Pile, entry: Entry<E>) {
        let place = pile.next as usize;
        self.entries[place].set(entry);
        // Many other piles grow before this one does: what it writes next is there then.
        self.fetch(place + 2 * Self::LINE, 1);
        // It is before the end, so this does not wrap.
        pile.next = pile.next.wrapping_add(1);
    }

    /// Prefetches this number of entries from this place on. A place beyond all is passed over.
    #[inline]
    pub fn fetch(&self, place: usize, entries: usize) {
        for ahead in (0..entries).step_by(Self::LINE) {
            prefetch_index(&self.entries, place.wrapping_add(ahead));
        }
    }

    /// Prefetches the entries in the last chunk of a pile.
    #[inline]
    pub fn fetch_last(&self, pile: Pile) {
        let start = pile.last_start();
        self.fetch(start, pile.next as usize - start);
    }

    /// Gives a full pile one more chunk. `filler` is any entry.
    pub fn extend(&mut self, pile: &mut Pile, filler: Entry<E>) {
        if self.free == NO_CHUNK {
            self.grow(filler);
        }
        let chunk = self.free;
        self.free = self.before[chunk as usize];
        self.before[chunk as usize] = pile.last_chunk();
        pile.next = chunk * CHUNK as u32;
        pile.end = pile.next + CHUNK as u32;
    }

    /// One more free chunk, filled with any entry because there is no empty one.
    #[cold]
    fn grow(&mut self, filler: Entry<E>) {
        self.entries.resize(self.entries.len() + CHUNK, filler);
        assert!(u32::try_from(self.entries.len()).is_ok(), "more events are pending than 32 bits count");
        self.free = self.before.len() as u32;
        self.before.push(NO_CHUNK);
    }

    /// The entries in these places.
    #[inline]
    pub fn slice(&self, places: Range<usize>) -> &[Entry<E>] {
        &self.entries[places]
    }

    /// The entry in this place.
    #[inline]
    pub fn get(&self, place: usize) -> Entry<E> {
        self.entries[place]
    }

    /// The places of the last chunk of a pile that has one, and the pile without that chunk, which stays in use.
    #[inline]
    pub fn split_last(&self, pile: Pile) -> (Range<usize>, Pile) {
        let chunk = pile.last_chunk();
        // Past the last chunk of the rest; without a rest, NO_CHUNK wraps to 0.
        let end = self.before[chunk as usize].wrapping_add(1) * CHUNK as u32;
        (chunk as usize * CHUNK..pile.next as usize, Pile { next: end, end })
    }

    /// The number of entries of a pile.
    pub fn count(&self, mut pile: Pile) -> u64 {
        let mut count = 0;
        while !pile.is_empty() {
            let (places, rest) = self.split_last(pile);
            count += places.len() as u64;
            pile = rest;
        }
        count
    }

    /// Takes back the last chunk of a pile that has one.
    #[inline]
    pub fn release_last(&mut self, pile: Pile) {
        let chunk = pile.last_chunk();
        self.before[chunk as usize] = self.free;
        self.free = chunk;
    }

    /// The number of entries there is room for.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.entries.len()
    }
}
