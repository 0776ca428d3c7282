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
    /// The fourth: its events may wait ([`EventQueue::defer`](super::EventQueue::defer)).
    D,
}

/// The number of lists: one for each event of a packet at a hop, and few enough to compare all their heads at once.
const LISTS: usize = 4;

/// The place of the list whose entries may wait.
const DEFERRABLE: usize = Presorted::D as usize;

/// The key of an empty list's head: later than that of every event.
pub(super) const NONE: u128 = u128::MAX;

/// The lists, each in the order of its entries' keys.
pub(super) struct PresortedLists<E> {
    /// The key of the first entry of each list.
    heads: [u128; LISTS],
    /// The key of the first entry of all, and its list.
    first: (u128, Presorted),
    /// The least key that each list takes: of the entry that came last, or [`NONE`] where the list is closed.
    least: [u128; LISTS],
    rings: [Ring<E>; LISTS],
    /// Whether lists are closed whose entries do not wait.
    closed: bool,
    /// Whether the entries of the deferrable list wait to be taken. Then a later entry is shown as its head.
    waits: bool,
    behind: u32,
}

impl<E: Copy> PresortedLists<E> {
    pub fn new() -> Self {
        Self {
            heads: [NONE; LISTS],
            first: (NONE, Presorted::A),
            least: [0; LISTS],
            rings: [const { Ring::new() }; LISTS],
            closed: false,
            waits: false,
            behind: 0,
        }
    }

    /// Closes the lists, which then take no entry, or opens them again. One whose entries wait is open.
    #[inline]
    pub fn close(&mut self, closed: bool) {
        if closed != self.closed {
            self.closed = closed;
            self.set_least();
        }
    }

    #[cold]
    fn set_least(&mut self) {
        for (at, ring) in self.rings.iter().enumerate() {
            let open = !self.closed || self.waits && at == DEFERRABLE;
            self.least[at] = if open { ring.last_key() } else { NONE };
        }
    }

    /// Appends an entry to a list. False if it precedes the last entry, or if the lists are closed.
    #[inline]
    pub fn append(&mut self, list: Presorted, entry: Entry<E>) -> bool {
        let (key, at) = (entry.key(), list as usize);
        if key < self.least[at] {
            return false;
        }
        self.least[at] = key;
        self.heads[at] = self.heads[at].min(key);
        self.first = if key < self.first.0 { (key, list) } else { self.first };
        self.rings[at].push(entry);
        true
    }

    /// Appends an entry to the deferrable list.
    #[inline]
    pub fn append_deferrable(&mut self, entry: Entry<E>) -> bool {
        if !self.waits {
            return self.append(Presorted::D, entry);
        }
        let key = entry.key();
        if key < self.least[DEFERRABLE] {
            return false;
        }
        self.least[DEFERRABLE] = key;
        if self.rings[DEFERRABLE].len() == self.behind {
            self.heads[DEFERRABLE] = key;
            self.find_first();
        }
        self.rings[DEFERRABLE].push(entry);
        true
    }

    /// Sets whether the entries of the deferrable list wait; then the entry after `behind` others is shown as its head.
    pub fn defer(&mut self, waits: bool, behind: u32) {
        let before = std::mem::replace(&mut self.waits, waits);
        self.behind = if waits { behind } else { 0 };
        self.heads[DEFERRABLE] = self.rings[DEFERRABLE].key(self.behind);
        self.find_first();
        if before != waits {
            self.set_least();
        }
    }

    /// Whether the entries of this list wait.
    #[inline]
    pub fn waits(&self, list: Presorted) -> bool {
        self.waits && list as usize == DEFERRABLE
    }

    /// The key of the first entry of the deferrable list, [`NONE`] if there is none.
    pub fn first_deferrable(&self) -> u128 {
        self.rings[DEFERRABLE].key(0)
    }

    /// Removes the first of the entries that wait, if it comes before this key.
    #[inline]
    pub fn take_waiting(&mut self, before: u128) -> Option<Entry<E>> {
        let ring = &mut self.rings[DEFERRABLE];
        if !self.waits || ring.key(0) >= before {
            return None;
        }
        let entry = ring.first();
        ring.head = ring.head.wrapping_add(1);
        self.behind = self.behind.saturating_sub(1);
        Some(entry)
    }

    /// The key of the first entry of all, and its list.
    #[inline]
    pub fn first(&self) -> (u128, Presorted) {
        self.first
    }

    /// Finds the first entry of all lists. It is unpredictable, so the search has no branches.
    #[inline]
    fn find_first(&mut self) {
        let [a, b, c, d] = self.heads;
        let left = if b < a { (b, Presorted::B) } else { (a, Presorted::A) };
        let right = if d < c { (d, Presorted::D) } else { (c, Presorted::C) };
        self.first = if right.0 < left.0 { right } else { left };
    }

    /// Removes the first entry of a list that is not empty.
    #[inline]
    pub fn take(&mut self, list: Presorted) -> Entry<E> {
        let ring = &mut self.rings[list as usize];
        let entry = ring.first();
        ring.head = ring.head.wrapping_add(1);
        self.heads[list as usize] = ring.key(0);
        self.find_first();
        entry
    }

    /// The number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.rings.iter().map(|ring| ring.len() as usize).sum()
    }

    /// The first events of each list whose entries do not wait, at most this many, first to last.
    #[inline]
    pub fn soon(&self, most: u32) -> impl Iterator<Item = E> + Clone {
        let waits = self.waits;
        let rings = self.rings.iter().enumerate();
        rings.flat_map(move |(at, ring)| ring.soon(if waits && at == DEFERRABLE { 0 } else { most }))
    }
}

/// A list in a ring of a length that is a power of two.
struct Ring<E> {
    entries: Vec<Entry<E>>,
    mask: u32,
    /// The numbers of entries taken and appended, in 32 bits: with the mask, their places.
    head: u32,
    tail: u32,
}

impl<E: Copy> Ring<E> {
    const fn new() -> Self {
        Self { entries: Vec::new(), mask: 0, head: 0, tail: 0 }
    }

    #[inline]
    fn len(&self) -> u32 {
        self.tail.wrapping_sub(self.head)
    }

    #[inline]
    fn first(&self) -> Entry<E> {
        self.entries[(self.head & self.mask) as usize]
    }

    /// The key of the entry after this many others; [`NONE`] if there is none.
    #[inline]
    fn key(&self, behind: u32) -> u128 {
        if self.len() <= behind {
            NONE
        } else {
            self.entries[(self.head.wrapping_add(behind) & self.mask) as usize].key()
        }
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
        if self.len() as usize == self.entries.len() {
            self.grow(entry);
        }
        self.entries[(self.tail & self.mask) as usize].set(entry);
        self.tail = self.tail.wrapping_add(1);
    }

    /// The first events, at most this many, first to last.
    #[inline]
    fn soon(&self, most: u32) -> impl Iterator<Item = E> + Clone {
        let end = self.len().min(most);
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
