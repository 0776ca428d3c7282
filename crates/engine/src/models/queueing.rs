//! Stations in a row (crate `queueing`).

use hopscope_measure::JourneyLog;
use hopscope_queueing::{QueueingParams, Tandem};

use crate::drive::{Driven, Driver};
use crate::registry::{Finding, ScenarioModel};
use crate::scenario::source::Files;

/// The model `queueing`.
pub(crate) enum Queueing {}

impl ScenarioModel for Queueing {
    const NAME: &'static str = "queueing";
    const ABOUT: &'static str = "Queueing stations in series, first come, first served. Single stations have closed forms to compare with.";
    type Params = QueueingParams;
    type Plan = ();

    fn prepare(params: &mut QueueingParams, _: &mut Files<'_>) -> Result<(), Vec<Finding>> {
        let problems = params.validate();
        if problems.is_empty() { Ok(()) } else { Err(problems.into_iter().map(Finding::from).collect()) }
    }

    fn run(params: &QueueingParams, (): &(), driver: &Driver<'_>) -> Driven {
        match driver.journeys() {
            0 => driver.drive(Tandem::simulation(params, driver.seed(), ())),
            most => driver.drive(Tandem::simulation(params, driver.seed(), JourneyLog::new(most))),
        }
    }
}
