//! The one crate that knows every model: a scenario becomes a model, a run and a run folder.
//!
//! ```text
//! TOML or JSON -> tree with places -> overrides -> parameters -> plan -> simulation -> report -> run folder
//! ```

mod capture;
pub mod counters;
mod drive;
pub mod embedded;
mod engine_kind;
pub mod experiment;
pub mod forwarding_tables;
#[cfg(not(target_family = "wasm"))]
pub mod laboratory;
mod memory;
mod models;
mod output_error;
mod paused;
mod planned;
pub mod pup_host;
mod registry;
mod result_hash;
mod routing_replay;
#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "only a program adds rules"))]
mod rules;
mod run;
#[cfg(not(target_family = "wasm"))]
mod run_folder;
mod scenario;
#[cfg(not(target_family = "wasm"))]
mod schema;
pub mod study;
mod summary;
mod sweep;

pub use drive::Watch;
pub use hopscope_kernel::Stopped;
pub use hopscope_measure::student_t;
pub use hopscope_scenario::{Diagnosis, FileAccess, Place, ScenarioError, SourceText, plain_number};
#[cfg(not(target_family = "wasm"))]
pub use laboratory::{Laboratory, laboratory};
pub use models::advice::Advice;
pub use output_error::OutputError;
pub use paused::{Counts, PausedRun, go_on};
pub use planned::planned;
pub use routing_replay::replay_routing;
pub use run::{
    Captured, InternalError, RunResult, VERSION, causes, guarded, kinds_json, policies, run, run_captured,
    run_within, thresholds, trace_events, units,
};
#[cfg(not(target_family = "wasm"))]
pub use run_folder::{
    archive::{ArchiveError, file_of, is_whole, unpack},
    resources::resources_of,
};
pub use scenario::{Draft, Scenario};
#[cfg(not(target_family = "wasm"))]
pub use schema::schema;
pub use sweep::{sweep, sweep_into};

/// A scenario that comes with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadyScenario {
    /// The name to run it by.
    pub name: String,
    /// Its model.
    pub model: String,
    /// What it shows, in one line.
    pub title: String,
}

/// The scenarios that come with the program, in the order of their names.
///
/// # Errors
/// Where one of them is wrong: a mistake of the program.
pub fn ready_scenarios() -> Result<Vec<ReadyScenario>, ScenarioError> {
    let read = |name: String| {
        let header = scenario::ready_header(&name)?;
        Ok(ReadyScenario { name, model: header.model, title: header.title })
    };
    embedded::scenario_names().into_iter().map(read).collect()
}
