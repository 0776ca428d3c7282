//! The run loop: a model, its event queue and the time.

use hopscope_units::Time;

use crate::EventQueue;

/// A model: a state machine that handles one event at a time and schedules others. It has no clock of its own.
pub trait Model {
    /// What happens in the model: a closed, small enum.
    type Event: Copy;

    /// Handles an event that happens now; everything that follows from it later is scheduled on the queue.
    fn handle(&mut self, now: Time, event: Self::Event, queue: &mut EventQueue<Self::Event>);

    /// Whether the model's states are larger now than the processor's cache. Then it is told what comes
    /// ([`look_ahead`](Self::look_ahead)), and all events are sorted for that.
    #[inline]
    fn is_large(&self) -> bool {
        false
    }

    /// Tells a large model of events that will be handled soon, in their order; others may come between. It may read
    /// the states that they need here, so that these are fetched side by side instead of one after the other.
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
}

impl<M: Model> Simulation<M> {
    /// A simulation of a model whose first events stand in the queue.
    pub fn new(model: M, queue: EventQueue<M::Event>) -> Self {
        Self { model, queue, handled: 0 }
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
            if self.queue.refill() {
                self.show_what_comes();
            }
            let Some((now, event)) = self.queue.pop() else { break };
            self.model.handle(now, event, &mut self.queue);
            handled += 1;
        }
        self.handled += handled;
        handled
    }

    /// Shows a large model the events of a new front.
    #[inline]
    fn show_what_comes(&mut self) {
        let is_large = self.model.is_large();
        self.queue.sort_all(is_large);
        if is_large {
            self.model.look_ahead(self.queue.soon());
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
