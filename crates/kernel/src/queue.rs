//! The event queue: a monotone radix queue whose earliest part is kept sorted.
//!
//! Events are kept in slots by the highest digit in which their time differs from a base (module `slots`). When the
//! earliest events are needed, the first slot is opened: a small one is sorted whole into the *front*; a large one is
//! first split, by digits that are chosen for the number and the times of its events (module `digits`). So with a
//! million pending events an event moves two or three times, among neighbours in memory, where a binary heap visits
//! twenty scattered places.
//!
//! Events of a kind that is nearly always scheduled in order need no sorting: they stand in presorted lists (module
//! `presorted`), whose heads are compared with that of the front.
//!
//! Sources: R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan, "Faster algorithms for the shortest path problem",
//! Journal of the ACM 37(2), 1990, section 3 (radix heaps); W. T. Tang, R. S. M. Goh, I. L.-J. Thng, "Ladder queue: an
//! O(1) priority queue structure for large-scale discrete event simulation", ACM TOMACS 15(3), 2005 (a small slot is
//! sorted, a large one split).

mod chunks;
mod digits;
mod entry;
mod presorted;
mod slots;
mod sorter;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hopscope_units::Time;

use crate::Order;
use entry::Entry;
use presorted::{NONE, PresortedLists};
use slots::Slots;

pub use presorted::Presorted;

/// The greatest length to which the front grows by single insertions.
const FRONT_LIMIT: usize = 64;

/// The pending events of a simulation, popped in the canonical order (time, [`Order`]).
///
/// The queue is monotone: nothing may be scheduled before the time of the last popped event. Scheduling and popping an
/// event cost a constant amount of work for usual patterns and O(log n) for every pattern; memory is proportional to
/// the greatest number of events pending at once, and is kept for reuse.
pub struct EventQueue<E: Copy> {
    /// The earliest events, latest first: all before `bound`, and all in the slot of `base` but for those scheduled
    /// before `base` when it was opened ahead of time.
    front: Vec<Entry<E>>,
    /// Every event in the slots is at `bound` or later.
    bound: u64,
    /// Events from `bound` on.
    slots: Slots<E>,
    /// Events before the bound that a full front could not take: of crowded instants, or from before the base.
    crowd: BinaryHeap<Reverse<Entry<E>>>,
    /// Events that were scheduled in order.
    presorted: PresortedLists<E>,
    /// The number of pending events outside the lists.
    sorted: usize,
    /// The time of the event that was popped last, and the highest order of an event popped at that instant.
    now: u64,
    order: u64,
    /// The last instant that is known to be over.
    over: u64,
    /// Whether the model lets deferrable events wait.
    defers: bool,
    /// The number of deferrable events that the model has taken since the last count.
    taken: u64,
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue at time zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            front: Vec::with_capacity(FRONT_LIMIT),
            bound: 0,
            slots: Slots::new(),
            crowd: BinaryHeap::new(),
            presorted: PresortedLists::new(),
            sorted: 0,
            now: 0,
            order: 0,
            over: 0,
            defers: false,
            taken: 0,
        }
    }

    /// Removes all pending events. The time stays as it is.
    pub fn clear(&mut self) {
        let Self { now, order, defers, taken, .. } = *self;
        *self = Self { now, order, defers, taken, ..Self::new() };
        self.bound = self.slots.rebase(now, 0);
    }

    /// The number of pending events.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted + self.presorted.len()
    }

    /// Whether no event is pending.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The time of the last popped event; zero before the first.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Time {
        Time::from_ps(self.now)
    }

    /// Schedules an event. Panics where `at` lies before [`now`](Self::now) or is [`Time::NEVER`]: a program error.
    #[inline]
    pub fn schedule(&mut self, at: Time, order: Order, event: E) {
        let entry = self.admit(at, order, event);
        self.sort_in(entry);
    }

    /// As [`schedule`](Self::schedule), for an event of a kind that is nearly always scheduled in the order in which it
    /// happens: it costs less then, and least where the list is known when the call is compiled.
    #[inline(always)]
    pub fn schedule_presorted(&mut self, list: Presorted, at: Time, order: Order, event: E) {
        let entry = self.admit(at, order, event);
        if !self.presorted.append(list, entry) {
            self.sort_in_apart(entry);
        }
    }

    /// As [`schedule_presorted`](Self::schedule_presorted) in the last list, for an event that may wait
    /// ([`defer`](Self::defer)).
    #[inline]
    pub fn schedule_deferrable(&mut self, at: Time, order: Order, event: E) {
        let entry = self.admit(at, order, event);
        // An event of the present instant may precede one that has already happened: it would not be known whether it
        // is due.
        if at.ps() == self.now || !self.presorted.append_deferrable(entry) {
            self.sort_in_apart(entry);
        }
    }

    /// From now on deferrable events may wait until the model [takes](Self::take_due) them, or come as others do.
    ///
    /// It is for events that only change what the model reads from time to time, such as credits: taken together they
    /// cost less. While something waits for such an event, it must come at its instant: the model takes those that are
    /// due, and lets no other wait. Within [`Simulation::run_events`](crate::Simulation::run_events) they count as
    /// events when they are due, so no number of events shows that some waited.
    pub fn defer(&mut self, defers: bool) {
        self.defers = defers;
        if !defers {
            self.presorted.defer(false, 0);
        }
    }

    /// Whether deferrable events may wait.
    #[inline]
    pub(crate) fn defers(&self) -> bool {
        self.defers
    }

    /// Removes the first of the events that wait, if it would have come before what is happening now.
    #[inline]
    pub fn take_due(&mut self) -> Option<E> {
        let present = u128::from(self.now) << 64 | u128::from(self.order);
        let end_of_instant = u128::from(self.over) << 64 | u128::from(u64::MAX);
        let entry = self.presorted.take_waiting(present.max(end_of_instant))?;
        self.taken += 1;
        Some(entry.event)
    }

    /// From now on events wait where the model lets them, until `most` of them are due: then [`pop`](Self::pop) gives
    /// nothing. With `most` zero none waits.
    ///
    /// None waits either where one is of the present instant: what a model does at the end of an instant would wait for
    /// it.
    pub(crate) fn defer_up_to(&mut self, most: u32) {
        let waits = self.defers && most > 0 && time_of(self.presorted.first_deferrable()) != self.now;
        self.presorted.defer(waits, most);
    }

    /// The number of events that the model has taken since the last call.
    pub(crate) fn count_taken(&mut self) -> u64 {
        std::mem::take(&mut self.taken)
    }

    /// An event that will be pending.
    #[inline]
    fn admit(&mut self, at: Time, order: Order, event: E) -> Entry<E> {
        assert!(
            at.ps().wrapping_sub(self.now) < Time::NEVER.ps() - self.now,
            "an event is scheduled for {at:?} at {:?}",
            self.now()
        );
        Entry { time: at.ps(), order: order.bits(), event }
    }

    /// As [`sort_in`](Self::sort_in), not compiled into callers, which seldom need it.
    #[inline(never)]
    fn sort_in_apart(&mut self, entry: Entry<E>) {
        self.sort_in(entry);
    }

    /// Puts an entry in the front or a slot.
    #[inline]
    fn sort_in(&mut self, entry: Entry<E>) {
        self.sorted += 1;
        if entry.time >= self.bound {
            self.slots.file(entry);
        } else if self.front.len() < FRONT_LIMIT {
            self.insert_in_front(entry);
        } else {
            self.schedule_before_full_front_ends(entry);
        }
    }

    /// Makes room in a full front for an event before the bound. Apart, because it is seldom needed.
    #[cold]
    fn schedule_before_full_front_ends(&mut self, entry: Entry<E>) {
        while entry.time < self.bound && self.front.len() >= FRONT_LIMIT {
            if !self.shorten_front() {
                self.crowd.push(Reverse(entry));
                return;
            }
        }
        if entry.time < self.bound { self.insert_in_front(entry) } else { self.slots.file(entry) }
    }

    #[inline]
    fn insert_in_front(&mut self, entry: Entry<E>) {
        let Some(&earliest) = self.front.last() else { return self.front.push(entry) };
        // Few events are of one instant: one word says nearly always which of two comes first.
        let comes_later = |other: &Entry<E>| {
            other.time > entry.time || other.time == entry.time && other.order >= entry.order
        };
        self.front.push(earliest);
        let front = self.front.as_mut_slice();
        for place in (1..front.len()).rev() {
            if comes_later(&front[place - 1]) {
                return front[place].set(entry);
            }
            front[place] = front[place - 1];
        }
        front[0].set(entry);
    }

    /// Sends the later part of the front back to slots, by the highest digit in which the front's times differ.
    ///
    /// False where it cannot: all are of one instant, or some lie before the base, to which the slots are relative.
    #[cold]
    fn shorten_front(&mut self) -> bool {
        let (latest, earliest) = (self.front[0].time, self.front[self.front.len() - 1].time);
        if latest == earliest || earliest < self.slots.base() {
            return false;
        }
        self.bound = self.slots.narrow(earliest, latest);
        let later = self.front.partition_point(|entry| entry.time >= self.bound);
        self.front.drain(..later).for_each(|entry| self.slots.file(entry));
        true
    }

    /// Removes the first event in the order (time, order). The order of events equal in both is not defined. Also
    /// nothing if as many deferred events are due as may wait.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        if self.front.is_empty() {
            self.open();
        }
        let (first, list) = self.presorted.first();
        let entry = if !self.crowd.is_empty() {
            self.pop_crowded()?
        } else if first < self.first_in_front() {
            self.take_presorted(first, list)?
        } else {
            let entry = self.front.pop()?;
            self.sorted -= 1;
            entry
        };
        if entry.time >= self.bound {
            // The front and all slots are empty: it came from a list, or from the crowd before which the front was cut.
            self.bound = self.slots.rebase(entry.time, 0);
        }
        self.reach(entry.time, entry.order);
        Some((Time::from_ps(entry.time), entry.event))
    }

    /// Everything before this time and order has come. An event scheduled for the present instant may precede those
    /// that have come.
    #[inline]
    fn reach(&mut self, time: u64, order: u64) {
        let before = if time == self.now { self.order } else { 0 };
        (self.now, self.order) = (time, order.max(before));
    }

    /// Removes the first entry of a list, unless it waits: then all before its key has come.
    #[inline]
    fn take_presorted(&mut self, key: u128, list: Presorted) -> Option<Entry<E>> {
        if self.presorted.waits(list) {
            self.reach(time_of(key), key as u64);
            return None;
        }
        Some(self.presorted.take(list))
    }

    /// Removes the first event if its time is at most `until`.
    #[inline]
    pub fn pop_until(&mut self, until: Time) -> Option<(Time, E)> {
        if self.next_time()? > until { None } else { self.pop() }
    }

    /// The time of the event that [`pop`](Self::pop) would give.
    #[inline]
    pub fn next_time(&mut self) -> Option<Time> {
        if self.front.is_empty() {
            self.open();
        }
        let first = self.first_in_front().min(self.first_in_crowd()).min(self.presorted.first().0);
        (first != NONE).then(|| Time::from_ps(time_of(first)))
    }

    /// Whether no event is left at the instant of the last popped event. All of it that waits is then due.
    #[inline]
    #[must_use]
    pub fn instant_is_over(&mut self) -> bool {
        // Events in the slots are at the bound or later, and the last popped event was before it, wherever it was kept.
        let is_now = |key| time_of(key) == self.now;
        if is_now(self.first_in_front()) || is_now(self.presorted.first().0) || is_now(self.first_in_crowd())
        {
            return false;
        }
        self.over = self.now;
        true
    }

    #[inline]
    fn first_in_front(&self) -> u128 {
        self.front.last().map_or(NONE, Entry::key)
    }

    #[inline]
    fn first_in_crowd(&self) -> u128 {
        self.crowd.peek().map_or(NONE, |Reverse(entry)| entry.key())
    }

    /// Opens the first slot if the front is empty, and returns whether there is a new front.
    #[inline]
    pub(crate) fn refill(&mut self) -> bool {
        self.front.is_empty() && self.open()
    }

    /// Sets whether events for presorted lists are sorted as others from now on, so that the front contains all next
    /// events.
    #[inline]
    pub(crate) fn sort_all(&mut self, all: bool) {
        self.presorted.close(all);
    }

    /// The events of the front, first to last.
    #[inline]
    pub(crate) fn soon(&self) -> impl Iterator<Item = E> + Clone {
        self.front.iter().rev().map(|entry| entry.event)
    }

    /// The first events of each presorted list, at most this many, first to last.
    #[inline]
    pub(crate) fn soon_presorted(&self, most: u32) -> impl Iterator<Item = E> + Clone {
        self.presorted.soon(most)
    }

    #[cold]
    fn pop_crowded(&mut self) -> Option<Entry<E>> {
        let (front, crowd, (first, list)) =
            (self.first_in_front(), self.first_in_crowd(), self.presorted.first());
        if first < front.min(crowd) {
            return self.take_presorted(first, list);
        }
        self.sorted -= 1;
        if crowd < front { self.crowd.pop().map(|Reverse(entry)| entry) } else { self.front.pop() }
    }

    /// Fills the empty front from the first slot. False where every slot is empty.
    fn open(&mut self) -> bool {
        let Some(digit) = self.slots.take_first(&mut self.front) else { return false };
        self.bound = self.slots.rebase(self.front[0].time, digit);
        true
    }
}

/// The time in a key.
#[inline]
fn time_of(key: u128) -> u64 {
    (key >> 64) as u64
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomStream;
    use chunks::CHUNK;
    use digits::DIGIT_BITS;

    #[test]
    fn room_is_that_of_the_most_events_pending() {
        let pending = 100_000;
        let mut queue = EventQueue::new();
        let mut stream = RandomStream::named(1, "room", 0);
        for magnitude in [10, 20, 30, 40, 50, 57] {
            for n in 0..pending {
                let at = Time::from_ps(queue.now + stream.below(1 << magnitude));
                queue.schedule(at, Order::new(0, n), ());
            }
            while queue.pop().is_some() {}
        }
        // A partly filled chunk for each slot in use: fewer than a digit has values.
        let slots = 1 << DIGIT_BITS;
        assert!(queue.slots.room() <= pending as usize + slots * CHUNK, "room for {}", queue.slots.room());
    }
}
