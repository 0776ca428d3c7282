//! The run loop: a model, its event queue and the time.

use hopscope_units::Time;

use crate::EventQueue;

/// The number of events of each presorted list that are shown to a model which looks ahead in them.
const LOOK_AHEAD: u32 = 64;

/// Events between two such looks: about as many as take [`LOOK_AHEAD`] events from each list, if all lists are in use.
/// More often, events would be shown twice; less often, what they need would not be fetched in time.
const EVENTS_A_LOOK: u64 = 192;

/// At most this many events are handled before a model catches up with those that wait, so that these stay in the
/// processor's own cache.
const EVENTS_A_CATCH_UP: u64 = 256;

/// None of this many last events of a run waits.
const LAST_EVENTS: u64 = 8;

/// Which future events a model is shown, by how well its states fit the processor's own cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foresight {
    /// Nothing: the states fit.
    Nothing,
    /// From time to time the next events of the presorted lists: the states fit in part.
    Lists,
    /// The next events of all kinds, which are then all sorted: what an event needs has nearly always left the cache.
    Everything,
}

/// A model: a state machine that handles one event at a time and schedules others. It has no clock of its own.
pub trait Model {
    /// What happens in the model: a closed, small enum.
    type Event: Copy;

    /// Handles an event that happens now; everything that follows from it later is scheduled on the queue.
    fn handle(&mut self, now: Time, event: Self::Event, queue: &mut EventQueue<Self::Event>);

    /// Takes the events that wait and are due ([`EventQueue::take_due`]), where the model lets events wait.
    #[inline]
    fn catch_up(&mut self, queue: &mut EventQueue<Self::Event>) {
        let _ = queue;
    }

    /// What the model wants to be shown now ([`look_ahead`](Self::look_ahead)).
    #[inline]
    fn foresight(&self) -> Foresight {
        Foresight::Nothing
    }

    /// Shows the model events that will be handled soon, those of a list in their order; others may come between. The
    /// model may prefetch the states that they need, so that these are fetched in parallel.
    #[inline]
    fn look_ahead(&self, foresight: Foresight, events: impl Iterator<Item = Self::Event> + Clone) {
        let _ = (foresight, events);
    }
}

/// A model and its pending events, and the loop that brings the two together.
pub struct Simulation<M: Model> {
    /// The model.
    pub model: M,
    /// The pending events.
    pub queue: EventQueue<M::Event>,
    handled: u64,
    /// The number of handled events at which the model may next look ahead in the presorted lists.
    next_look: u64,
}

impl<M: Model> Simulation<M> {
    /// A simulation of a model whose first events are in the queue.
    pub fn new(model: M, queue: EventQueue<M::Event>) -> Self {
        Self { model, queue, handled: 0, next_look: 0 }
    }

    /// The time of the last handled event.
    pub fn now(&self) -> Time {
        self.queue.now()
    }

    /// The number of events handled since the simulation was made.
    pub fn events_handled(&self) -> u64 {
        self.handled
    }

    /// Handles up to `limit` events and returns how many: fewer than `limit` means that the queue ran empty.
    pub fn run_events(&mut self, limit: u64) -> u64 {
        let before = self.handled;
        let end = before.saturating_add(limit);
        while self.handled < end && !self.queue.is_empty() {
            let started = self.handled;
            let most = self.defer_within(end - started);
            self.run_and_catch_up(most);
            if self.handled == started {
                // Only deferred events are left, or the next one is of this instant.
                self.queue.defer_up_to(0);
                self.run_and_catch_up(LAST_EVENTS.min(end - started));
            }
        }
        self.queue.defer_up_to(0);
        self.handled - before
    }

    /// Handles up to this many events, fewer if the limit of deferred events is due, and catches up with these.
    #[inline(never)]
    fn run_and_catch_up(&mut self, most: u64) {
        let end = self.handled + most;
        while self.handled < end {
            let refilled = self.queue.refill();
            if refilled || self.handled >= self.next_look {
                self.show_what_comes(refilled, self.handled);
            }
            let Some((now, event)) = self.queue.pop() else { break };
            self.model.handle(now, event, &mut self.queue);
            self.handled += 1;
        }
        self.model.catch_up(&mut self.queue);
        self.handled += self.queue.count_taken();
    }

    /// Lets events wait while `left` events remain to be handled, and returns how many may be handled meanwhile. With
    /// those that become due they are fewer than `left`, so that a run of a given number of events ends at exactly that
    /// event.
    fn defer_within(&mut self, left: u64) -> u64 {
        if left <= LAST_EVENTS || !self.queue.defers() {
            self.queue.defer_up_to(0);
            return left.min(EVENTS_A_CATCH_UP);
        }
        let others = (left / 2).min(EVENTS_A_CATCH_UP);
        self.queue.defer_up_to(others.min(left - 1 - others) as u32);
        others
    }

    /// Shows the model what it wants to see: the events of a new front, or from time to time those of the lists.
    #[inline(never)]
    fn show_what_comes(&mut self, refilled: bool, done: u64) {
        let foresight = self.model.foresight();
        self.queue.sort_all(foresight == Foresight::Everything);
        let is_time = done >= self.next_look;
        if is_time {
            self.next_look = done + EVENTS_A_LOOK;
        }
        match foresight {
            Foresight::Lists if is_time => {
                self.model.look_ahead(foresight, self.queue.soon_presorted(LOOK_AHEAD));
            }
            Foresight::Everything if refilled => self.model.look_ahead(foresight, self.queue.soon()),
            _ => {}
        }
    }

    /// Handles every event up to and including this instant, and returns how many.
    ///
    /// [`now`](Self::now) is afterwards the time of the last of them, which may lie before `until`.
    pub fn run_until(&mut self, until: Time) -> u64 {
        let mut handled = 0;
        while let Some((now, event)) = self.queue.pop_until(until) {
            self.model.handle(now, event, &mut self.queue);
            handled += 1;
        }
        self.handled += handled;
        handled
    }
}
