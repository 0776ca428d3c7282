//! The points of a sweep: every combination of the swept values, each with every seed; and the folder that keeps them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hopscope_measure::Outcome;
use hopscope_scenario::{Diagnosis, Node, Origin, Override, Place, ScenarioError, SourceText, read};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::Failure;
use crate::output_error::OutputError;
use crate::run::{RunResult, VERSION};
use crate::scenario::Scenario;
use crate::study::over::{refuse_seed, values_of_range};

/// The most runs of a sweep: they are all in memory until its folder is written.
const MOST_RUNS: u64 = 100_000;

/// A path that is swept over, with its values.
#[derive(Clone, Debug)]
pub struct Swept {
    path: String,
    values: Vec<Node>,
}

/// One run of a sweep.
pub(super) struct Point {
    /// Its combination among all, counted from 1.
    number: usize,
    set: Pairs,
    pub scenario: Scenario,
}

impl Swept {
    /// Reads `PATH=V1,V2,...`; a value may be a range `FROM..TO:STEP`.
    ///
    /// # Errors
    /// No path or no value; a value that cannot be read, or comes twice; a range with too many.
    pub fn read(text: &str) -> Result<Self, ScenarioError> {
        let source =
            SourceText { label: "--over".to_owned(), text: text.to_owned(), origin: Origin::Override };
        let place = Place { source: Arc::new(source), span: 0..text.len() };
        let expected = "PATH=V1,V2,... or PATH=FROM..TO:STEP, as in traffic.load=0.1..0.7:0.1";
        let (path, list) = match text.split_once('=') {
            Some((path, list)) if !path.trim().is_empty() && !list.trim().is_empty() => (path.trim(), list),
            _ => {
                let diagnosis = Diagnosis::new("this does not say what to sweep over").at(place);
                return Err(diagnosis.expected(expected).into());
            }
        };
        refuse_seed(path, &place)?;
        let mut values = Vec::new();
        for item in items(list) {
            match values_of_range(item, &place) {
                Some(range) => values.extend(range?),
                None => {
                    let change = Override::read(&format!("{path}={item}"))?;
                    let nothing = || Diagnosis::new("an empty value to sweep over").at(place.clone());
                    values.push(change.value().ok_or_else(|| nothing().expected(expected))?.clone());
                }
            }
        }
        let mut texts: Vec<String> = values.iter().map(Node::toml).collect();
        texts.sort_unstable();
        if let Some(twice) = texts.windows(2).find(|pair| pair[0] == pair[1]) {
            let problem = format!("{path} has the value {} twice in its sweep", twice[0]);
            return Err(Diagnosis::new(problem).at(place).expected("each value once").into());
        }
        Ok(Self { path: path.to_owned(), values })
    }

    fn json(&self) -> Vec<Json> {
        self.values.iter().map(plain).collect()
    }
}

/// The pieces between commas that stand outside of brackets, braces and quotes.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut is_quoted) = (0_i32, false);
    let pieces = list.split(|char: char| {
        match char {
            '"' => is_quoted = !is_quoted,
            '[' | '{' if !is_quoted => depth += 1,
            ']' | '}' if !is_quoted => depth -= 1,
            _ => {}
        }
        char == ',' && depth == 0 && !is_quoted
    });
    pieces.map(str::trim).collect()
}

/// A value as data.
fn plain(value: &Node) -> Json {
    read(value, &[]).expect("what was read as a value is data")
}

/// Every combination of the swept values, the last path fastest.
fn combinations(swept: &[Swept]) -> Result<Vec<Vec<(&str, &Node)>>, Failure> {
    let mut found: Vec<Vec<(&str, &Node)>> = vec![Vec::new()];
    for (nth, each) in swept.iter().enumerate() {
        if swept[..nth].iter().any(|before| before.path == each.path) {
            let problem = format!("`{}` is swept over twice", each.path);
            return Err(Failure::of_use(problem, "name all its values in one --over"));
        }
        let mut longer = Vec::new();
        for before in &found {
            for value in &each.values {
                longer.push([before.as_slice(), &[(each.path.as_str(), value)]].concat());
            }
        }
        found = longer;
    }
    Ok(found)
}

/// Every combination of the swept values, each with `seeds` consecutive seeds from the scenario's own. What they share,
/// such as a network, is built once.
pub(super) fn points(scenario: &Scenario, swept: &[Swept], seeds: u64) -> Result<Vec<Point>, Failure> {
    let runs = swept.iter().try_fold(seeds, |runs, each| runs.checked_mul(each.values.len() as u64));
    if runs.is_none_or(|runs| runs > MOST_RUNS) {
        let hint = "sweep over fewer values or seeds, or in several sweeps";
        return Err(Failure::of_use(format!("the sweep has more than {MOST_RUNS} runs"), hint));
    }
    let mut found = Vec::new();
    for (nth, combination) in combinations(swept)?.iter().enumerate() {
        let set = Pairs(combination.iter().map(|(path, value)| ((*path).to_owned(), plain(value))).collect());
        let texts: Vec<String> =
            combination.iter().map(|(path, value)| format!("{path}={}", value.toml())).collect();
        for further in 0..seeds {
            let Some(seed) = scenario.seed().checked_add(further) else {
                return Err(Failure::of_use("there are not so many seeds", "begin with a smaller --seed"));
            };
            let seed = format!("seed={seed}");
            let overrides: Vec<&str> = texts.iter().map(String::as_str).chain([seed.as_str()]).collect();
            let scenario = scenario.with_overrides(&overrides)?;
            found.push(Point { number: nth + 1, set: set.clone(), scenario });
        }
    }
    Ok(found)
}

/// Writes a sweep into a folder that exists and is empty: a run folder each, and `sweep.json`.
pub(super) fn write(
    name: &str,
    swept: &[Swept],
    points: &[Point],
    results: &[RunResult],
    folder: &Path,
) -> Result<(), Failure> {
    let mut listed = Vec::new();
    for (point, result) in points.iter().zip(results) {
        let place = format!("points/{:03}-seed-{}", point.number, result.seed());
        let path = folder.join(&place);
        fs::create_dir_all(&path).map_err(|reason| OutputError { path: path.clone(), reason })?;
        result.write(&path)?;
        listed.push(Listed {
            folder: place,
            set: &point.set,
            seed: result.seed(),
            outcome: result.report().outcome,
            scenario_hash: point.scenario.hash(),
            result_hash: result.result_hash(),
        });
    }
    let content = Content {
        hopscope: VERSION,
        name,
        title: points.first().map_or(name, |point| point.scenario.title()),
        over: Pairs(swept.iter().map(|each| (each.path.clone(), each.json().into())).collect()),
        points: listed,
    };
    let path = folder.join("sweep.json");
    let text = serde_json::to_string_pretty(&content).expect("a sweep is plain data") + "\n";
    fs::write(&path, text).map_err(|reason| OutputError { path, reason }.into())
}

/// Values by path, in the order in which they were swept over.
#[derive(Clone)]
struct Pairs(Vec<(String, Json)>);

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(path, value)| (path, value)))
    }
}

/// `sweep.json`.
#[derive(Serialize)]
struct Content<'a> {
    hopscope: &'a str,
    name: &'a str,
    title: &'a str,
    over: Pairs,
    points: Vec<Listed<'a>>,
}

/// A run as `sweep.json` lists it.
#[derive(Serialize)]
struct Listed<'a> {
    folder: String,
    set: &'a Pairs,
    seed: u64,
    outcome: Outcome,
    scenario_hash: &'a str,
    result_hash: &'a str,
}
