//! The subarea network (crate `sna`).

use std::sync::Arc;

use hopscope_measure::JourneyLog;
use hopscope_sna::{SnaParams, SnaPlan, Subarea};

use crate::drive::{Driven, Driver};
use crate::registry::{Finding, ScenarioModel};
use crate::scenario::source::Files;

/// The model `sna`.
pub(crate) enum Sna {}

impl ScenarioModel for Sna {
    const NAME: &'static str = "sna";
    const ABOUT: &'static str = "A subarea network of IBM's SNA: virtual-route and session-level pacing over transmission groups, beside the windows of its time.";
    type Params = SnaParams;
    type Plan = Arc<SnaPlan>;

    fn prepare(params: &mut SnaParams, _: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        let plan = SnaPlan::new(params.clone());
        plan.map(Arc::new).map_err(|problems| problems.into_iter().map(Finding::from).collect())
    }

    fn run(_: &SnaParams, plan: &Self::Plan, driver: &Driver<'_>) -> Driven {
        match driver.journeys() {
            0 => driver.drive(Subarea::simulation(plan, driver.seed(), ())),
            most => driver.drive(Subarea::simulation(plan, driver.seed(), JourneyLog::new(most))),
        }
    }
}
