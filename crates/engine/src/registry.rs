//! The models: one line each.

use std::any::Any;

use hopscope_formats::pcapng::Interface;
use hopscope_measure::Problem;
use hopscope_scenario::{Diagnosis, Files, Header, Node, Path, Table, Value, did_you_mean, one_of, read};
use schemars::JsonSchema;
#[cfg(not(target_family = "wasm"))]
use schemars::SchemaGenerator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::capture::CaptureFile;
use crate::drive::{Driven, Driver};
use crate::forwarding_tables::CabledFabric;
use crate::memory;
use crate::models;
use crate::models::advice::Advice;
use crate::models::fabric_facts::FabricFacts;
use crate::paused::Begun;
use crate::rules::Rules;

/// Every model, in the order in which lists show them.
pub(crate) const MODELS: &[&dyn Registered] = &[
    &Entry::<models::Arpanet>::NEW,
    &Entry::<models::Fabric>::NEW,
    &Entry::<models::Pup>::NEW,
    &Entry::<models::Queueing>::NEW,
    &Entry::<models::Sna>::NEW,
];

/// A model as the engine knows it.
pub(crate) trait ScenarioModel: 'static {
    /// The name that scenarios call it by.
    const NAME: &'static str;
    /// What it is, in one sentence.
    #[cfg_attr(target_family = "wasm", allow(dead_code, reason = "only a schema tells it"))]
    const ABOUT: &'static str;
    /// Everything of its scenario beside title, model, seed and measure. Every struct in it refuses unknown fields.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// What the parameters become once they are known to be right, so that a run cannot fail: networks built, routes
    /// computed.
    type Plan: Send + Sync + 'static;

    /// Whether it can keep its state at instants: `measure.snapshots`.
    const SNAPSHOTS: bool = false;

    /// Reads the rules of the program's own that the parameters name; `root` is the whole scenario.
    fn resolve(_params: &mut Self::Params, _root: &Node, _rules: &Rules) -> Vec<Diagnosis> {
        Vec::new()
    }

    /// Checks the parameters and prepares a run.
    ///
    /// A model that reads a file writes its attachment's name back into the parameters.
    ///
    /// # Errors
    /// Everything that is wrong, not only the first.
    fn prepare(params: &mut Self::Params, files: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>>;

    /// Checks the parameters as `prepare` does; what the plan of an earlier scenario has in common may be shared with
    /// it.
    ///
    /// # Errors
    /// As `prepare`.
    fn prepare_like(
        params: &mut Self::Params,
        files: &mut Files<'_>,
        _before: &Self::Plan,
    ) -> Result<Self::Plan, Vec<Finding>> {
        Self::prepare(params, files)
    }

    /// Checks the parameters as far as the network and its tables go, which is all that is asked for.
    ///
    /// # Errors
    /// As `prepare`.
    fn prepare_network(params: &mut Self::Params, files: &mut Files<'_>) -> Result<Self::Plan, Vec<Finding>> {
        Self::prepare(params, files)
    }

    /// Builds the simulation and drives it to its end.
    fn run(params: &Self::Params, plan: &Self::Plan, driver: &Driver<'_>) -> Driven;

    /// The simulation with this seed as one that can be paused, where the model's load can be searched for.
    fn paused(_plan: &Self::Plan, _seed: u64) -> Option<Begun> {
        None
    }

    /// The networks whose packets can be captured; none where the model has no packets on a wire.
    fn interfaces(_plan: &Self::Plan) -> Vec<Interface<'_>> {
        Vec::new()
    }

    /// As [`run`](Self::run), with every packet written down as a network begins to carry it.
    fn run_captured(
        params: &Self::Params,
        plan: &Self::Plan,
        driver: &Driver<'_>,
        _file: &mut CaptureFile,
    ) -> Driven {
        Self::run(params, plan, driver)
    }

    /// The network and its figures, where the model has a network.
    fn topology(_params: &Self::Params, _plan: &Self::Plan) -> Option<Json> {
        None
    }

    /// What bounds the load, or advice on how to raise it, if the model supports it.
    fn capacity(
        _params: &Self::Params,
        _plan: &Self::Plan,
        _seed: u64,
        _advice: Option<&Advice>,
    ) -> Option<Result<Json, Problem>> {
        None
    }

    /// The facts of a fabric's file without simulation.
    fn facts(_params: &Self::Params, _plan: &Self::Plan) -> Option<FabricFacts> {
        None
    }

    /// A load below `usual` that a healthy network of this kind carries, where it does not carry that.
    fn fitting_load(_params: &Self::Params, _plan: &Self::Plan, _usual: f64, _seed: u64) -> Option<f64> {
        None
    }

    /// The fabric with its addresses and the tables that it follows, where the model has tables by destination.
    fn cabled_fabric(_params: &Self::Params, _plan: &Self::Plan) -> Option<CabledFabric> {
        None
    }
}

/// Something that a model finds wrong: with a field, or inside a file that a field names.
#[derive(Clone, Debug)]
pub(crate) enum Finding {
    /// A field, by its path from the scenario's root.
    Field(Problem),
    /// A place that is known already.
    Placed(Diagnosis),
}

impl From<Problem> for Finding {
    fn from(problem: Problem) -> Self {
        Self::Field(problem)
    }
}

impl From<Diagnosis> for Finding {
    fn from(diagnosis: Diagnosis) -> Self {
        Self::Placed(diagnosis)
    }
}

/// A scenario's model, checked and ready to run.
pub(crate) trait Prepared: Send + Sync + 'static {
    fn params_json(&self) -> Json;
    fn topology_json(&self) -> Option<Json>;
    fn capacity_json(&self, seed: u64, advice: Option<&Advice>) -> Option<Result<Json, Problem>>;
    fn as_any(&self) -> &dyn Any;
    fn interfaces(&self) -> Vec<Interface<'_>>;
    fn cabled_fabric(&self) -> Option<CabledFabric>;
    fn facts(&self) -> Option<FabricFacts>;
    fn fitting_load(&self, usual: f64, seed: u64) -> Option<f64>;
    fn run(&self, driver: &Driver<'_>) -> Driven;
    fn paused(&self, seed: u64) -> Option<Begun>;
    fn run_captured(&self, driver: &Driver<'_>, file: &mut CaptureFile) -> Driven;
}

/// What a scenario is read for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// To be run.
    Run,
    /// To be run; it may share its plan's parts with this one.
    RunLike(&'a dyn Prepared),
    /// For its network and tables alone: a model may leave out what only a run needs.
    Network,
}

/// What the registry can do with a model without knowing it.
pub(crate) trait Registered: Sync {
    fn name(&self) -> &'static str;
    #[cfg_attr(target_family = "wasm", allow(dead_code, reason = "only a schema tells it"))]
    fn about(&self) -> &'static str;
    #[cfg(not(target_family = "wasm"))]
    fn schema(&self, generator: &mut SchemaGenerator) -> Json;
    /// The mistakes in the fields of a scenario that are found without preparing a run.
    fn mistyped(&self, root: &Node) -> Vec<Diagnosis>;
    /// Reads a scenario for a purpose.
    fn read(
        &self,
        root: &Node,
        rules: &Rules,
        files: &mut Files<'_>,
        purpose: Purpose<'_>,
    ) -> Result<(Header, Box<dyn Prepared>), Vec<Diagnosis>>;
}

/// The registered model of this name.
pub(crate) fn find(root: &Node) -> Result<&'static dyn Registered, Diagnosis> {
    let names = || MODELS.iter().map(|model| model.name());
    let Value::Table(table) = &root.value else {
        let diagnosis = Diagnosis::new(format!("the scenario is {}", root.describe()));
        return Err(diagnosis.at(root.place.clone()).expected("an object"));
    };
    let Some(entry) = table.get("model") else {
        let diagnosis = Diagnosis::new("the field \"model\" is missing").at(root.place.clone());
        let hint = match table.get("scenarios") {
            Some(_) => Some("this is an experiment: give it to `hopscope experiment`".to_owned()),
            None => meant(root, table.entries.len()),
        };
        return Err(diagnosis.expected(format!("model = {}", one_of(names()))).hint(hint));
    };
    let place = entry.node.place.clone();
    let Value::Text(name) = &entry.node.value else {
        let problem = format!("model: {} does not fit here", entry.node.describe());
        return Err(Diagnosis::new(problem).at(place).expected(one_of(names())));
    };
    MODELS.iter().copied().find(|model| model.name() == name).ok_or_else(|| {
        let diagnosis = Diagnosis::new(format!("model: there is no model \"{name}\"")).at(place);
        diagnosis.expected(one_of(names())).hint(did_you_mean(name, names()))
    })
}

/// The line to add to a scenario that names no model: that of the one that misreads the least of its fields, where one
/// does, and knows any of them.
fn meant(root: &Node, fields: usize) -> Option<String> {
    let mut mistakes: Vec<(usize, &str)> =
        MODELS.iter().map(|model| (model.mistyped(root).len(), model.name())).collect();
    mistakes.sort_unstable();
    let is_one = mistakes[0].0 < mistakes[1].0.min(fields);
    is_one
        .then(|| format!("its sections are those of this model: add the line model = \"{}\"", mistakes[0].1))
}

struct Entry<M>(std::marker::PhantomData<fn() -> M>);

impl<M> Entry<M> {
    const NEW: Self = Self(std::marker::PhantomData);
}

impl<M: ScenarioModel> Registered for Entry<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn about(&self) -> &'static str {
        M::ABOUT
    }

    #[cfg(not(target_family = "wasm"))]
    fn schema(&self, generator: &mut SchemaGenerator) -> Json {
        M::Params::json_schema(generator).to_value()
    }

    fn mistyped(&self, root: &Node) -> Vec<Diagnosis> {
        let (header, params) = split(root);
        let header = read::<Header>(&header, &[]).err();
        let params = match read::<M::Params>(&params, &Header::FIELDS) {
            Ok(mut params) => M::resolve(&mut params, root, &Rules::default()),
            Err(found) => found,
        };
        header.into_iter().flatten().chain(params).collect()
    }

    fn read(
        &self,
        root: &Node,
        rules: &Rules,
        files: &mut Files<'_>,
        purpose: Purpose<'_>,
    ) -> Result<(Header, Box<dyn Prepared>), Vec<Diagnosis>> {
        let (header, params) = split(root);
        let mut diagnoses = Vec::new();
        let header = match read::<Header>(&header, &[]) {
            Ok(header) => {
                diagnoses.extend(header.problems().iter().map(|problem| place(root, problem)));
                if diagnoses.is_empty() {
                    let short = memory::journeys(header.measure.journeys, header.measure.messages);
                    diagnoses.extend(short.iter().map(|problem| place(root, problem)));
                }
                if header.measure.snapshots.is_some() && !M::SNAPSHOTS {
                    let path = Path::of("measure.snapshots");
                    let problem = format!("the model \"{}\" has no snapshots", M::NAME);
                    let diagnosis = Diagnosis::about(&path, &problem).at(root.nearest_place(&path));
                    diagnoses.push(diagnosis.hint(Some("leave it out")));
                }
                Some(header)
            }
            Err(found) => {
                diagnoses.extend(found);
                None
            }
        };
        let prepared = read::<M::Params>(&params, &Header::FIELDS).and_then(|mut params| {
            let mut found = M::resolve(&mut params, root, rules);
            let plan = match purpose {
                Purpose::Run => M::prepare(&mut params, files),
                Purpose::Network => M::prepare_network(&mut params, files),
                Purpose::RunLike(before) => match before.as_any().downcast_ref::<Checked<M>>() {
                    Some(before) => M::prepare_like(&mut params, files, &before.plan),
                    None => M::prepare(&mut params, files),
                },
            };
            let placed = |finding| match finding {
                Finding::Field(problem) => place(root, &problem),
                Finding::Placed(diagnosis) => diagnosis,
            };
            match plan {
                Ok(plan) if found.is_empty() => return Ok(Checked::<M> { params, plan }),
                Ok(_) => {}
                Err(findings) => found.extend(findings.into_iter().map(placed)),
            }
            Err(found)
        });
        match (header, prepared) {
            (Some(header), Ok(prepared)) if diagnoses.is_empty() => Ok((header, Box::new(prepared))),
            (_, Err(found)) => Err(diagnoses.into_iter().chain(found).collect()),
            (_, Ok(_)) => Err(diagnoses),
        }
    }
}

/// What a scenario begins with, whatever its model.
pub(crate) fn header(root: &Node) -> Result<Header, Vec<Diagnosis>> {
    read(&split(root).0, &[])
}

/// The root's entries that every scenario has, and those of its model.
fn split(root: &Node) -> (Node, Node) {
    let Value::Table(table) = &root.value else { return (root.clone(), root.clone()) };
    let (header, params) =
        table.entries.iter().cloned().partition(|entry| Header::FIELDS.contains(&entry.key.as_str()));
    let part = |entries| Node { value: Value::Table(Table { entries }), place: root.place.clone() };
    (part(header), part(params))
}

/// A model's problem at the place of its field.
pub(crate) fn place(root: &Node, problem: &Problem) -> Diagnosis {
    let path = Path::of(&problem.path);
    let diagnosis = Diagnosis::about(&path, &problem.problem).at(root.nearest_place(&path));
    diagnosis.expected(&problem.expected).hint(problem.hint.as_deref())
}

struct Checked<M: ScenarioModel> {
    params: M::Params,
    plan: M::Plan,
}

impl<M: ScenarioModel> Prepared for Checked<M> {
    fn params_json(&self) -> Json {
        serde_json::to_value(&self.params).expect("parameters are plain data")
    }

    fn topology_json(&self) -> Option<Json> {
        M::topology(&self.params, &self.plan)
    }

    fn capacity_json(&self, seed: u64, advice: Option<&Advice>) -> Option<Result<Json, Problem>> {
        // A page only runs.
        if cfg!(target_family = "wasm") { None } else { M::capacity(&self.params, &self.plan, seed, advice) }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn interfaces(&self) -> Vec<Interface<'_>> {
        M::interfaces(&self.plan)
    }

    fn cabled_fabric(&self) -> Option<CabledFabric> {
        M::cabled_fabric(&self.params, &self.plan)
    }

    fn facts(&self) -> Option<FabricFacts> {
        M::facts(&self.params, &self.plan)
    }

    fn fitting_load(&self, usual: f64, seed: u64) -> Option<f64> {
        M::fitting_load(&self.params, &self.plan, usual, seed)
    }

    fn run(&self, driver: &Driver<'_>) -> Driven {
        M::run(&self.params, &self.plan, driver)
    }

    fn paused(&self, seed: u64) -> Option<Begun> {
        // A page only runs.
        if cfg!(target_family = "wasm") { None } else { M::paused(&self.plan, seed) }
    }

    fn run_captured(&self, driver: &Driver<'_>, file: &mut CaptureFile) -> Driven {
        M::run_captured(&self.params, &self.plan, driver, file)
    }
}
