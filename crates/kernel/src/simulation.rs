use hopscope_units::Time;

use crate::EventQueue;

/// A model: a state machine that handles one event at a time and schedules others. It has no clock of its own.
pub trait Model {
    /// What happens in the model: a closed, small enum.
    type Event: Copy;

    /// Handles an event that happens now; everything that follows from it later is scheduled on the queue.
    fn handle(&mut self, now: Time, event: Self::Event, queue: &mut EventQueue<Self::Event>);

    /// Asks for the memory that handling this event will need ([`crate::prefetch`]), some events before its time, so that a model larger
    /// than the processor's caches does not wait for one piece after another. It must change nothing. An event is announced twice: from
    /// [`Ahead::Far`] for what is known by the event itself, from [`Ahead::Near`] for what those pieces lead to. Does nothing unless a
    /// model says otherwise.
    #[inline]
    fn anticipate(&self, _event: &Self::Event, _ahead: Ahead) {}
}

/// How soon an event is due that a model anticipates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// After about ten others.
    Far,
    /// After a few others.
    Near,
}

impl Ahead {
    /// Events before it: far enough for memory to answer, near enough to be still in the first cache.
    const fn events(self) -> usize {
        match self {
            Self::Far => 10,
            Self::Near => 4,
        }
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
        while handled < limit
            && let Some((now, event)) = self.queue.pop()
        {
            for ahead in [Ahead::Far, Ahead::Near] {
                if let Some(event) = self.queue.upcoming(ahead.events()) {
                    self.model.anticipate(event, ahead);
                }
            }
            self.model.handle(now, event, &mut self.queue);
            handled += 1;
        }
        self.handled += handled;
        handled
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
