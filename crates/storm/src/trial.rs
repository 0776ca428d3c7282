//! What must hold of every scenario: it is refused with a place and advice, or it runs, and then the same each time.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hopscope_engine::{
    InternalError, RunResult, Scenario, ScenarioError, Stopped, guarded, planned, run_within,
};
use serde_json::Value as Json;

use crate::failure::Failure;
use crate::rename::renamed;

/// The names of a drawn scenario's file.
pub(crate) const TOML: &str = "drawn.toml";
pub(crate) const JSON: &str = "drawn.json";

/// Where and how long scenarios are tried.
pub(crate) struct Bench<'a> {
    /// A folder of its own with the files of the ready scenarios.
    pub folder: &'a Path,
    /// Runs end after this number of events, as interrupted.
    pub events: u64,
    /// A trial that takes longer is given up.
    pub patience: Duration,
    /// Whether everything is to stop.
    pub stop: &'a AtomicBool,
    /// The case.
    pub case: u64,
    /// Where the start of each trial is recorded, with the case: a case may have many trials, each with its own time
    /// limit.
    pub begun: &'a Mutex<Option<(u64, Instant)>>,
}

/// What a trial found.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It was refused, with a place and advice.
    Refused(ScenarioError),
    /// It ran, and all that must hold held.
    Ran {
        /// Events of all runs.
        events: u64,
        /// Whether the limit of events ended it.
        cut: bool,
    },
    /// It took too long, or everything was to stop.
    GivenUp {
        /// Events of all runs so far.
        events: u64,
    },
    /// Something failed.
    Failed(Failure),
}

/// Why a trial ends before its end.
enum End {
    GivenUp,
    Refused(ScenarioError),
    Failed(Failure),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// One trial: its events, and when it began.
struct Trial<'a> {
    bench: &'a Bench<'a>,
    began: Instant,
    events: u64,
}

impl Bench<'_> {
    /// Whether a scenario is refused, and why. Nothing where it is ready to run.
    pub fn refusal(&self, scenario: &Json) -> Option<Outcome> {
        let trial = self.trial();
        trial.drawn(scenario).err().map(|end| trial.outcome(end))
    }

    fn trial(&self) -> Trial<'_> {
        Trial { bench: self, began: self.begin(), events: 0 }
    }

    /// From now on patience counts.
    pub fn begin(&self) -> Instant {
        let began = Instant::now();
        *self.begun.lock().expect("nothing panics while it is held") = Some((self.case, began));
        began
    }

    /// Everything that must hold of a scenario.
    pub fn outcome(&self, scenario: &Json) -> Outcome {
        let mut trial = self.trial();
        match trial.whole(scenario) {
            Ok(cut) => Outcome::Ran { events: trial.events, cut },
            Err(end) => trial.outcome(end),
        }
    }
}

impl Trial<'_> {
    fn outcome(&self, end: End) -> Outcome {
        match end {
            End::GivenUp => Outcome::GivenUp { events: self.events },
            End::Refused(error) => Outcome::Refused(error),
            End::Failed(failure) => Outcome::Failed(failure),
        }
    }

    fn whole(&mut self, scenario: &Json) -> Result<bool, End> {
        let loaded = self.drawn(scenario)?;
        self.figures(&loaded)?;
        let first = self.run(&loaded)?;
        explained(&first)?;
        let again = self.drawn(scenario)?;
        let second = self.run(&again)?;
        same(&first, &second, "two runs of one scenario differ")?;
        self.reread(&loaded, &first)?;
        self.renamed(scenario, &first)?;
        Ok(first.events() >= self.bench.events)
    }

    /// The scenario as its text reads: TOML, or JSON where TOML has no such number.
    fn drawn(&self, scenario: &Json) -> Result<Scenario, End> {
        let (name, text) = written(scenario);
        let path = self.bench.folder.join(name);
        fs::write(&path, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
        match self.patiently("reading a scenario", || Scenario::load(&path.to_string_lossy(), &[]))? {
            Ok(loaded) => Ok(loaded),
            Err(refused) => Err(self.sensible(refused)?),
        }
    }

    /// A refusal with a place and with advice.
    fn sensible(&self, refused: ScenarioError) -> Result<End, End> {
        for diagnosis in &refused.diagnoses {
            let problem = diagnosis.problem.clone();
            if diagnosis.place.is_none() {
                return Err(Failure::Unplaced(problem).into());
            }
            if diagnosis.expected.is_none() && diagnosis.hint.is_none() {
                return Err(Failure::Unhelpful(problem).into());
            }
        }
        self.patiently("printing a refusal", || refused.to_string())?;
        Ok(End::Refused(refused))
    }

    /// The results without simulation.
    fn figures(&self, scenario: &Scenario) -> Result<(), End> {
        self.patiently("computing the topology", || scenario.topology_json())?;
        // That a scenario has no capacity is an answer as well.
        let _ = self.patiently("computing capacity bounds", || scenario.capacity_json(None))?;
        Ok(())
    }

    fn run(&mut self, scenario: &Scenario) -> Result<RunResult, End> {
        let result =
            self.patiently("running", || run_within(scenario, self.bench.events, &|_, _| self.goes_on()))?;
        let result = result.map_err(|error| broke("running", error))?;
        self.events += result.events();
        if self.goes_on() { Ok(result) } else { Err(End::GivenUp) }
    }

    /// Saved, reread, run again and saved again: everything is the same, byte for byte.
    fn reread(&mut self, scenario: &Scenario, first: &RunResult) -> Result<(), End> {
        let [once, twice] = ["once", "twice"].map(|name| self.bench.folder.join(name));
        let result = self.reread_in(&once, &twice, scenario, first);
        for folder in [once, twice] {
            empty(&folder);
        }
        result
    }

    fn reread_in(
        &mut self,
        once: &Path,
        twice: &Path,
        scenario: &Scenario,
        first: &RunResult,
    ) -> Result<(), End> {
        const WHAT: &str = "the scenario of a run folder";
        self.save(first, once)?;
        let path = once.join("scenario.toml");
        let reread = self.patiently("rereading", || Scenario::load(&path.to_string_lossy(), &[]))?;
        let reread = reread.map_err(|error| unreadable(WHAT, &error))?;
        if reread.hash() != scenario.hash() {
            return Err(differs("a run folder's scenario has another hash than the one that ran"));
        }
        let json = self.bench.folder.join("canonical.json");
        fs::write(&json, scenario.canonical_json()).unwrap_or_else(|error| panic!("cannot write: {error}"));
        let canonical = self.patiently("rereading", || Scenario::load(&json.to_string_lossy(), &[]))?;
        let canonical = canonical.map_err(|error| unreadable("the canonical form of a scenario", &error))?;
        if canonical.hash() != scenario.hash() {
            return Err(differs("a scenario's canonical form has another hash"));
        }
        let rerun = self.run(&reread)?;
        same(first, &rerun, "a run folder's scenario has other results than the run")?;
        self.save(&rerun, twice)?;
        match (contents(once), contents(twice)) {
            (a, b) if a == b => Ok(()),
            (a, b) => {
                let names: Vec<_> =
                    a.keys().chain(b.keys()).filter(|name| a.get(*name) != b.get(*name)).collect();
                Err(differs(&format!("run folders of one scenario differ in {}", names[0])))
            }
        }
    }

    fn save(&self, result: &RunResult, folder: &Path) -> Result<(), End> {
        empty(folder);
        fs::create_dir(folder).unwrap_or_else(|error| panic!("cannot create {}: {error}", folder.display()));
        let saved = self.patiently("saving", || result.write(folder))?;
        saved.map_err(|error| panic!("{error}"))
    }

    /// Under other names, everything but names is the same.
    fn renamed(&mut self, scenario: &Json, first: &RunResult) -> Result<(), End> {
        let Some(renamed) = renamed(scenario) else { return Ok(()) };
        let renamed = match self.drawn(&renamed) {
            Err(End::Refused(error)) => return Err(unreadable("a scenario under other names", &error)),
            other => other?,
        };
        let result = self.run(&renamed)?;
        if result.result_hash() == first.result_hash() {
            Ok(())
        } else {
            Err(differs("a scenario under other names has other results"))
        }
    }

    fn goes_on(&self) -> bool {
        self.began.elapsed() < self.bench.patience && !self.bench.stop.load(Ordering::Relaxed)
    }

    fn patiently<T: Send>(&self, during: &'static str, work: impl FnOnce() -> T + Send) -> Result<T, End> {
        let done = planned(&mut |_| self.goes_on(), work).map_err(|error| broke(during, error))?;
        done.map_err(|Stopped| End::GivenUp)
    }
}

fn broke(during: &'static str, error: InternalError) -> End {
    Failure::Broke { during, message: error.message }.into()
}

fn differs(what: &str) -> End {
    Failure::Differs { what: what.to_owned() }.into()
}

fn unreadable(what: &'static str, error: &ScenarioError) -> End {
    Failure::Unreadable { what, reason: error.to_string() }.into()
}

/// An explanation that can be made, and read by others.
fn explained(result: &RunResult) -> Result<(), End> {
    for (what, json) in [
        ("why.json", RunResult::why_json as fn(&RunResult) -> String),
        ("summary.json", RunResult::summary_json),
    ] {
        let text = guarded(|| json(result)).map_err(|error| broke("explaining", error))?;
        let read: Result<Json, _> = serde_json::from_str(&text);
        read.map_err(|error| Failure::Unreadable { what, reason: error.to_string() })?;
    }
    Ok(())
}

/// The same results at the same cost: one engine handles the same events for the same scenario.
fn same(a: &RunResult, b: &RunResult, what: &str) -> Result<(), End> {
    if a.result_hash() == b.result_hash() && a.events() == b.events() { Ok(()) } else { Err(differs(what)) }
}

/// A scenario as text, and the name of the file for it.
pub(crate) fn written(scenario: &Json) -> (&'static str, String) {
    match toml::to_string(scenario) {
        Ok(text) => (TOML, text),
        Err(_) => (JSON, scenario.to_string()),
    }
}

fn empty(folder: &Path) {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            panic!("cannot empty {}: {error}", folder.display())
        }
        _ => {}
    }
}

/// The files of a folder by name.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display())))
    };
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot list {}: {error}", folder.display()));
    entries.map(|entry| read(entry.unwrap_or_else(|error| panic!("{error}")).path())).collect()
}
