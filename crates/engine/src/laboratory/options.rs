//! The command line of a program of one's own, as the crate `clap` reads it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::rules::Program;
use crate::run::VERSION;

/// The most seeds of a point.
const MOST_SEEDS: u64 = 10_000;

/// What is asked for.
#[derive(Debug, Parser)]
#[command(
    about = "Hopscope with rules of its own",
    after_help = "`hopscope explain DIR`, `hopscope view DIR` and all else that reads results read its folders.",
    arg_required_else_help = true
)]
struct Words {
    #[command(subcommand)]
    asked: Asked,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(super) enum Asked {
    /// Run a scenario into a folder
    Run(Options),
    /// Run a scenario over a range of values, on all cores
    Sweep(SweepOptions),
    /// Print the JSON Schema of scenarios, with this program's own rules
    Schema,
}

/// The scenario and everything that is said about it.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// A scenario file, or the name of a ready scenario
    pub scenario: String,
    /// Override a value of the scenario; repeatable
    #[arg(long = "set", value_name = "PATH=VALUE", allow_hyphen_values = true)]
    pub overrides: Vec<String>,
    /// Seed of the random streams
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    /// Folder to write; must not exist yet. Default: one in runs/
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Let the scenario name files outside its own folder
    #[arg(long)]
    pub allow_files: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long)]
    pub quiet: bool,
}

/// What a sweep is told besides.
#[derive(Debug, Args)]
pub(super) struct SweepOptions {
    #[command(flatten)]
    pub each: Options,
    /// Values to sweep over, or FROM..TO:STEP; several make a grid
    #[arg(long, value_name = "PATH=V1,V2,...", required = true)]
    pub over: Vec<String>,
    /// Runs per point, with consecutive seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_SEEDS))]
    pub seeds: u64,
}

impl Options {
    /// The overrides, the seed's the last of them.
    pub fn overrides(&self) -> Vec<String> {
        let seed = self.seed.iter().map(|seed| format!("seed={seed}"));
        self.overrides.iter().cloned().chain(seed).collect()
    }
}

/// Reads the words after the program's name.
///
/// # Errors
/// A command line that makes no sense, with a hint; a call for help or the version, which is no mistake.
pub(super) fn read(program: &Program, words: &[OsString]) -> Result<Asked, clap::Error> {
    let all = std::iter::once(OsString::from(&program.name)).chain(words.iter().cloned());
    let found = command(program).try_get_matches_from(all)?;
    Ok(Words::from_arg_matches(&found)?.asked)
}

fn command(program: &Program) -> Command {
    Words::command()
        .name(program.name.clone())
        .bin_name(program.name.clone())
        .version(format!("{} (hopscope {VERSION})", program.version))
        .disable_help_subcommand(true)
}
