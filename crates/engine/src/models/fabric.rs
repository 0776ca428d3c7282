//! Lossless switch fabrics (crate `fabric`).

use std::sync::Arc;

use hopscope_fabric::{
    FabricParams, FabricPlan, Fault, LinkParams, ReconfigurationParams, RoutingParams, SwitchParams,
};
use hopscope_formats::{ReadError, read_network, traffic_matrix};
use hopscope_measure::{JourneyLog, Problem};
use hopscope_topology::{Network, NetworkSpec};
use hopscope_traffic::{Matrix, Pattern, TrafficSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::drive::{Driven, Driver};
use crate::models::drawing;
use crate::registry::{Finding, ScenarioModel};
use crate::scenario::source::Files;

/// The model `fabric`.
pub(crate) enum Fabric {}

/// A fabric, its routes and its traffic.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FabricScenario {
    /// The network: one family with its parameters, or a file.
    network: NetworkSpec,
    /// How packets find their way.
    #[serde(default)]
    routing: RoutingParams,
    /// The switches.
    #[serde(default)]
    switch: SwitchParams,
    /// The links that the network does not describe itself.
    #[serde(default)]
    link: LinkParams,
    /// What fails and comes back, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Fault>,
    /// How fast switches reconfigure the network where there are faults.
    #[serde(default, skip_serializing_if = "ReconfigurationParams::is_default")]
    reconfiguration: ReconfigurationParams,
    /// Who sends what to whom, and when.
    traffic: TrafficSpec,
}

impl ScenarioModel for Fabric {
    const NAME: &'static str = "fabric";
    const ABOUT: &'static str = "Switches with FIFO input buffers and back-pressure that drop nothing, cut-through or store-and-forward: AN1.";
    type Params = FabricScenario;
    type Plan = Arc<FabricPlan>;

    fn prepare(params: &mut FabricScenario, files: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        let fabric = FabricParams {
            routing: params.routing.clone(),
            switch: params.switch.clone(),
            link: params.link.clone(),
            faults: params.faults.clone(),
            reconfiguration: params.reconfiguration.clone(),
        };
        let network = network(&mut params.network, files).map_err(|mut findings| {
            let elsewhere =
                fabric.problems().into_iter().chain(params.traffic.problems().into_iter().map(below_traffic));
            findings.extend(elsewhere.map(Finding::from));
            findings
        })?;
        read_matrix(&mut params.traffic, files).map_err(|finding| vec![finding])?;
        let plan = FabricPlan::new(network, fabric, params.traffic.clone())
            .map_err(|problems| problems.into_iter().map(Finding::from).collect::<Vec<_>>())?;
        Ok(Arc::new(plan))
    }

    fn run(_: &FabricScenario, plan: &Self::Plan, driver: &Driver<'_>) -> Driven {
        match driver.journeys() {
            0 => driver.drive(plan.simulation(driver.seed(), ())),
            most => driver.drive(plan.simulation(driver.seed(), JourneyLog::new(most))),
        }
    }

    fn topology(_: &FabricScenario, plan: &Self::Plan) -> Option<Json> {
        Some(drawing::topology(plan.network(), plan.routes()))
    }
}

/// The network that the scenario describes or names the file of.
fn network(spec: &mut NetworkSpec, files: &mut Files<'_>) -> Result<Network, Vec<Finding>> {
    let NetworkSpec::File(file) = spec else {
        return spec
            .build()
            .map_err(|problems| problems.into_iter().map(|p| Finding::from(below_network(p))).collect());
    };
    let attachment =
        files.read("network.file.path", &file.path).map_err(|diagnosis| vec![Finding::from(diagnosis)])?;
    let read = read_network(&attachment.name, attachment.text.text.as_bytes(), file);
    file.path.clone_from(&attachment.name);
    read.map_err(|error| match error {
        ReadError::File(error) => vec![Finding::from(attachment.diagnosis(&error))],
        ReadError::Scenario(problem) => vec![Finding::from(below_network(problem))],
    })
}

/// Fills a traffic matrix from the file that it names.
fn read_matrix(traffic: &mut TrafficSpec, files: &mut Files<'_>) -> Result<(), Finding> {
    let Pattern::Matrix(Matrix { path: Some(path), pairs }) = &mut traffic.pattern else { return Ok(()) };
    let attachment = files.read("traffic.pattern.matrix.path", path)?;
    let read = traffic_matrix::read(&attachment.text.text);
    pairs.extend(read.map_err(|error| attachment.diagnosis(&error))?);
    path.clone_from(&attachment.name);
    Ok(())
}

fn below_network(problem: Problem) -> Problem {
    Problem { path: format!("network.{}", problem.path), ..problem }
}

fn below_traffic(problem: Problem) -> Problem {
    Problem { path: format!("traffic.{}", problem.path), ..problem }
}
