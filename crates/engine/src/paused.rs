//! Runs that pause to be looked at and then go on, for those who look for a load: a longer run need not begin anew.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hopscope_kernel::{Model, Simulation};
use hopscope_measure::{Ending, Subject, count};

use crate::drive::Watch;
use crate::run::{InternalError, guarded};
use crate::scenario::Scenario;
use crate::sweep::side_by_side;

/// A simulation that goes on when it is asked.
pub(crate) trait Paused: Send {
    /// Continues until `delivered` messages have been delivered since it began, or it ends otherwise.
    fn go_on(&mut self, delivered: u64, watch: &Watch<'_>) -> Ending;
    /// Messages delivered since it began.
    fn delivered(&self) -> u64;
    /// Bits offered and delivered since it began.
    fn bits(&self) -> (u128, u128);
}

/// A simulation that can be paused, and the size of its network.
pub(crate) struct Begun {
    pub simulation: Box<dyn Paused>,
    /// Ports of switches, and hosts.
    pub places: usize,
}

impl<M: Model<Event: Send> + Subject + Send> Paused for Simulation<M> {
    fn go_on(&mut self, delivered: u64, watch: &Watch<'_>) -> Ending {
        count(self, delivered, |fraction, _| watch(fraction, ""))
    }

    fn delivered(&self) -> u64 {
        self.model.monitor().delivered_in_all()
    }

    fn bits(&self) -> (u128, u128) {
        // Without a warm-up nothing restarts.
        self.model.monitor().bits_since_restart(self.now())
    }
}

/// What a run has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bits offered since it began, at the network's entry.
    pub offered: u128,
    /// Bits delivered since it began.
    pub delivered: u128,
    /// Whether messages wait for each other in a cycle, so that it cannot go on.
    pub deadlocked: bool,
}

/// A run of a scenario that stops at a number of delivered messages and goes on to the next. It has no warm-up and no
/// results but its [`Counts`].
pub struct PausedRun {
    scenario: Scenario,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    counts: Counts,
    /// Messages delivered since it began.
    delivered: u64,
    /// Nothing before it has begun, and after it was set aside.
    begun: Option<Begun>,
    /// It has come to an end: asked for more messages, it delivers none.
    is_over: bool,
}

impl PausedRun {
    /// A run that has not begun, of a scenario whose model has a load to be searched for.
    #[must_use]
    pub fn new(scenario: Scenario) -> Self {
        Self { scenario, state: Mutex::default() }
    }

    /// Frees the memory of its network. Asked to go on, it begins anew, which comes to the same counts.
    pub fn set_aside(&self) {
        self.state().begun = None;
    }

    /// The ports of switches and the hosts of the network that it has in memory: 0 before it has begun, and where it is
    /// over or was set aside.
    #[must_use]
    pub fn places(&self) -> usize {
        self.state().begun.as_ref().map_or(0, |begun| begun.places)
    }

    /// Continues until `delivered` messages have been delivered since it began, or it ends otherwise.
    fn go_on(&self, delivered: u64, watch: &Watch<'_>) -> Result<Counts, InternalError> {
        let mut state = self.state();
        if state.is_over || state.delivered >= delivered {
            return Ok(state.counts);
        }
        let begun = state.begun.take();
        let (begun, ending) = guarded(|| {
            let seed = self.scenario.identity().header.seed;
            let begin = || self.scenario.prepared().paused(seed).expect("its load can be searched for");
            let mut begun = begun.unwrap_or_else(begin);
            let ending = begun.simulation.go_on(delivered, watch);
            (begun, ending)
        })?;
        let (offered, delivered) = begun.simulation.bits();
        state.delivered = begun.simulation.delivered();
        state.counts = Counts { offered, delivered, deadlocked: matches!(ending, Ending::Deadlock(_)) };
        state.is_over = !matches!(ending, Ending::Messages | Ending::Interrupted);
        state.begun = (!state.is_over).then_some(begun);
        Ok(state.counts)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What panics is the simulation, which has been taken out by then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Continues every run, on all cores, until it has delivered this number of messages, and returns their counts in the
/// order given. It does not depend on the number of cores.
///
/// `progress` is as for [`sweep`](crate::sweep); once it returns `false`, the runs pause where they are.
///
/// # Errors
/// A mistake of the program in the first of the runs that has one.
pub fn go_on(
    runs: &[&PausedRun],
    delivered: u64,
    progress: &mut dyn FnMut(f64, &str) -> bool,
) -> Result<Vec<Counts>, InternalError> {
    let order: Vec<usize> = (0..runs.len()).collect();
    let work = |index: usize, watch: &Watch<'_>| runs[index].go_on(delivered, watch);
    side_by_side(&order, None, &work, progress)
}
