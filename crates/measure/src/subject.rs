//! A model as a measurement sees it.

use hopscope_units::Time;

use crate::{MessageMonitor, Report, Stuck, UsageOf};

/// A model as a measurement sees it. Implemented by every model next to its event handling.
pub trait Subject {
    /// The statistics of the messages.
    fn monitor(&self) -> &MessageMonitor;

    /// The number of messages of a finite workload, such as the flows of a job, or a bound on it. It has no steady
    /// state. Nothing if sources send for as long as the run lasts.
    fn whole_workload(&self) -> Option<u64> {
        None
    }

    /// The warm-up is over: the monitor, every pool and every counter reset their measurements, not their state.
    fn restart(&mut self, now: Time);

    /// A deadlock, if messages wait for each other and none can ever go on. Called when the event queue is empty, and
    /// periodically during the run.
    fn stuck(&mut self, now: Time) -> Option<Stuck>;

    /// Everything measured since the last restart: `self.monitor().report(now)` with the model's resources added.
    fn report(&mut self, now: Time) -> Report;

    /// Reports the use of every resource since the last restart. It does not change any result.
    fn usage(&mut self, now: Time, tell: &mut UsageOf<'_>);
}
