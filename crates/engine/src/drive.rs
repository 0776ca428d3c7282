//! A model driven to the end of its run, with progress reports.

use std::time::Duration;

use hopscope_kernel::{Model, Moment, Simulation};
use hopscope_measure::{Report, SnapshotTimes, Subject, drive};
use hopscope_scenario::Measure;
use hopscope_units::amount;

/// The interval of progress reports of a run.
pub(crate) const BETWEEN_PROGRESS: Duration = Duration::from_millis(100);

/// Called with the progress of a run, 0 to 1, and in words; `false` stops the run.
pub type Watch<'a> = dyn Fn(f64, &str) -> bool + Sync + 'a;

/// What a model needs to run: the seed, the measurement, and the receiver of progress.
pub(crate) struct Driver<'a> {
    pub(crate) seed: u64,
    pub(crate) measure: &'a Measure,
    pub(crate) watch: &'a Watch<'a>,
    /// The run is interrupted at the first pulse after this number of events; no limit where there is none.
    pub(crate) events: Option<u64>,
}

/// A run at its end.
pub(crate) struct Driven {
    pub(crate) report: Report,
    pub(crate) events: u64,
}

impl Driver<'_> {
    /// The seed of all randomness.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Messages whose whole lives are to be kept; where it is 0, a model runs with the journal `()`.
    #[must_use]
    pub fn journeys(&self) -> u64 {
        self.measure.journeys
    }

    /// The instants at which the model's state is to be kept.
    #[must_use]
    pub fn snapshots(&self) -> Option<SnapshotTimes> {
        self.measure.snapshots.as_ref().map(|snapshots| snapshots.0.clone())
    }

    /// Runs the simulation to the end of the scenario's plan.
    ///
    /// Wall-clock time decides only when progress is reported: at once and then about every 100 ms.
    #[must_use]
    pub fn drive<M: Model + Subject>(&self, mut simulation: Simulation<M>) -> Driven {
        let mut told: Option<Moment> = None;
        let report = drive(&mut simulation, self.measure.plan(), |fraction, simulation| {
            if self.events.is_some_and(|most| simulation.events_handled() >= most) {
                return false;
            }
            if told.is_some_and(|told| told.elapsed() < BETWEEN_PROGRESS) {
                return true;
            }
            told = Some(Moment::now());
            let messages = simulation.model.monitor().measured();
            (self.watch)(
                fraction,
                &format!("{} in {}", amount(messages, "message", "messages"), simulation.now()),
            )
        });
        Driven { report, events: simulation.events_handled() }
    }
}
