//! Presorted lists: events that are scheduled in the order in which they happen, so that nothing is to be sorted.

use super::entry::Entry;

/// A presorted list of the queue: for events of one kind, which are nearly always scheduled in the order in which they
/// happen, such as what a link of a fixed delay carries.
///
/// An event that would come before the last of its list is sorted as any other. So the choice of a list never changes
/// the order in which events come, only what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presorted {
    /// The first list; they are all alike.
    A,
    /// The second.
    B,
    /// The third.
    C,
    /// The fourth.
    D,
}

/// As many as happens to a packet at each hop, and few enough to compare all their heads at once.
const LISTS: usize = 4;

/// The key of an empty list's head: later than that of every event.
pub(super) const NONE: u128 = u128::MAX;

/// The lists, each in the order of its entries' keys.
pub(super) struct PresortedLists<E> {
    /// The key of the first entry of each list.
    heads: [u128; LISTS],
    /// The least key that each list takes: of the entry that came last, or [`NONE`] where the lists are closed.
    least: [u128; LISTS],
    rings: [Ring<E>; LISTS],
}

impl<E: Copy> PresortedLists<E> {
    pub fn new() -> Self {
        Self { heads: [NONE; LISTS], least: [0; LISTS], rings: [const { Ring::new() }; LISTS] }
    }

    /// Closes the lists, which then take no entry, or opens them again.
    #[inline]
    pub fn close(&mut self, closed: bool) {
        if closed != (self.least[0] == NONE) {
            self.least = if closed { [NONE; LISTS] } else { self.rings.each_ref().map(Ring::last_key) };
        }
    }

    /// Puts an entry at the end of a list. False where it comes before what came last, or where the lists are closed.
    #[inline]
    pub fn append(&mut self, list: Presorted, entry: Entry<E>) -> bool {
        let (key, list) = (entry.key(), list as usize);
        if key < self.least[list] {
            return false;
        }
        self.least[list] = key;
        self.heads[list] = self.heads[list].min(key);
        self.rings[list].push(entry);
        true
    }

    /// The key of the first entry of all, and its list. Which is first cannot be guessed: there is no branch to guess.
    #[inline]
    pub fn first(&self) -> (u128, Presorted) {
        let [a, b, c, d] = self.heads;
        let left = if b < a { (b, Presorted::B) } else { (a, Presorted::A) };
        let right = if d < c { (d, Presorted::D) } else { (c, Presorted::C) };
        if right.0 < left.0 { right } else { left }
    }

    /// Removes the first entry of a list that is not empty.
    #[inline]
    pub fn take(&mut self, list: Presorted) -> Entry<E> {
        let ring = &mut self.rings[list as usize];
        let entry = ring.first();
        ring.head = ring.head.wrapping_add(1);
        self.heads[list as usize] = if ring.head == ring.tail { NONE } else { ring.first().key() };
        entry
    }

    /// The events of each list, up to so many, first to last.
    #[inline]
    pub fn soon(&self, most: u32) -> impl Iterator<Item = E> + Clone {
        self.rings.iter().flat_map(move |ring| ring.soon(most))
    }
}

/// A list in a ring of a length that is a power of two.
struct Ring<E> {
    entries: Vec<Entry<E>>,
    mask: u32,
    /// How many have been taken and put in, in 32 bits: with the mask, their places.
    head: u32,
    tail: u32,
}

impl<E: Copy> Ring<E> {
    const fn new() -> Self {
        Self { entries: Vec::new(), mask: 0, head: 0, tail: 0 }
    }

    #[inline]
    fn first(&self) -> Entry<E> {
        self.entries[(self.head & self.mask) as usize]
    }

    /// The key of the last entry; zero where there is none.
    fn last_key(&self) -> u128 {
        if self.head == self.tail {
            0
        } else {
            self.entries[(self.tail.wrapping_sub(1) & self.mask) as usize].key()
        }
    }

    #[inline]
    fn push(&mut self, entry: Entry<E>) {
        if self.tail.wrapping_sub(self.head) as usize == self.entries.len() {
            self.grow(entry);
        }
        self.entries[(self.tail & self.mask) as usize].set(entry);
        self.tail = self.tail.wrapping_add(1);
    }

    /// The events up to so many, first to last.
    #[inline]
    fn soon(&self, most: u32) -> impl Iterator<Item = E> + Clone {
        let end = self.tail.wrapping_sub(self.head).min(most);
        (0..end).map(move |n| self.entries[(self.head.wrapping_add(n) & self.mask) as usize].event)
    }

    /// Doubles the room. `filler` is any entry.
    #[cold]
    fn grow(&mut self, filler: Entry<E>) {
        let length = self.entries.len();
        assert!(length < 1 << 31, "more events are pending than 32 bits count");
        self.entries.rotate_left((self.head & self.mask) as usize);
        self.entries.resize((2 * length).max(16), filler);
        (self.head, self.tail) = (0, length as u32);
        self.mask = self.entries.len() as u32 - 1;
    }
}
