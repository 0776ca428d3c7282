//! The loop that drives a model to the end of its measurement.

use hopscope_kernel::{Model, Simulation};
use hopscope_units::Time;

use crate::{Ending, Report, RunController, RunPlan, Step, Stuck, Subject, Timeline};

/// Pulses between two looks for a deadlock that leaves the rest of the network running.
const PULSES_BETWEEN_LOOKS: u64 = 256;

/// Runs a model to the end of its plan and reports.
///
/// `watch` is told at every pulse how far the run has come, 0 to 1, and ends it by returning `false`.
pub fn drive<M: Model + Subject>(
    simulation: &mut Simulation<M>,
    plan: RunPlan,
    mut watch: impl FnMut(f64, &Simulation<M>) -> bool,
) -> Report {
    let mut controller = RunController::of_workload(plan, simulation.model.whole_workload());
    // Short runs get close pulses, so that they measure about as many messages as they were asked for.
    let events_a_pulse = (plan.max_messages / 64).clamp(16, 4096);
    let mut pulses: u64 = 0;
    let mut timeline = Timeline::begin(simulation.now(), &mut simulation.model);
    let ending = loop {
        let drained = simulation.run_events(events_a_pulse) < events_a_pulse;
        let now = simulation.now();
        match controller.pulse(now, simulation.model.monitor()) {
            Step::Continue => {}
            Step::RestartMeasurement => {
                timeline.cut(now, &mut simulation.model);
                simulation.model.restart(now);
                timeline.restart();
            }
            // A deadlock also looks like an overload while sources keep sending; it is the better answer.
            Step::Stop(ending) => break simulation.model.stuck(now).map_or(ending, Ending::Deadlock),
        }
        if drained {
            break run_dry(&mut simulation.model, now);
        }
        timeline.pulse(now, simulation.events_handled(), &mut simulation.model);
        pulses += 1;
        if pulses.is_multiple_of(PULSES_BETWEEN_LOOKS)
            && let Some(stuck) = simulation.model.stuck(now)
        {
            break Ending::Deadlock(stuck);
        }
        if !watch(controller.fraction(simulation.model.monitor()), simulation) {
            break Ending::Interrupted;
        }
    };
    timeline.cut(simulation.now(), &mut simulation.model);
    let report = Report { timeline, ..simulation.model.report(simulation.now()) };
    controller.conclude(&ending, report)
}

/// No event is left: either everything has arrived, or what has not is stuck.
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
