//! Runs: lines of events that are scheduled in the order in which they happen, so that nothing is to be sorted.

use super::entry::Entry;

/// A run of the queue: a line for events of one kind, which are nearly always scheduled in the order in which they
/// happen, such as what a link of a fixed delay carries.
///
/// An event that would come before the last of its run is sorted as any other. So the choice of a run never changes the
/// order in which events come, only what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// The first run; they are all alike.
    A,
    /// The second.
    B,
    /// The third.
    C,
    /// The fourth.
    D,
}

/// As many as happens to a packet at each hop, and few enough to compare all their heads at once.
const ALL: [Run; 4] = [Run::A, Run::B, Run::C, Run::D];

/// The key of an empty run's head: later than that of every event.
pub(super) const NONE: u128 = u128::MAX;

/// The runs, each in the order of its entries' keys.
pub(super) struct Runs<E> {
    /// The key of the first entry of each run.
    heads: [u128; ALL.len()],
    rings: [Ring<E>; ALL.len()],
}

impl<E: Copy> Runs<E> {
    pub fn new() -> Self {
        Self { heads: [NONE; ALL.len()], rings: [const { Ring::new() }; ALL.len()] }
    }

    /// Puts an entry at the end of a run. False where it comes before what is there.
    #[inline]
    pub fn append(&mut self, run: Run, entry: Entry<E>) -> bool {
        let (head, ring) = (&mut self.heads[run as usize], &mut self.rings[run as usize]);
        if *head == NONE {
            *head = entry.key();
        } else if ring.last().key() > entry.key() {
            return false;
        }
        ring.push(entry);
        true
    }

    /// The key of the first entry of all, and its run. Which is first cannot be guessed: there is no branch to guess.
    #[inline]
    pub fn first(&self) -> (u128, Run) {
        let [a, b, c, d] = self.heads;
        let left = if b < a { (b, Run::B) } else { (a, Run::A) };
        let right = if d < c { (d, Run::D) } else { (c, Run::C) };
        if right.0 < left.0 { right } else { left }
    }

    /// Removes the first entry of a run that is not empty.
    #[inline]
    pub fn take(&mut self, run: Run) -> Entry<E> {
        let ring = &mut self.rings[run as usize];
        let entry = ring.first();
        ring.head = ring.head.wrapping_add(1);
        self.heads[run as usize] = if ring.head == ring.tail { NONE } else { ring.first().key() };
        entry
    }

    /// The events of each run, up to so many, first to last.
    #[inline]
    pub fn soon(&self, most: u32) -> impl Iterator<Item = E> + Clone {
        self.rings.iter().flat_map(move |ring| ring.soon(most))
    }
}

/// A line in a ring of a length that is a power of two.
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

    #[inline]
    fn last(&self) -> Entry<E> {
        self.entries[(self.tail.wrapping_sub(1) & self.mask) as usize]
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
