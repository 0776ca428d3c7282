//! The verbs of a program of one's own.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use hopscope_measure::Outcome;
use hopscope_scenario::FileAccess;

use super::options::{Asked, Options, read};
use super::words;
use super::{Failure, Laboratory, Swept};
use crate::run::{RunResult, VERSION};
use crate::scenario::Scenario;

/// The exit code of runs of which one deadlocked.
const DEADLOCK: u8 = 1;

/// Does what the words ask; results go to `out`, messages to `err`.
pub(super) fn perform(
    laboratory: &Laboratory,
    words: &[OsString],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> ExitCode {
    match read(words).and_then(|asked| obey(laboratory, asked, out)) {
        Ok(results) if results.iter().any(|result| result.report().outcome == Outcome::Deadlock) => {
            ExitCode::from(DEADLOCK)
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            // Where not even this can be printed, the exit code tells.
            let _ = writeln!(err, "{}", words::printable(&failure.to_string()));
            ExitCode::from(failure.exit_code())
        }
    }
}

fn obey(laboratory: &Laboratory, asked: Asked, out: &mut dyn Write) -> Result<Vec<RunResult>, Failure> {
    let program = &laboratory.program;
    let (text, results) = match asked {
        Asked::Help => (help(&program.name), Vec::new()),
        Asked::Version => (format!("{} {} (hopscope {VERSION})", program.name, program.version), Vec::new()),
        Asked::Schema => (format!("{:#}", laboratory.schema()), Vec::new()),
        Asked::Run(options) => {
            let scenario = load(laboratory, &options)?;
            let (result, kept) = laboratory.run_into(&scenario, options.out.as_deref(), &|_, _| true)?;
            (
                told(
                    &options,
                    || words::of_run(&result, &kept),
                    || words::as_json(std::slice::from_ref(&result), &kept),
                ),
                vec![result],
            )
        }
        Asked::Sweep(options) => {
            let scenario = load(laboratory, &options)?;
            let swept: Vec<Swept> =
                options.over.iter().map(|over| Swept::read(over)).collect::<Result<_, _>>()?;
            let out = options.out.as_deref();
            let (results, kept) =
                laboratory.sweep_into(&scenario, &swept, options.seeds, out, &mut |_, _| true)?;
            (told(&options, || words::of_sweep(&results, &kept), || words::as_json(&results, &kept)), results)
        }
    };
    if !text.is_empty() {
        writeln!(out, "{text}")?;
    }
    Ok(results)
}

fn load(laboratory: &Laboratory, options: &Options) -> Result<Scenario, Failure> {
    let overrides: Vec<&str> = options.overrides.iter().map(String::as_str).collect();
    let access = FileAccess { any: options.allow_files, study: None };
    Ok(laboratory.load(&options.scenario, &overrides, &access)?)
}

fn told(options: &Options, text: impl Fn() -> String, json: impl Fn() -> String) -> String {
    match (options.as_json, options.quiet) {
        (true, _) => json(),
        (false, true) => String::new(),
        (false, false) => text(),
    }
}

fn help(program: &str) -> String {
    format!(
        "{program}: hopscope with rules of its own.

  {program} run SCENARIO [--set PATH=VALUE]... [--seed N] [--out DIR]
  {program} sweep SCENARIO --over PATH=V1,V2,...|FROM..TO:STEP... [--seeds N] [as run]
  {program} schema

SCENARIO is a scenario file, or the name of a ready scenario.

  --set PATH=VALUE   override a value of the scenario; repeatable
  --seed N           seed of the random streams
  --out DIR          folder to write; must not exist yet. Default: one in runs/
  --over PATH=...    values to sweep over; several make a grid
  --seeds N          runs per point, with consecutive seeds. Default: 1
  --allow-files      let the scenario name files outside its own folder
  --json             print JSON instead of text
  --quiet            print only errors
  --version          print the versions

`hopscope explain DIR`, `hopscope view DIR` and all else that reads results read its folders."
    )
}
