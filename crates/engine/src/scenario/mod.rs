//! Scenarios: read, overridden, checked, and written back in their canonical form.

mod bare_fabric;
mod parcel;
pub(crate) mod source;

use std::fmt;
use std::path::Path as FilePath;
use std::sync::Arc;

use hopscope_kernel::step;
use hopscope_scenario::{
    Attachment, Diagnosis, FileAccess, Header, Node, Override, Path, Place, ScenarioError, Value, parse,
};
use serde_json::Value as Json;

use self::source::{Source, files_of};
use crate::counters::Called;
use crate::models::advice::Advice;
use crate::models::fabric_facts::FabricFacts;
use crate::registry::{self, Prepared, Purpose};
use crate::rules::{Program, Rules};

/// A scenario that has been checked: it can be run.
#[derive(Clone)]
pub struct Scenario {
    source: Source,
    overrides: Vec<Override>,
    prepared: Arc<dyn Prepared>,
    identity: Arc<Identity>,
    /// What was written, with all overrides and without defaults.
    root: Arc<Node>,
    /// The rules that it may name beside those of hopscope.
    rules: Rules,
}

/// What a scenario is, apart from where it came from: everything that its results depend on, and its title.
#[derive(Debug)]
pub(crate) struct Identity {
    pub header: Header,
    /// The scenario with every default written out.
    pub canonical: Json,
    pub attachments: Vec<Attachment>,
    pub hash: String,
    /// In one line, its assumed values; None for a scenario that was written as one.
    pub assumed: Option<String>,
    /// The facts of the fabric's file that it names.
    pub facts: Option<FabricFacts>,
    /// The rules that it needs beside those of hopscope, by their paths.
    pub needs: Vec<String>,
    /// The program that has them.
    pub program: Option<Program>,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("name", &self.source.name)
            .field("hash", &self.identity.hash)
            .finish()
    }
}

impl Scenario {
    /// Reads a ready scenario by its name, or a file by its path, with overrides such as `traffic.load=0.5`.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn load(wanted: &str, overrides: &[&str]) -> Result<Self, ScenarioError> {
        Self::load_with(wanted, overrides, &FileAccess::default())
    }

    /// The same where the scenario may name other files than those of its own folder, or a study has the word.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with(wanted: &str, overrides: &[&str], access: &FileAccess) -> Result<Self, ScenarioError> {
        Self::load_by(&Rules::default(), wanted, overrides, access)
    }

    /// The same for what asks of the network and its tables alone, such as their check: for a fabric's file neither
    /// routes nor a load that a healthy fabric carries are worked out. It is not to be run.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_network(
        wanted: &str,
        overrides: &[&str],
        access: &FileAccess,
    ) -> Result<Self, ScenarioError> {
        let source = Source::find(wanted, access)?;
        Self::read(source, read_overrides(overrides)?, Rules::default(), Purpose::Network)
    }

    /// The same as [`load_with`](Self::load_with) where scenarios may name these rules, too.
    pub(crate) fn load_by(
        rules: &Rules,
        wanted: &str,
        overrides: &[&str],
        access: &FileAccess,
    ) -> Result<Self, ScenarioError> {
        Self::read(Source::find(wanted, access)?, read_overrides(overrides)?, rules.clone(), Purpose::Run)
    }

    /// Reads the scenario of a run folder, to show what was run. Rules of one's own that it names may be missing from
    /// this program: then it cannot be run ([`lacks`](Self::lacks)).
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn of_run(file: &str) -> Result<Self, ScenarioError> {
        Self::load_by(&Rules::for_showing(), file, &[], &FileAccess::default())
    }

    /// The rules that it needs and this program does not have, by their paths: none unless it was read to be shown.
    #[must_use]
    pub fn lacks(&self) -> &[String] {
        if self.rules.are_only_shown() { &self.identity.needs } else { &[] }
    }

    /// Reads a scenario from text. Files that it names are looked for in the working folder.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_text(name: &str, text: &str, overrides: &[&str]) -> Result<Self, ScenarioError> {
        Self::read(Source::of_text(name, text), read_overrides(overrides)?, Rules::default(), Purpose::Run)
    }

    /// Reads a scenario from data in memory, as JSON. Mistakes are reported by the path of the field: there is no text.
    /// Files that it names are looked for in the working folder.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_data(
        name: &str,
        json: &str,
        overrides: &[&str],
        access: &FileAccess,
    ) -> Result<Self, ScenarioError> {
        let source = Source { access: access.clone(), ..Source::of_text(name, json) };
        let text = Arc::clone(&source.text);
        Self::read(source, read_overrides(overrides)?, Rules::default(), Purpose::Run).map_err(|mut error| {
            for diagnosis in &mut error.diagnoses {
                diagnosis.place.take_if(|place| Arc::ptr_eq(&place.source, &text));
            }
            error
        })
    }

    /// The same scenario with further overrides, which follow the ones it has. What they leave as it is, such as a
    /// network and its routes, both share.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn with_overrides(&self, overrides: &[&str]) -> Result<Self, ScenarioError> {
        let further = read_overrides(overrides)?;
        // What is changed is to be run: with rules that are there.
        let rules = if self.rules.are_only_shown() { Rules::default() } else { self.rules.clone() };
        let changed = [self.overrides.clone(), further].concat();
        Self::read(self.source.clone(), changed, rules, Purpose::RunLike(self.prepared()))
    }

    /// The same scenario with each of these lists of further overrides.
    ///
    /// # Errors
    /// Those of the first list that is wrong.
    pub fn with_each(&self, overrides: &[Vec<&str>]) -> Result<Vec<Self>, ScenarioError> {
        let changed = |overrides: &Vec<&str>| {
            step("reading the points");
            self.with_overrides(overrides)
        };
        overrides.iter().map(changed).collect()
    }

    fn read(
        source: Source,
        overrides: Vec<Override>,
        rules: Rules,
        purpose: Purpose<'_>,
    ) -> Result<Self, ScenarioError> {
        let mut root = tree_of(&source).map_err(ScenarioError::new)?;
        let failed: Vec<_> = overrides.iter().filter_map(|change| change.apply(&mut root).err()).collect();
        if !failed.is_empty() {
            return Err(ScenarioError::new(failed));
        }
        if source.is_bare_fabric {
            bare_fabric::make_way(&mut root);
        }
        let model = registry::find(&root)?;
        let fitting;
        let mut files = files_of(&source, &root);
        let (mut header, mut prepared) =
            model.read(&root, &rules, &mut files, purpose).map_err(ScenarioError::new)?;
        if source.is_bare_fabric
            && !matches!(purpose, Purpose::Network)
            && let Some(found) = bare_fabric::with_fitting_load(&root, &*prepared, header.seed)
        {
            fitting = found;
            files = files_of(&source, &fitting);
            (header, prepared) = model
                .read(&fitting, &rules, &mut files, Purpose::RunLike(&*prepared))
                .map_err(ScenarioError::new)?;
        }
        let mut identity = Identity::new(header, &*prepared, files.into_attachments());
        identity.facts = prepared.facts();
        // A page shows the assumptions as the program that made it has found them.
        let is_told = source.is_bare_fabric && !cfg!(target_family = "wasm");
        if let Some(facts) = identity.facts.as_ref().filter(|_| is_told) {
            let is_fitted = !matches!(purpose, Purpose::Network);
            identity.assumed = Some(bare_fabric::assumed(&root, &identity.canonical, facts, is_fitted));
        }
        if !identity.needs.is_empty() {
            identity.program = rules.program().cloned();
        }
        let identity = Arc::new(identity);
        Ok(Self { source, overrides, prepared: Arc::from(prepared), identity, root: Arc::new(root), rules })
    }

    /// The ready scenario's name, or the file's without its ending.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// What it shows, in one line; its name where it does not say.
    #[must_use]
    pub fn title(&self) -> &str {
        let title = self.identity.header.title.as_str();
        if title.is_empty() { self.name() } else { title }
    }

    /// The model's name.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.identity.header.model
    }

    /// The seed of all randomness.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.identity.header.seed
    }

    /// BLAKE3 of the canonical form without title and seed, and of every file that it names, in hexadecimal.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.identity.hash
    }

    /// The scenario as JSON with every default written out and the keys in order. It reads back as the same scenario.
    #[must_use]
    pub fn canonical_json(&self) -> String {
        self.identity.canonical.to_string()
    }

    /// Whether this value is given, in the scenario or by an override: else it is a default, or what is assumed around
    /// a fabric's file.
    #[must_use]
    pub fn is_given(&self, path: &str) -> bool {
        let given = |node: &Node| !self.source.is_bare_fabric || bare_fabric::is_set(node);
        self.root.at(&Path::of(path)).is_some_and(given)
    }

    /// The same as TOML.
    #[must_use]
    pub fn toml(&self) -> String {
        self.identity.toml()
    }

    /// The scenario that a fabric's file means, as a text to edit: what was assumed, without defaults, and the file by
    /// its name. Nothing for a scenario that was written as one.
    #[must_use]
    pub fn assumed_toml(&self) -> Option<String> {
        let text = || bare_fabric::as_text(&self.source.text.text, &self.root, &self.identity.canonical);
        self.source.is_bare_fabric.then(text)
    }

    /// The network and its figures as JSON; nothing for a model without a network.
    #[must_use]
    pub fn topology_json(&self) -> Option<String> {
        self.prepared.topology_json().map(|topology| self.with_facts(topology).to_string())
    }

    /// The facts of the fabric's file that it names, as JSON: family, routes, anomalies, names; and the assumed values
    /// if the file is the scenario. None for any other scenario.
    #[must_use]
    pub fn facts_json(&self) -> Option<String> {
        self.facts().map(|facts| facts.to_string())
    }

    fn facts(&self) -> Option<Json> {
        let facts = self.identity.facts.as_ref()?;
        let mut json = serde_json::to_value(facts).expect("facts are plain data");
        json["assumed"] = self.identity.assumed.clone().into();
        Some(json)
    }

    /// Whether it is a fabric of frames.
    pub(crate) fn has_frames(&self) -> bool {
        self.identity.canonical.get("frames").is_some()
    }

    /// The scenario as TOML with these flows instead of its traffic, and with these slow hosts, if there are any, where
    /// it has frames. Files that this scenario names have the paths that they have from the folder of the new one.
    pub(crate) fn with_traffic(&self, flows: &Json, slow_hosts: Vec<Json>, called: &Called) -> String {
        let mut canonical = self.identity.canonical.clone();
        let folder = FilePath::new(&called.source).parent().unwrap_or(FilePath::new(""));
        for named in ["/network/file/path", "/routing/tables", "/routing/path_sl", "/routing/sl2vl"] {
            let Some(file) = canonical.pointer_mut(named) else { continue };
            let path = folder.join(file.as_str().unwrap_or_default());
            *file = path.to_string_lossy().into();
        }
        if let Some(tables) = &called.tables {
            canonical["routing"]["tables"] = tables.as_str().into();
        }
        let sizes = canonical.pointer("/traffic/sizes").cloned();
        canonical["traffic"] = serde_json::json!({ "load": LOAD_OF_NONE, "pattern": { "flows": flows } });
        if let Some(sizes) = sizes {
            canonical["traffic"]["sizes"] = sizes;
        }
        if let Some(section) = canonical.as_object_mut() {
            section.remove("flows");
        }
        if let Some(frames) = canonical.get_mut("frames").filter(|_| !slow_hosts.is_empty()) {
            frames["slow_hosts"] = slow_hosts.into();
        }
        toml_of(&canonical)
    }

    /// An object with the facts of the fabric's file in it, as `facts`.
    pub(crate) fn with_facts(&self, mut found: Json) -> Json {
        if let Some(facts) = self.facts() {
            found["facts"] = facts;
        }
        found
    }

    /// What bounds the load, as JSON; with `advice`, what might raise it. None for a model without bounds.
    ///
    /// # Errors
    /// Traffic of which a part does not depend on `traffic.load`; advice on a root where routes have none.
    pub fn capacity_json(&self, advice: Option<&Advice>) -> Option<Result<String, ScenarioError>> {
        let found = self.prepared.capacity_json(self.seed(), advice)?;
        let refuse = |problem| ScenarioError::new(vec![registry::place(&self.root, &problem)]);
        Some(found.map(|json| self.with_facts(json).to_string()).map_err(refuse))
    }

    /// Whether packets pass on its networks that can be captured.
    #[must_use]
    pub fn has_wire(&self) -> bool {
        !self.prepared.interfaces().is_empty()
    }

    pub(crate) fn prepared(&self) -> &dyn Prepared {
        &*self.prepared
    }

    pub(crate) fn identity(&self) -> &Arc<Identity> {
        &self.identity
    }
}

impl Identity {
    fn new(header: Header, prepared: &dyn Prepared, attachments: Vec<Attachment>) -> Self {
        let mut canonical = serde_json::to_value(&header).expect("a header is plain data");
        let Json::Object(params) = prepared.params_json() else { panic!("parameters are a section") };
        canonical.as_object_mut().expect("a header is a section").extend(params);
        strip_nulls(&mut canonical);
        let mut hasher = blake3::Hasher::new();
        hasher.update(without_title_and_seed(&canonical).to_string().as_bytes());
        for attachment in &attachments {
            hasher.update(format!("\n{}\n", attachment.name).as_bytes());
            hasher.update(blake3::hash(attachment.text.text.as_bytes()).as_bytes());
        }
        let hash = hasher.finalize().to_hex().to_string();
        let needs = Rules::needed(&canonical);
        Self { header, canonical, attachments, hash, assumed: None, facts: None, needs, program: None }
    }

    /// TOML with what every scenario begins with first.
    pub fn toml(&self) -> String {
        toml_of(&self.canonical)
    }
}

/// The load of flows that say none; fitted ones all do.
const LOAD_OF_NONE: f64 = 0.1;

/// A scenario as TOML with what every scenario begins with first.
fn toml_of(canonical: &Json) -> String {
    let write =
        |json: &Json| toml::to_string(json).expect("a scenario without nulls and 64-bit overflows is TOML");
    let Json::Object(mut rest) = canonical.clone() else { panic!("a scenario is a section") };
    let first = ["title", "model", "seed"];
    let lines = first.map(|key| rest.remove(key).map(|value| write(&serde_json::json!({ key: value }))));
    lines.into_iter().flatten().chain([write(&Json::Object(rest))]).collect()
}

/// A scenario's text before any model has seen it: what a study sets is checked against it. Nothing is read or built
/// for it.
#[derive(Debug)]
pub struct Draft {
    is_bare_fabric: bool,
    root: Node,
}

impl Draft {
    /// Finds a scenario as [`Scenario::load`] does.
    ///
    /// # Errors
    /// A scenario that is missing or no text of the language.
    pub fn find(wanted: &str, access: &FileAccess) -> Result<Self, ScenarioError> {
        Self::of(&Source::find(wanted, access)?)
    }

    /// A scenario's text.
    ///
    /// # Errors
    /// A text that is not of the language.
    pub fn of_text(name: &str, text: &str) -> Result<Self, ScenarioError> {
        Self::of(&Source::of_text(name, text))
    }

    fn of(source: &Source) -> Result<Self, ScenarioError> {
        let root = tree_of(source).map_err(ScenarioError::new)?;
        Ok(Self { is_bare_fabric: source.is_bare_fabric, root })
    }

    /// The scenario as a tree.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// What these overrides name that no model has, or give a value of the wrong kind.
    #[must_use]
    pub fn mistakes(&self, overrides: &[Override]) -> Vec<Diagnosis> {
        let mut root = self.root.clone();
        let failed: Vec<_> = overrides.iter().filter_map(|change| change.apply(&mut root).err()).collect();
        if !failed.is_empty() {
            return failed;
        }
        if self.is_bare_fabric {
            bare_fabric::make_way(&mut root);
        }
        match registry::find(&root) {
            Ok(model) => model.mistyped(&root),
            Err(diagnosis) => vec![diagnosis],
        }
    }
}

/// What is hashed: the title changes nothing, and the seed stands beside the hash wherever a run is looked for.
fn without_title_and_seed(canonical: &Json) -> Json {
    let mut hashed = canonical.clone();
    let section = hashed.as_object_mut().expect("a scenario is a section");
    section.remove("title");
    section.remove("seed");
    hashed
}

/// TOML has no null, and a value that is not given is not written.
fn strip_nulls(json: &mut Json) {
    match json {
        Json::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object.values_mut().for_each(strip_nulls);
        }
        Json::Array(items) => items.iter_mut().for_each(strip_nulls),
        _ => {}
    }
}

/// The file's text as a tree, which is not empty.
fn tree_of(source: &Source) -> Result<Node, Vec<Diagnosis>> {
    let root = parse(&source.text)?;
    match &root.value {
        Value::Table(table) if table.entries.is_empty() => {
            let place = Place { source: Arc::clone(&source.text), span: 0..0 };
            let diagnosis = Diagnosis::new("the scenario is empty").at(place);
            let hint = "`hopscope scenarios` lists ready ones to start from";
            Err(vec![diagnosis.expected("a line such as model = \"queueing\"").hint(Some(hint))])
        }
        _ => Ok(root),
    }
}

/// What a ready scenario begins with, without preparing its model.
pub(crate) fn ready_header(name: &str) -> Result<Header, ScenarioError> {
    let source = Source::ready(name, &FileAccess::default())
        .ok_or_else(|| Diagnosis::new(format!("there is no ready scenario \"{name}\"")))?;
    let root = tree_of(&source).map_err(ScenarioError::new)?;
    registry::header(&root).map_err(ScenarioError::new)
}

fn read_overrides(texts: &[&str]) -> Result<Vec<Override>, ScenarioError> {
    let (mut read, mut failed) = (Vec::new(), Vec::new());
    for text in texts {
        match Override::read(text) {
            Ok(change) => read.push(change),
            Err(diagnosis) => failed.push(diagnosis),
        }
    }
    if failed.is_empty() { Ok(read) } else { Err(ScenarioError::new(failed)) }
}
