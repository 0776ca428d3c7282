//! Lossless switch fabrics (crate `fabric`).

mod machine;
mod network;
mod wanted;

use hopscope_an1::{ReconfigurationParams, SwitchParams};
use hopscope_fabric::{
    FabricPlan, Fault, LinkParams, RoutingParams, Rule, Upgrade, check_links, rates, with_nominal_rates,
};
use hopscope_formats::{Address, CabledNetwork, LinkDefaults, flow_list, traffic_matrix};
use hopscope_lossless::{FlowControl, FrameParams, RateControlParams};
use hopscope_measure::{JourneyLog, Problem};
use hopscope_scenario::{Diagnosis, Node as Tree};
use hopscope_topology::{CustomLink, Network, NetworkSpec};
use hopscope_traffic::flows::FlowGroup;
use hopscope_traffic::{Matrix, Pattern, TrafficSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use self::machine::{Machine, NOT_PLANNED};
use self::network::{MadeOf, OfFile, network};
use crate::drive::{Driven, Driver};
use crate::engine_kind::{EngineKind, NamedRoots};
use crate::forwarding_tables::CabledFabric;
use crate::memory;
use crate::models::advice::{Advice, port_counts, ports_of_family};
use crate::models::capacity::Analysis;
use crate::models::drawing;
use crate::models::fabric_facts::{self, FabricFacts};
use crate::models::flow_files::{fill, read_flow_files, read_size_files};
use crate::models::origins::{Origins, Rows};
use crate::models::table_files::read_tables;
use crate::paused::{Begun, Paused};
use crate::registry::{Finding, ScenarioModel};
use crate::rules::Rules;
use crate::scenario::source::{FileFault, Files};

/// The model `fabric`.
pub(crate) enum Fabric {}

/// A fabric, its routes and its traffic.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FabricScenario {
    /// The network: a topology with its parameters, or a file.
    network: NetworkSpec,
    /// Links to add between switches of the network, each at the next free ports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    added_links: Vec<CustomLink>,
    /// Routing.
    #[serde(default)]
    routing: RoutingParams,
    /// The switches.
    #[serde(default)]
    switch: SwitchParams,
    /// The default rate and delay of links.
    #[serde(default)]
    link: LinkParams,
    /// Links made faster under the same traffic: what an upgrade would bring.
    #[serde(default, skip_serializing_if = "Upgrade::is_default")]
    upgrade: Upgrade,
    /// Failures and recoveries of links and switches, each with its time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Fault>,
    /// The times of automatic reconfiguration, which `faults` start.
    #[serde(default, skip_serializing_if = "ReconfigurationParams::is_default")]
    reconfiguration: ReconfigurationParams,
    /// RoCE or InfiniBand switches, which forward whole frames. They replace `[switch]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frames: Option<FrameParams>,
    /// The traffic: who sends what to whom, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    traffic: Option<TrafficSpec>,
    /// Flows instead of `traffic`. Each group is an incast, a collective, a shuffle, or flows at random times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    flows: Vec<FlowGroup>,
}

impl ScenarioModel for Fabric {
    const NAME: &'static str = "fabric";
    const ABOUT: &'static str = "Lossless switch fabrics: AN1 with stop/start flow control, or with `[frames]` RoCE (PFC) and InfiniBand (credits).";
    type Params = FabricScenario;
    type Plan = FabricScenarioPlan;

    fn resolve(params: &mut FabricScenario, root: &Tree, rules: &Rules) -> Vec<Diagnosis> {
        match params.frames.as_mut().and_then(|frames| frames.rate_control.as_mut()) {
            Some(RateControlParams::Own(own)) => rules.read_rate_control(own, root),
            _ => Vec::new(),
        }
    }

    fn prepare(params: &mut FabricScenario, files: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        prepare(params, files, None)
    }

    fn prepare_like(
        params: &mut FabricScenario,
        files: &mut Files<'_>,
        before: &Self::Plan,
    ) -> Result<Self::Plan, Vec<Finding>> {
        prepare(params, files, Some(before))
    }

    fn prepare_network(
        params: &mut FabricScenario,
        files: &mut Files<'_>,
    ) -> Result<Self::Plan, Vec<Finding>> {
        let routing = &params.routing;
        let is_by_family = routing.rule == Rule::ByFamily && routing.tables.is_none();
        // Other rules and tables are checked with the network, and then little is left to be saved.
        if !is_by_family || params.frames.as_ref().is_some_and(|frames| !frames.new_tables.is_empty()) {
            return prepare(params, files, None);
        }
        params.wanted().map_err(|problems| problems.into_iter().map(Finding::from).collect::<Vec<_>>())?;
        let (cabled, made_of) = network(params, files, None)?;
        let CabledNetwork { network, switches, hosts, ports, devices, aggregation, own_links, anomalies } =
            cabled;
        let fabric = params.fabric();
        let checked = check_links(Vec::new(), &network, &fabric, Vec::new);
        checked.map_err(|problems| problems.into_iter().map(Finding::from).collect::<Vec<_>>())?;
        let machine = Machine::Network(Box::new((network, fabric)));
        let of_file = OfFile { ports, devices, aggregation, own_links, anomalies };
        Ok(FabricScenarioPlan { machine, addresses: (switches, hosts), of_file, made_of })
    }

    fn run(_: &FabricScenario, plan: &Self::Plan, driver: &Driver<'_>) -> Driven {
        let seed = driver.seed();
        match (&plan.machine, driver.journeys()) {
            (Machine::An1(an1), 0) => driver.drive(an1.simulation(seed, ())),
            (Machine::An1(an1), most) => driver.drive(an1.simulation(seed, JourneyLog::new(most))),
            (Machine::Lossless(lossless), 0) => driver.drive(lossless.simulation(seed, ())),
            (Machine::Lossless(lossless), most) => {
                driver.drive(lossless.simulation(seed, JourneyLog::new(most)))
            }
            (Machine::Network(_), _) => panic!("{NOT_PLANNED}"),
        }
    }

    fn paused(plan: &Self::Plan, seed: u64) -> Option<Begun> {
        let simulation: Box<dyn Paused> = match &plan.machine {
            Machine::An1(an1) => {
                let mut simulation = an1.simulation(seed, ());
                simulation.model.only_count();
                Box::new(simulation)
            }
            Machine::Lossless(lossless) => {
                let mut simulation = lossless.simulation(seed, ());
                simulation.model.only_count();
                Box::new(simulation)
            }
            Machine::Network(_) => panic!("{NOT_PLANNED}"),
        };
        Some(Begun { simulation, places: plan.machine.fabric().slots.links.len() })
    }

    fn topology(_: &FabricScenario, plan: &Self::Plan) -> Option<Json> {
        let FabricPlan { network, routes, .. } = plan.machine.fabric();
        Some(drawing::topology(network, routes))
    }

    fn cabled_fabric(params: &FabricScenario, plan: &Self::Plan) -> Option<CabledFabric> {
        let LinkParams { rate, delay, .. } = params.link;
        let links = LinkDefaults { rate, delay };
        // Rules that need virtual channels have no tables: the check knows a single lane.
        let is_shortest = params.routing.rule == Rule::Shortest;
        let engine = if is_shortest { EngineKind::Shortest } else { EngineKind::UpDown };
        let (network, fabric) = plan.machine.network();
        Some(CabledFabric {
            fabric: plan.cabled(),
            links,
            tables: plan.machine.tables().to_vec(),
            lanes: plan.machine.lanes().cloned(),
            engine,
            roots: NamedRoots::of(network, &params.routing),
            rates: rates(network, fabric).iter().map(|rate| rate.bit_s() as f64).collect(),
            params: fabric.clone(),
        })
    }

    fn facts(params: &FabricScenario, plan: &Self::Plan) -> Option<FabricFacts> {
        let is_file = matches!(params.network, NetworkSpec::File(_));
        let (network, _) = plan.machine.network();
        let replaced = params.upgrade.replace_slow_cables;
        is_file.then(|| {
            let network = with_nominal_rates(network, &params.link);
            FabricFacts::new(&network, &params.routing, &plan.of_file.anomalies, replaced)
        })
    }

    fn fitting_load(params: &FabricScenario, plan: &Self::Plan, usual: f64, seed: u64) -> Option<f64> {
        let traffic = params.traffic.as_ref()?;
        let service = Analysis::service(&params.switch, traffic).filter(|_| params.frames.is_none());
        let fabric = plan.machine.fabric();
        fabric_facts::fitting_load(fabric, traffic, service.as_ref(), usual, seed).ok().flatten()
    }

    fn capacity(
        params: &FabricScenario,
        plan: &Self::Plan,
        seed: u64,
        advice: Option<&Advice>,
    ) -> Option<Result<Json, Problem>> {
        let Some(traffic) = &params.traffic else {
            let problem = "[[flows]] have no load, so capacity bounds do not apply";
            return Some(Err(Problem::new("flows", problem, "[traffic] instead")));
        };
        let switch = params.frames.is_none().then_some(&params.switch);
        let analysis = Analysis::new(plan.machine.fabric(), switch, params.frames.as_ref(), traffic, seed);
        let network = &plan.machine.fabric().network;
        let by_family = ports_of_family(&params.network);
        let is_an1 = params.frames.is_none() && !matches!(params.network, NetworkSpec::File(_));
        let asked = advice.and_then(|advice| advice.ports);
        let ports = port_counts(network, asked, &plan.of_file.ports, by_family, is_an1);
        Some(analysis.map_err(below_traffic).map(|analysis| match advice {
            None => analysis.bounds_json(&ports),
            Some(advice) => {
                let mut json = analysis.advice_json(advice, &ports);
                json["guids"] = plan.guids(params).into();
                json
            }
        }))
    }
}

/// A fabric that can be run, the addresses of its switches and hosts, and what its network was made of, so that the
/// next scenario may share it.
pub(crate) struct FabricScenarioPlan {
    machine: Machine,
    addresses: (Vec<Address>, Vec<Address>),
    of_file: OfFile,
    made_of: MadeOf,
}

impl FabricScenarioPlan {
    /// The GUID of each switch by its name, where the fabric is one of InfiniBand and has them from a file.
    fn guids(&self, params: &FabricScenario) -> Option<serde_json::Map<String, Json>> {
        let has_credits = params
            .frames
            .as_ref()
            .is_some_and(|frames| matches!(frames.flow_control, FlowControl::Credits(_)));
        let is_file = matches!(params.network, NetworkSpec::File(_));
        let switches = self.machine.network().0.switches().iter().zip(&self.addresses.0);
        let guid = |address: &Address| format!("{:#018x}", address.guid).into();
        (has_credits && is_file)
            .then(|| switches.map(|(switch, address)| (switch.name.clone(), guid(address))).collect())
    }

    /// The network of its file.
    fn cabled(&self) -> CabledNetwork {
        let (switches, hosts) = self.addresses.clone();
        let OfFile { ports, devices, aggregation, own_links, anomalies } = self.of_file.clone();
        let network = self.machine.network().0.clone();
        CabledNetwork { network, switches, hosts, ports, devices, aggregation, own_links, anomalies }
    }
}

/// Checks a scenario; network and routes are those of the plan before where nothing has changed in them.
fn prepare(
    params: &mut FabricScenario,
    files: &mut Files<'_>,
    before: Option<&FabricScenarioPlan>,
) -> Result<FabricScenarioPlan, Vec<Finding>> {
    let wanted = params.wanted();
    let problems = |problems: Vec<Problem>| problems.into_iter().map(Finding::from).collect::<Vec<_>>();
    let (cabled, made_of) = network(params, files, before).map_err(|mut findings| {
        findings.extend(wanted.as_ref().err().cloned().into_iter().flatten().map(Finding::from));
        findings
    })?;
    wanted.map_err(problems)?;
    let mut short = memory::flows(&params.flows, &cabled.network);
    short.extend(memory::network(&cabled.network, params.routing.rule));
    if !short.is_empty() {
        return Err(problems(short));
    }
    let mut origins = Origins::default();
    if let Some(traffic) = &mut params.traffic {
        read_matrix(traffic, &cabled.network, files, &mut origins).map_err(|finding| vec![finding])?;
        read_size_files(traffic, files, &mut origins).map_err(|finding| vec![finding])?;
    }
    read_flow_files(&mut params.flows, &cabled.network, files, &mut origins)
        .map_err(|finding| vec![finding])?;
    let tables = read_tables(&mut params.routing, params.frames.as_mut(), &cabled, files)
        .map_err(|finding| vec![finding])?;
    let CabledNetwork { network, switches, hosts, ports, devices, aggregation, own_links, anomalies } =
        cabled;
    let of_file = OfFile { ports, devices, aggregation, own_links, anomalies };
    // Asked again, now that the files are read.
    let wanted = params.wanted().map_err(|problems| origins.findings(problems))?;
    let machine = wanted.on(network, tables).map_err(|problems| origins.findings(problems))?;
    Ok(FabricScenarioPlan { machine, addresses: (switches, hosts), of_file, made_of })
}

/// Fills a traffic matrix from the file that it names: weights, or flows whose data are the weights.
fn read_matrix(
    traffic: &mut TrafficSpec,
    network: &Network,
    files: &mut Files<'_>,
    origins: &mut Origins,
) -> Result<(), Finding> {
    let Pattern::Matrix(Matrix { path: Some(path), pairs }) = &mut traffic.pattern else { return Ok(()) };
    let attachment = files.read("traffic.pattern.matrix.path", path)?;
    let text = &attachment.text.text;
    let (read, rows) = if flow_list::looks_like(text) {
        let weights = flow_list::read(text, network).map(|flows| flow_list::weights(&flows));
        (weights, Rows::PairsOfFlows)
    } else {
        (traffic_matrix::read(text), Rows::Pairs)
    };
    let read = read.map_err(|error| attachment.diagnosis(&error))?;
    path.clone_from(&attachment.name);
    fill(pairs, read, "traffic.pattern.matrix.pairs")?;
    origins.add("traffic.pattern.matrix.pairs", 0, attachment, rows);
    Ok(())
}

fn below_traffic(problem: Problem) -> Problem {
    Problem { path: format!("traffic.{}", problem.path), ..problem }
}
