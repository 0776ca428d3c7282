//! The verbs of a program of one's own.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hopscope_measure::Outcome;
use hopscope_scenario::FileAccess;

use super::options::{Asked, Options, SweepOptions, read};
use super::words;
use super::{Failure, Laboratory, Swept};
use crate::run::RunResult;
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
    let ended = match read(&laboratory.program, words) {
        Ok(asked) => obey(laboratory, &asked, out),
        // Help and the version are no mistakes.
        Err(told) if !told.use_stderr() => write!(out, "{told}").map(|()| Vec::new()).map_err(Failure::from),
        Err(misused) => Err(misused.into()),
    };
    match ended {
        Ok(results) if results.iter().any(|result| result.report().outcome == Outcome::Deadlock) => {
            ExitCode::from(DEADLOCK)
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            // If even this cannot be printed, only the exit code remains.
            let _ = writeln!(err, "{}", words::printable(failure.to_string().trim_end()));
            ExitCode::from(failure.exit_code())
        }
    }
}

fn obey(laboratory: &Laboratory, asked: &Asked, out: &mut dyn Write) -> Result<Vec<RunResult>, Failure> {
    match asked {
        Asked::Schema => {
            writeln!(out, "{:#}", laboratory.schema())?;
            Ok(Vec::new())
        }
        Asked::Run(options) => {
            let scenario = load(laboratory, options)?;
            let kept = laboratory.run_into(&scenario, options.out.as_deref(), &|_, _| true);
            let kept = kept.map(|(result, folder)| (vec![result], folder));
            tell(options, kept, |results, folder| words::of_run(&results[0], folder), out)
        }
        Asked::Sweep(SweepOptions { each, over, seeds }) => {
            let scenario = load(laboratory, each)?;
            let swept: Vec<Swept> = over.iter().map(|over| Swept::read(over)).collect::<Result<_, _>>()?;
            let kept =
                laboratory.sweep_into(&scenario, &swept, *seeds, each.out.as_deref(), &mut |_, _| true);
            tell(each, kept, words::of_sweep, out)
        }
    }
}

fn load(laboratory: &Laboratory, options: &Options) -> Result<Scenario, Failure> {
    let overrides = options.overrides();
    let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
    let access = FileAccess { any: options.allow_files, study: None };
    Ok(laboratory.load(&options.scenario, &overrides, &access)?)
}

/// Prints what was found, also where it could not be kept: what was simulated is not lost with its folder.
fn tell(
    options: &Options,
    kept: Result<(Vec<RunResult>, PathBuf), Failure>,
    text: impl Fn(&[RunResult], Option<&Path>) -> String,
    out: &mut dyn Write,
) -> Result<Vec<RunResult>, Failure> {
    let (results, folder) = match &kept {
        Ok((results, folder)) => (results, Some(folder.as_path())),
        Err(Failure::NotKept { results, .. }) => (results, None),
        Err(_) => return kept.map(|(results, _)| results),
    };
    if options.json {
        writeln!(out, "{}", words::as_json(results, folder))?;
    } else if !options.quiet || folder.is_none() {
        writeln!(out, "{}", text(results, folder))?;
    }
    kept.map(|(results, _)| results)
}
