//! Lossless switch fabrics (crate `fabric`).

use std::sync::Arc;

use hopscope_an1::{An1Params, An1Plan, ReconfigurationParams, SwitchParams};
use hopscope_fabric::{
    FabricParams, FabricPlan, Fault, LinkParams, RoutingParams, Rule, Upgrade, check_links, rates,
    with_nominal_rates,
};
use hopscope_formats::{
    Address, AggregationNode, CabledNetwork, LinkDefaults, OwnLink, ReadError, flow_list, read_fabric,
    traffic_matrix,
};
use hopscope_lossless::{FlowControl, FrameParams, LosslessParams, LosslessPlan, RateControlParams};
use hopscope_measure::{JourneyLog, Problem};
use hopscope_scenario::{Diagnosis, Node as Tree};
use hopscope_topology::{
    Anomaly, CustomLink, DestinationTables, Family, Network, NetworkSpec, Port, VirtualLanes,
    with_cables_mended,
};
use hopscope_traffic::flows::FlowGroup;
use hopscope_traffic::{Matrix, OfferSpec, Pattern, TrafficSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::drive::{Driven, Driver};
use crate::engine_kind::{EngineKind, NamedRoots};
use crate::forwarding_tables::CabledFabric;
use crate::memory;
use crate::models::added_links::with_links;
use crate::models::advice::{Advice, port_counts, ports_of_family};
use crate::models::capacity::Analysis;
use crate::models::drawing;
use crate::models::fabric_facts::{self, FabricFacts};
use crate::models::flow_files::{fill, read_flow_files, read_size_files};
use crate::models::origins::{Origins, Rows};
use crate::models::table_files::{TablesOfFiles, read_tables};
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

/// What a file says besides the network.
#[derive(Clone)]
struct OfFile {
    /// How many ports each switch has, where it says.
    ports: Vec<Option<Port>>,
    /// The number of the kind of device of each switch, where it says.
    devices: Vec<Option<u32>>,
    /// What the file has besides: no hosts.
    aggregation: Vec<AggregationNode>,
    /// Links that join a node to itself: no part of the network.
    own_links: Vec<OwnLink>,
    /// What is odd about the file itself.
    anomalies: Vec<Anomaly>,
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

    fn cabled(&self) -> CabledNetwork {
        let (switches, hosts) = self.addresses.clone();
        let OfFile { ports, devices, aggregation, own_links, anomalies } = self.of_file.clone();
        let network = self.machine.network().0.clone();
        CabledNetwork { network, switches, hosts, ports, devices, aggregation, own_links, anomalies }
    }
}

/// Everything that a network comes from.
#[derive(PartialEq)]
struct MadeOf {
    spec: NetworkSpec,
    added_links: Vec<CustomLink>,
    mends_cables: bool,
    file: Option<String>,
}

/// The machine that a fabric runs on, with its network and what it is offered.
enum Machine {
    /// Flows through FIFOs.
    An1(Arc<An1Plan>),
    /// Whole frames.
    Lossless(Arc<LosslessPlan>),
    /// No machine: the network alone was asked for.
    Network(Box<(Network, FabricParams)>),
}

/// Nothing asks for more than the network of a scenario that was read for it.
const NOT_PLANNED: &str = "a scenario that was read for its network alone has no routes";

impl Machine {
    fn fabric(&self) -> &FabricPlan {
        match self {
            Self::An1(plan) => plan.fabric(),
            Self::Lossless(plan) => plan.fabric(),
            Self::Network(_) => panic!("{NOT_PLANNED}"),
        }
    }

    fn network(&self) -> (&Network, &FabricParams) {
        match self {
            Self::Network(alone) => (&alone.0, &alone.1),
            _ => (&self.fabric().network, &self.fabric().params),
        }
    }

    /// The tables that packets follow, of each path to a host; none where the scenario has none.
    fn tables(&self) -> &[DestinationTables] {
        match self {
            Self::Network(_) => &[],
            _ => self.fabric().routes.tables_of_paths(),
        }
    }

    /// The virtual lanes that files tell of packets.
    fn lanes(&self) -> Option<&VirtualLanes> {
        match self {
            Self::Lossless(plan) => plan.virtual_lanes(),
            Self::An1(_) | Self::Network(_) => None,
        }
    }
}

/// What a scenario asks for: a machine and what it can be offered.
enum Wanted {
    An1(Box<An1Params>, TrafficSpec),
    Lossless(Box<LosslessParams>, OfferSpec),
}

impl Wanted {
    /// The machine on this network, its packets following these tables, if any.
    fn on(self, network: Network, of_files: TablesOfFiles) -> Result<Machine, Vec<Problem>> {
        let TablesOfFiles { mut tables, lanes, later } = of_files;
        Ok(match self {
            Self::An1(params, traffic) => {
                let plan = An1Plan::new(network, *params, traffic)?;
                // AN1's hosts have one address each.
                let plan = match tables.is_empty() {
                    true => plan,
                    false => plan.following(tables.swap_remove(0)).map_err(|problem| vec![problem])?,
                };
                Machine::An1(Arc::new(plan))
            }
            Self::Lossless(params, offer) => {
                let plan = LosslessPlan::new(network, *params, offer)?;
                let plan = match tables.is_empty() {
                    true => plan,
                    false => plan.following_paths(tables, lanes).map_err(|problem| vec![problem])?,
                };
                let plan = plan.with_new_tables(later).map_err(|problem| vec![problem])?;
                Machine::Lossless(Arc::new(plan))
            }
        })
    }
}

impl FabricScenario {
    /// What it asks for, or what is wrong with that, whatever the network.
    fn wanted(&self) -> Result<Wanted, Vec<Problem>> {
        let mut problems = match &self.frames {
            None => self.an1().problems(),
            Some(frames) => self.lossless(frames).problems(),
        };
        let offer = self.offer();
        match &offer {
            Ok(offer) => problems.extend(offer.problems()),
            Err(problem) => {
                problems.push(problem.clone());
                problems.extend(OfferSpec::Flows(self.flows.clone()).problems());
            }
        }
        if self.frames.is_some() {
            problems.extend(self.unused_with_frames());
        }
        match (offer, &self.frames) {
            (Ok(OfferSpec::Flows(_)), None) => problems.push(flows_without_frames()),
            (Ok(OfferSpec::Traffic(traffic)), None) if problems.is_empty() => {
                return Ok(Wanted::An1(Box::new(self.an1()), traffic));
            }
            (Ok(offer), Some(frames)) if problems.is_empty() => {
                return Ok(Wanted::Lossless(Box::new(self.lossless(frames)), offer));
            }
            _ => {}
        }
        Err(problems)
    }

    fn fabric(&self) -> FabricParams {
        FabricParams { routing: self.routing.clone(), link: self.link.clone(), upgrade: self.upgrade.clone() }
    }

    fn an1(&self) -> An1Params {
        An1Params {
            fabric: self.fabric(),
            switch: self.switch.clone(),
            faults: self.faults.clone(),
            reconfiguration: self.reconfiguration.clone(),
        }
    }

    fn lossless(&self, frames: &FrameParams) -> LosslessParams {
        LosslessParams { fabric: self.fabric(), frames: frames.clone(), faults: self.faults.clone() }
    }

    /// Traffic or flows: one of the two.
    fn offer(&self) -> Result<OfferSpec, Problem> {
        match (&self.traffic, self.flows.is_empty()) {
            (None, true) => {
                Err(Problem::new("traffic", "there is no traffic", "a section [traffic], or [[flows]]"))
            }
            (Some(_), false) => {
                Err(Problem::new("flows", "[traffic] and [[flows]] are both given", "one of the two"))
            }
            (Some(traffic), true) => Ok(OfferSpec::Traffic(traffic.clone())),
            (None, false) => Ok(OfferSpec::Flows(self.flows.clone())),
        }
    }

    /// What is set that a fabric of frames has no use for.
    fn unused_with_frames(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut refuse = |path: &str, what: &str, hint: &str| {
            problems.push(
                Problem::new(path, format!("{what} together with frames"), "one or the other").hint(hint),
            );
        };
        if self.switch != Default::default() {
            let hint = "[switch] describes AN1's switch; with frames, [frames] describes the switch";
            refuse("switch", "AN1's [switch]", hint);
        }
        if !self.reconfiguration.is_default() {
            let hint = "`frames.reroute` is the time from a fault until new tables hold";
            refuse("reconfiguration", "AN1's [reconfiguration]", hint);
        }
        problems
    }
}

/// Flows are made of frames.
fn flows_without_frames() -> Problem {
    Problem::new("flows", "flows, but no frames to carry them", "[frames], or [traffic] instead")
        .hint("add a table [frames]; empty, it has defaults for everything")
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

/// The network that the scenario describes or names the file of, and what it was made of.
fn network(
    params: &mut FabricScenario,
    files: &mut Files<'_>,
    before: Option<&FabricScenarioPlan>,
) -> Result<(CabledNetwork, MadeOf), Vec<Finding>> {
    let mut attachment = None;
    if let NetworkSpec::File(file) = &mut params.network {
        let read = files.read("network.file.path", &file.path).map_err(|found| vec![Finding::from(found)])?;
        file.path.clone_from(&read.name);
        attachment = Some(read);
    }
    let made_of = MadeOf {
        spec: params.network.clone(),
        added_links: params.added_links.clone(),
        mends_cables: params.upgrade.mend_cables,
        file: attachment.as_ref().map(|attachment| attachment.text.text.clone()),
    };
    if let Some(before) = before.filter(|before| before.made_of == made_of) {
        return Ok((before.cabled(), made_of));
    }
    let cabled = match (&params.network, &attachment) {
        (NetworkSpec::File(file), Some(attachment)) => {
            let read = read_fabric(&attachment.name, attachment.text.text.as_bytes(), file);
            read.map_err(|error| match error {
                ReadError::File(error) => vec![Finding::from(attachment.diagnosis(&error))],
                ReadError::Scenario(problem) => vec![Finding::from(below_network(problem))],
            })?
        }
        (spec, _) => spec.build().map(CabledNetwork::numbered).map_err(|problems| {
            problems.into_iter().map(|problem| Finding::from(below_network(problem))).collect::<Vec<_>>()
        })?,
    };
    if let NetworkSpec::File(_) = params.network
        && cabled.network.hosts().is_empty()
    {
        return Err(vec![Finding::from(without_hosts())]);
    }
    let mut network = with_links(cabled.network, &params.added_links)
        .map_err(|problems| problems.into_iter().map(Finding::from).collect::<Vec<_>>())?;
    if params.upgrade.mend_cables {
        // What is odd about cables is too much for the engine of a page.
        if cfg!(target_family = "wasm") {
            return Err(vec![Finding::from(not_in_a_page())]);
        }
        network = with_cables_mended(&network, &Family::of(&network));
    }
    Ok((CabledNetwork { network, ..cabled }, made_of))
}

/// Cables are not mended in a page.
fn not_in_a_page() -> Problem {
    Problem::new("upgrade.mend_cables", "a page does not mend cables", "false; run it by the program instead")
}

/// A file that tells of switches alone.
fn without_hosts() -> Problem {
    let path = "network.file.hosts_per_switch";
    let hint = Some(format!("`--set {path}=1` attaches one to every switch"));
    Problem { hint, ..Problem::new(path, "the file has no hosts", "how many to attach to every switch") }
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

fn below_network(problem: Problem) -> Problem {
    Problem { path: format!("network.{}", problem.path), ..problem }
}

fn below_traffic(problem: Problem) -> Problem {
    Problem { path: format!("traffic.{}", problem.path), ..problem }
}
