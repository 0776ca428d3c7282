//! The loop that drives a model to the end of its measurement.

use hopscope_kernel::{Model, Simulation};
use hopscope_units::Time;

use crate::{Ending, Report, RunController, RunPlan, Step, Stuck, Subject, Timeline, Warmup};

/// Pulses between two checks for a deadlock that leaves the rest of the network running.
const PULSES_BETWEEN_LOOKS: u64 = 256;

/// Runs a model to the end of its plan and reports.
///
/// `watch` is called at every pulse with the progress of the run, 0 to 1, and ends it by returning `false`.
pub fn drive<M: Model + Subject>(
    simulation: &mut Simulation<M>,
    plan: RunPlan,
    watch: impl FnMut(f64, &Simulation<M>) -> bool,
) -> Report {
    let mut controller = RunController::of_workload(plan, simulation.model.whole_workload());
    let mut timeline = Timeline::begin(simulation.now(), &mut simulation.model);
    let ending = go_on(simulation, &mut controller, events_a_pulse(&plan), &mut timeline, watch);
    timeline.cut(simulation.now(), &mut simulation.model);
    let report = Report { timeline, ..simulation.model.report(simulation.now()) };
    controller.conclude(&ending, report)
}

/// Continues a simulation until this many messages have been delivered since it began, and keeps nothing but the counts
/// of its monitor. It may be continued again.
///
/// It stops at the event at which [`drive`] ends a run of this many messages without a warm-up. `watch` is as for
/// [`drive`].
pub fn count<M: Model + Subject>(
    simulation: &mut Simulation<M>,
    delivered: u64,
    watch: impl FnMut(f64, &Simulation<M>) -> bool,
) -> Ending {
    let plan = RunPlan { warmup: Warmup::None, ..RunPlan::messages(delivered) };
    go_on(simulation, &mut RunController::new(plan), events_a_pulse(&plan), &mut (), watch)
}

/// Short runs get close pulses, so that they measure about as many messages as they were asked for.
fn events_a_pulse(plan: &RunPlan) -> u64 {
    (plan.max_messages / 64).clamp(16, 4096)
}

/// What is kept of a run while it goes on.
trait Record<M: Model> {
    /// The measurement begins anew.
    fn restart(&mut self, simulation: &mut Simulation<M>);

    /// More events have been handled.
    fn pulse(&mut self, simulation: &mut Simulation<M>);
}

impl<M: Model + Subject> Record<M> for Timeline {
    fn restart(&mut self, simulation: &mut Simulation<M>) {
        let now = simulation.now();
        self.cut(now, &mut simulation.model);
        simulation.model.restart(now);
        Self::restart(self);
    }

    fn pulse(&mut self, simulation: &mut Simulation<M>) {
        Self::pulse(self, simulation.now(), simulation.events_handled(), &mut simulation.model);
    }
}

impl<M: Model + Subject> Record<M> for () {
    fn restart(&mut self, simulation: &mut Simulation<M>) {
        simulation.model.restart(simulation.now());
    }

    fn pulse(&mut self, _: &mut Simulation<M>) {}
}

fn go_on<M: Model + Subject>(
    simulation: &mut Simulation<M>,
    controller: &mut RunController,
    events_a_pulse: u64,
    record: &mut impl Record<M>,
    mut watch: impl FnMut(f64, &Simulation<M>) -> bool,
) -> Ending {
    loop {
        // Pulses, and checks for a deadlock, come at the same events wherever a simulation is continued from.
        let events = events_a_pulse - simulation.events_handled() % events_a_pulse;
        let drained = simulation.run_events(events) < events;
        let now = simulation.now();
        match controller.pulse(now, simulation.model.monitor()) {
            Step::Continue => {}
            Step::RestartMeasurement => record.restart(simulation),
            // A deadlock looks like an overload while sources keep sending, and is then the better answer.
            Step::Stop(ending) => return simulation.model.stuck(now).map_or(ending, Ending::Deadlock),
        }
        if drained {
            return run_dry(&mut simulation.model, now);
        }
        record.pulse(simulation);
        let pulses = simulation.events_handled() / events_a_pulse;
        if pulses.is_multiple_of(PULSES_BETWEEN_LOOKS)
            && let Some(stuck) = simulation.model.stuck(now)
        {
            return Ending::Deadlock(stuck);
        }
        if !watch(controller.fraction(simulation.model.monitor()), simulation) {
            return Ending::Interrupted;
        }
    }
}

/// No event is left: either everything has arrived, or the rest is deadlocked.
fn run_dry(model: &mut impl Subject, now: Time) -> Ending {
    let backlog = model.monitor().backlog();
    match model.stuck(now) {
        Some(stuck) => Ending::Deadlock(stuck),
        None if backlog > 0 => Ending::Deadlock(Stuck {
            reason: format!("no events are left, but {backlog} messages have not arrived"),
            cycle: Vec::new(),
        }),
        None => Ending::Drained,
    }
}
