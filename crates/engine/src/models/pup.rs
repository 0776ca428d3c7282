//! The Pup internet (crate `pup`).

use std::sync::Arc;

use hopscope_measure::JourneyLog;
use hopscope_pup::{PupParams, PupPlan};

use crate::drive::{Driven, Driver};
use crate::registry::{Finding, ScenarioModel};
use crate::scenario::source::Files;

/// The model `pup`.
pub(crate) enum Pup {}

impl ScenarioModel for Pup {
    const NAME: &'static str = "pup";
    const ABOUT: &'static str = "The Pup internet of 1980: byte streams over Ethernets, phone lines, gateways and packet radio: IEN 138.";
    type Params = PupParams;
    type Plan = Arc<PupPlan>;

    fn prepare(params: &mut PupParams, _: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        let plan = PupPlan::new(params.clone());
        plan.map(Arc::new).map_err(|problems| problems.into_iter().map(Finding::from).collect())
    }

    fn run(_: &PupParams, plan: &Self::Plan, driver: &Driver<'_>) -> Driven {
        match driver.journeys() {
            0 => driver.drive(plan.simulation(driver.seed(), (), ())),
            most => driver.drive(plan.simulation(driver.seed(), JourneyLog::new(most), ())),
        }
    }
}
