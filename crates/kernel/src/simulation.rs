//! The run loop: a model, its event queue and the time.

use hopscope_units::Time;

use crate::EventQueue;

/// So many events of each presorted list are looked at ahead of time.
const LOOK_AHEAD: u32 = 64;

/// So often: when about as many have left each list, where all are in use. Looked at twice, an event costs more; looked
/// at too early, what it needs is not there yet.
const EVENTS_A_LOOK: u64 = 192;

/// A model: a state machine that handles one event at a time and schedules others. It has no clock of its own.
pub trait Model {
    /// What happens in the model: a closed, small enum.
    type Event: Copy;

    /// Handles an event that happens now; everything that follows from it later is scheduled on the queue.
    fn handle(&mut self, now: Time, event: Self::Event, queue: &mut EventQueue<Self::Event>);

    /// Told of events that will be handled soon, in their order; others may come between. A model larger than the
    /// processor's cache may read the states that they need here, so that these are fetched side by side instead of one
    /// after the other.
    #[inline]
    fn look_ahead(&self, events: impl Iterator<Item = Self::Event> + Clone) {
        let _ = events;
    }
}

/// A model and its pending events, and the loop that brings the two together.
pub struct Simulation<M: Model> {
    /// The model.
    pub model: M,
    /// The pending events.
    pub queue: EventQueue<M::Event>,
    handled: u64,
    /// The number of handled events at which the model next looks ahead in the presorted lists.
    next_look: u64,
}

impl<M: Model> Simulation<M> {
    /// A simulation of a model whose first events stand in the queue.
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
        let mut handled = 0;
        while handled < limit {
            let (refilled, done) = (self.queue.refill(), self.handled + handled);
            if refilled || done >= self.next_look {
                self.look_ahead(refilled, done);
            }
            let Some((now, event)) = self.queue.pop() else { break };
            self.model.handle(now, event, &mut self.queue);
            handled += 1;
        }
        self.handled += handled;
        handled
    }

    /// Shows the model the events of a new front, and from time to time the first of the presorted lists.
    ///
    /// Not in a page: large fabrics are rare there, and every page would carry the code.
    #[inline(never)]
    fn look_ahead(&mut self, refilled: bool, done: u64) {
        if cfg!(target_family = "wasm") {
            return;
        }
        let of_lists = if done < self.next_look { 0 } else { LOOK_AHEAD };
        if of_lists > 0 {
            self.next_look = done + EVENTS_A_LOOK;
        }
        self.model.look_ahead(self.queue.soon(refilled, of_lists));
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
