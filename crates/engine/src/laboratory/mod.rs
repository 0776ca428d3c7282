//! A program of one's own around the engine: hopscope's models, and rules that the program adds to them.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     hopscope_engine::laboratory(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).main()
//! }
//! ```
//!
//! The program runs and sweeps scenarios into folders that hopscope reads, explains and shows as its own. Its rules are
//! added by `with_rate_control` and the like before `main`; `examples/own-rate-control` is a whole one.

mod command;
mod failure;
mod folder;
mod grid;
mod options;
mod words;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hopscope_lossless::rate_control::OwnRateControl;
use hopscope_scenario::{FileAccess, ScenarioError};
use serde_json::Value as Json;

pub use self::failure::Failure;
pub use self::grid::Swept;
use crate::drive::Watch;
use crate::rules::{Program, Rules};
use crate::run::{RunResult, run};
use crate::scenario::Scenario;
use crate::schema::schema_with;

/// Hopscope's engine with rules of one's own.
#[derive(Clone)]
pub struct Laboratory {
    rules: Rules,
    program: Program,
}

/// The engine for a program of this name and version, recorded in its run folders.
#[must_use]
pub fn laboratory(name: &str, version: &str) -> Laboratory {
    let program = Program { name: name.to_owned(), version: version.to_owned() };
    Laboratory { rules: Rules::of(program.clone()), program }
}

impl Laboratory {
    /// The same with a rate control, which scenarios name by `[frames.rate_control.own.NAME]`.
    ///
    /// # Panics
    /// Where the name is taken, or is not of small letters, digits and dashes.
    #[must_use]
    pub fn with_rate_control<C: OwnRateControl>(mut self, name: &str) -> Self {
        self.rules.add_rate_control::<C>(name);
        self
    }

    /// Reads a ready scenario by its name, or a file by its path, with overrides such as `traffic.load=0.5`.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn load(
        &self,
        wanted: &str,
        overrides: &[&str],
        access: &FileAccess,
    ) -> Result<Scenario, ScenarioError> {
        Scenario::load_by(&self.rules, wanted, overrides, access)
    }

    /// The JSON Schema of the scenarios that this program runs, its own rules among them.
    #[must_use]
    pub fn schema(&self) -> Json {
        schema_with(&self.rules)
    }

    /// Runs a scenario into a folder, which appears whole or not at all. Without a folder it is `runs/NAME-SEED`, with
    /// a number where that is taken. `watch` is called with the progress of the run, and stops it by returning `false`.
    ///
    /// # Errors
    /// A folder that is there already; one that cannot be written, with the result; a mistake of the program.
    pub fn run_into(
        &self,
        scenario: &Scenario,
        out: Option<&Path>,
        watch: &Watch<'_>,
    ) -> Result<(RunResult, PathBuf), Failure> {
        let target = folder::Target::new(out, || format!("{}-{}", scenario.name(), scenario.seed()))?;
        let result = run(scenario, watch)?;
        match target.write(|folder| Ok(result.write(folder)?)) {
            Ok(kept) => Ok((result, kept)),
            Err(why) => Err(Failure::NotKept { results: vec![result], why: Box::new(why) }),
        }
    }

    /// Runs a scenario once for each combination of swept values, the last path fastest, and each seed, on all cores,
    /// into a folder with a run folder each and `sweep.json`.
    ///
    /// # Errors
    /// Values that make no scenario; else as [`run_into`](Self::run_into).
    pub fn sweep_into(
        &self,
        scenario: &Scenario,
        swept: &[Swept],
        seeds: u64,
        out: Option<&Path>,
        progress: &mut dyn FnMut(f64, &str) -> bool,
    ) -> Result<(Vec<RunResult>, PathBuf), Failure> {
        let name = || format!("{}-sweep-{}", scenario.name(), scenario.seed());
        let target = folder::Target::new(out, name)?;
        let points = grid::points(scenario, swept, seeds)?;
        let scenarios: Vec<Scenario> = points.iter().map(|point| point.scenario.clone()).collect();
        let results = crate::sweep::sweep(&scenarios, None, progress)?;
        match target.write(|folder| grid::write(scenario.name(), swept, &points, &results, folder)) {
            Ok(kept) => Ok((results, kept)),
            Err(why) => Err(Failure::NotKept { results, why: Box::new(why) }),
        }
    }

    /// Does what the command line asks: `run`, `sweep` or `schema`.
    ///
    /// Exit codes are those of hopscope: 0 done; 1 done, but a network deadlocked; 2 bad use or a bad scenario; 3 a
    /// mistake of the program.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        command::perform(&self, &words, &mut std::io::stdout().lock(), &mut std::io::stderr().lock())
    }
}
