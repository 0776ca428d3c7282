//! A model as a measurement sees it.

use hopscope_units::Time;

use crate::{MessageMonitor, Report, Stuck, UsageOf};

/// A model as a measurement sees it. Implemented by every model next to its event handling.
pub trait Subject {
    /// The statistics of the messages.
    fn monitor(&self) -> &MessageMonitor;

    /// The messages of a workload that ends by itself, or a bound on them: the flows of a job, say. It has no steady
    /// state. Nothing where sources send for as long as the run goes on.
    fn whole_workload(&self) -> Option<u64> {
        None
    }

    /// The warm-up is over: the monitor, every pool and every counter forget what they have measured, but not their
    /// state.
    fn restart(&mut self, now: Time);

    /// A deadlock, where messages wait for each other and none can ever go on. Called when the event queue has run
    /// empty, and now and then on the way.
    fn stuck(&mut self, now: Time) -> Option<Stuck>;

    /// Everything measured since the last restart: `self.monitor().report(now)` with the model's resources added.
    fn report(&mut self, now: Time) -> Report;

    /// Tells what has been used of every resource since the last restart. It changes nothing that a result depends on.
    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>);
}
