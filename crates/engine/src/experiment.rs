//! Experiments: scenarios, what is set in them, seeds, and how precise the result is to be. This reads and checks the
//! file; what has the runs performed is Python's.

use std::num::NonZeroU32;
use std::path::Path as FilePath;
use std::sync::Arc;

use hopscope_scenario::{
    Diagnosis, Entry, FileAccess, Node, OneOrMore, Override, Path, Refused, ScenarioError, Value, parse,
    read, read_text,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use hopscope_measure::EVERY_CLASS;

use crate::scenario::Draft;
use crate::study::over::{ByPath, refuse_seed, swept_path};

/// The largest file: a million settings.
const LARGEST: u64 = 256 << 20;

/// An experiment's file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExperimentFile {
    /// What results are called. Default: the file's name without its ending.
    #[serde(default)]
    name: Option<String>,
    /// The scenarios to run: names of ready ones, or files, seen from the experiment's own folder.
    scenarios: Vec<String>,
    /// Values to set in every run, by path.
    #[serde(default)]
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    set: ByPath,
    /// A grid: paths, each with a list of values or a range such as "0.1..0.7:0.1". Every combination is run.
    #[serde(default)]
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    over: ByPath,
    /// A list of settings: values by path, run as they stand.
    #[serde(default)]
    setting: OneOrMore<ByPath>,
    /// A CSV file of settings, seen from the experiment's own folder: paths in its first line, a setting a line.
    #[serde(default)]
    table: Option<String>,
    /// How many seeds each setting is run with, from the scenario's own on. Default 1.
    #[serde(default)]
    seeds: Option<NonZeroU32>,
    /// Add seeds until an interval is narrow enough.
    #[serde(default)]
    precision: Option<Precision>,
}

/// How narrow the interval of a metric is to be.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Precision {
    /// The metric, such as "latency.mean".
    metric: String,
    /// Half its 95 % confidence interval over all seeds, as a share of its value: 0.02 is two per cent.
    half_width: f64,
    /// The most seeds of a setting, at least 3: a precision is not met before three seeds, as the interval of one run
    /// knows nothing of how far the seeds lie apart. Default 64.
    #[serde(default = "most_seeds")]
    most_seeds: NonZeroU32,
}

fn most_seeds() -> NonZeroU32 {
    NonZeroU32::new(64).expect("it is not 0")
}

/// Whether a text has the form of a metric's name, with its class in brackets or without, and a statistic. Which
/// metrics there are is known of runs alone.
fn names_metric(text: &str) -> bool {
    let text = text.trim();
    let (name, rest) = text.split_at(text.find(['[', '.']).unwrap_or(text.len()));
    let (class, rest) = match rest.strip_prefix('[') {
        Some(bracketed) => bracketed.split_once(']').unwrap_or_default(),
        None => (EVERY_CLASS, rest),
    };
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric());
    let is_statistic = |words: &str| words.split(' ').count() <= 2 && words.split(' ').all(is_word);
    let ends_well = rest.is_empty() || rest.strip_prefix('.').is_some_and(is_statistic);
    !name.is_empty() && !name.contains(']') && !class.is_empty() && !class.contains('[') && ends_well
}

/// The experiment in a file as JSON: every value as TOML text by its path, and files as they are found from here.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn definition(file: &str) -> Result<String, ScenarioError> {
    let path = FilePath::new(file);
    let text = read_text(path, LARGEST, "experiment").map_err(|refused| match refused {
        Refused::For(diagnosis) => diagnosis,
        Refused::Missing | Refused::Outside => Diagnosis::new(format!("there is no file \"{file}\""))
            .expected("an experiment in TOML")
            .hint(Some("`hopscope sweep SCENARIO --over PATH=...` needs no file")),
    })?;
    let root = parse(&Arc::new(text)).map_err(ScenarioError::new)?;
    let experiment: ExperimentFile = read(&root, &[]).map_err(ScenarioError::new)?;
    let mut reader =
        Reader { root: &root, folder: path.parent().unwrap_or(FilePath::new("")), found: Vec::new() };
    let definition = reader.definition(&experiment, path);
    if reader.found.is_empty() { Ok(definition.to_string()) } else { Err(ScenarioError::new(reader.found)) }
}

/// An experiment while it is checked, with everything that was found wrong.
struct Reader<'a> {
    root: &'a Node,
    folder: &'a FilePath,
    found: Vec<Diagnosis>,
}

impl Reader<'_> {
    fn definition(&mut self, experiment: &ExperimentFile, path: &FilePath) -> Json {
        let set = self.entries("set");
        let over: Vec<_> = self
            .entries("over")
            .iter()
            .filter_map(|entry| {
                let found = refuse_seed(&entry.key, &entry.node.place).and_then(|()| swept_path(entry));
                found.map_err(|found| self.refuse(&format!("over.{}", entry.key), found)).ok()
            })
            .collect();
        let settings: Vec<Vec<Entry>> = self.settings(experiment.setting.0.len());
        for entry in settings.iter().flatten() {
            if let Err(found) = refuse_seed(&entry.key, &entry.node.place) {
                self.add(found);
            }
        }
        let given = [!over.is_empty(), !settings.is_empty(), experiment.table.is_some()];
        if given.iter().filter(|given| **given).count() > 1 {
            let found = Diagnosis::new("settings are given in two ways").at(self.root.place.clone());
            self.found.push(found.expected("one of `over`, `setting` and `table`"));
        }
        if let Some(precision) = &experiment.precision {
            self.check_precision(precision);
        }
        if experiment.scenarios.is_empty() {
            self.refuse("scenarios", Diagnosis::new("there are no scenarios").expected("at least one"));
        }
        let scenarios: Vec<String> = experiment.scenarios.iter().map(|name| self.beside(name)).collect();
        for (nth, scenario) in scenarios.iter().enumerate() {
            let varied = over.iter().flat_map(|swept| {
                swept.values.iter().map(|node| vec![Entry { node: node.clone(), ..swept.entry.clone() }])
            });
            self.check(
                &Path::of("scenarios").entry(nth),
                scenario,
                &set,
                varied.chain(settings.iter().cloned()),
            );
        }
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let texts = |entries: &[Entry]| -> Vec<(String, String)> {
            entries.iter().map(|entry| (entry.key.clone(), entry.node.toml())).collect()
        };
        let grid: Vec<_> = over
            .iter()
            .map(|swept| (&swept.entry.key, swept.values.iter().map(Node::toml).collect::<Vec<_>>()))
            .collect();
        json!({
            "name": experiment.name.clone().unwrap_or(stem),
            "scenarios": scenarios,
            "set": texts(&set),
            "over": grid,
            "settings": settings.iter().map(|entries| texts(entries)).collect::<Vec<_>>(),
            "table": experiment.table.as_ref().map(|table| self.folder.join(table)),
            "seeds": experiment.seeds.map_or(1, u32::from),
            "precision": experiment.precision,
        })
    }

    /// What each path of a table is set to.
    fn entries(&self, field: &str) -> Vec<Entry> {
        entries_at(self.root, &Path::of(field))
    }

    fn settings(&self, count: usize) -> Vec<Vec<Entry>> {
        let at = Path::of("setting");
        match self.root.at(&at).map(|node| &node.value) {
            Some(Value::List(_)) => (0..count).map(|nth| entries_at(self.root, &at.entry(nth))).collect(),
            Some(Value::Table(_)) => vec![entries_at(self.root, &at)],
            _ => Vec::new(),
        }
    }

    /// A file beside the experiment, or else the name as it stands.
    fn beside(&self, name: &str) -> String {
        let file = self.folder.join(name);
        if file.is_file() { file.to_string_lossy().into_owned() } else { name.to_owned() }
    }

    /// What a scenario does not know of what is set in it. Each way to set it is tried with what is always set.
    fn check(&mut self, at: &Path, scenario: &str, set: &[Entry], varied: impl Iterator<Item = Vec<Entry>>) {
        let draft = match Draft::find(scenario, &FileAccess::default()) {
            Ok(draft) => draft,
            Err(error) => {
                error.diagnoses.into_iter().for_each(|found| self.refuse(&at.to_string(), found));
                return;
            }
        };
        let mut ways = vec![set.to_vec()];
        ways.extend(varied);
        for way in ways {
            let mut overrides = Vec::new();
            for entry in set.iter().chain(&way) {
                match Override::of(entry) {
                    Ok(change) => overrides.push(change),
                    Err(found) => self.add(found),
                }
            }
            draft.mistakes(&overrides).into_iter().for_each(|found| self.add(found));
        }
    }

    fn check_precision(&mut self, precision: &Precision) {
        if !(precision.half_width > 0.0 && precision.half_width < 0.5) {
            let found = Diagnosis::new(format!("{} is out of range", precision.half_width));
            let expected = "a share above 0 and below 0.5, such as 0.02";
            self.refuse("precision.half_width", found.expected(expected));
        }
        if !names_metric(&precision.metric) {
            let found = Diagnosis::new(format!("`{}` does not name a metric", precision.metric));
            let expected = "NAME[CLASS].STATISTIC, such as latency[short].p99";
            self.refuse("precision.metric", found.expected(expected));
        }
    }

    /// A mistake at a field, unless it has a place of its own.
    fn refuse(&mut self, field: &str, found: Diagnosis) {
        let place = found.place.clone().or_else(|| Some(self.root.nearest_place(&Path::of(field))));
        self.add(Diagnosis { problem: format!("{field}: {}", found.problem), place, ..found });
    }

    /// A mistake that two scenarios have is reported once.
    fn add(&mut self, found: Diagnosis) {
        let same = |other: &Diagnosis| {
            let start = |one: &Diagnosis| one.place.as_ref().map(|place| place.span.start);
            other.problem == found.problem && start(other) == start(&found)
        };
        if !self.found.iter().any(same) {
            self.found.push(found);
        }
    }
}

fn entries_at(root: &Node, path: &Path) -> Vec<Entry> {
    match root.at(path).map(|node| &node.value) {
        Some(Value::Table(table)) => table.entries.clone(),
        _ => Vec::new(),
    }
}
