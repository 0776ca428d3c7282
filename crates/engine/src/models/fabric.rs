//! Lossless switch fabrics (crate `fabric`).

use std::sync::Arc;

use hopscope_fabric::{FabricParams, FabricPlan, LinkParams, RoutingParams, SwitchParams};
use hopscope_formats::{
    Address, CabledNetwork, ReadError, flow_list, forwarding_tables, read_fabric, traffic_matrix,
};
use hopscope_measure::{JourneyLog, Problem};
use hopscope_topology::{DestinationTables, Network, NetworkSpec};
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
    /// Who sends what to whom, and when.
    traffic: TrafficSpec,
}

impl ScenarioModel for Fabric {
    const NAME: &'static str = "fabric";
    const ABOUT: &'static str = "Switches with FIFO input buffers and back-pressure that drop nothing, cut-through or store-and-forward: AN1.";
    type Params = FabricScenario;
    type Plan = Cabled;

    fn prepare(params: &mut FabricScenario, files: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        let fabric = FabricParams {
            routing: params.routing.clone(),
            switch: params.switch.clone(),
            link: params.link.clone(),
        };
        let fabric_file = network(&mut params.network, files).map_err(|mut findings| {
            let elsewhere =
                fabric.problems().into_iter().chain(params.traffic.problems().into_iter().map(below_traffic));
            findings.extend(elsewhere.map(Finding::from));
            findings
        })?;
        read_matrix(&mut params.traffic, &fabric_file.network, files).map_err(|finding| vec![finding])?;
        let tables =
            read_tables(&mut params.routing, &fabric_file, files).map_err(|finding| vec![finding])?;
        let CabledNetwork { network, switches, hosts } = fabric_file;
        let plan = FabricPlan::new(network, fabric, params.traffic.clone())
            .map_err(|problems| problems.into_iter().map(Finding::from).collect::<Vec<_>>())?;
        let plan = match tables {
            None => plan,
            Some(tables) => plan.following(tables).map_err(|problem| vec![Finding::from(problem)])?,
        };
        Ok(Cabled { plan: Arc::new(plan), addresses: (switches, hosts) })
    }

    fn run(_: &FabricScenario, plan: &Self::Plan, driver: &Driver<'_>) -> Driven {
        match driver.journeys() {
            0 => driver.drive(plan.plan.simulation(driver.seed(), ())),
            most => driver.drive(plan.plan.simulation(driver.seed(), JourneyLog::new(most))),
        }
    }

    fn topology(_: &FabricScenario, plan: &Self::Plan) -> Option<Json> {
        Some(drawing::topology(plan.plan.network(), plan.plan.routes()))
    }

    fn cables(plan: &Self::Plan) -> Option<(CabledNetwork, Option<DestinationTables>)> {
        let (switches, hosts) = plan.addresses.clone();
        let fabric = CabledNetwork { network: plan.plan.network().clone(), switches, hosts };
        Some((fabric, plan.plan.routes().tables().cloned()))
    }
}

/// A plan, and the addresses of its switches and hosts.
pub(crate) struct Cabled {
    plan: Arc<FabricPlan>,
    addresses: (Vec<Address>, Vec<Address>),
}

/// The network that the scenario describes or names the file of.
fn network(spec: &mut NetworkSpec, files: &mut Files<'_>) -> Result<CabledNetwork, Vec<Finding>> {
    let NetworkSpec::File(file) = spec else {
        return spec
            .build()
            .map(CabledNetwork::numbered)
            .map_err(|problems| problems.into_iter().map(|p| Finding::from(below_network(p))).collect());
    };
    let attachment =
        files.read("network.file.path", &file.path).map_err(|diagnosis| vec![Finding::from(diagnosis)])?;
    let read = read_fabric(&attachment.name, attachment.text.text.as_bytes(), file);
    file.path.clone_from(&attachment.name);
    read.map_err(|error| match error {
        ReadError::File(error) => vec![Finding::from(attachment.diagnosis(&error))],
        ReadError::Scenario(problem) => vec![Finding::from(below_network(problem))],
    })
}

/// The forwarding tables in the file that the scenario names.
fn read_tables(
    routing: &mut RoutingParams,
    fabric: &CabledNetwork,
    files: &mut Files<'_>,
) -> Result<Option<DestinationTables>, Finding> {
    let Some(path) = &mut routing.tables else { return Ok(None) };
    let attachment = files.read("routing.tables", path)?;
    let text = &attachment.text.text;
    let tables = forwarding_tables::read(text).and_then(|tables| tables.on(fabric, text));
    path.clone_from(&attachment.name);
    Ok(Some(tables.map_err(|error| attachment.diagnosis(&error))?))
}

/// Fills a traffic matrix from the file that it names: weights, or flows whose data are the weights.
fn read_matrix(traffic: &mut TrafficSpec, network: &Network, files: &mut Files<'_>) -> Result<(), Finding> {
    let Pattern::Matrix(Matrix { path: Some(path), pairs }) = &mut traffic.pattern else { return Ok(()) };
    let attachment = files.read("traffic.pattern.matrix.path", path)?;
    let text = &attachment.text.text;
    let read = if flow_list::looks_like(text) {
        flow_list::read(text, network).map(|flows| flow_list::weights(&flows))
    } else {
        traffic_matrix::read(text)
    };
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
