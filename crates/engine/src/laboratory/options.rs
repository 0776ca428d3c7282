//! The command line of a program of one's own, read.

use std::ffi::OsString;
use std::path::PathBuf;

use hopscope_scenario::did_you_mean;

use super::Failure;

/// The verbs.
pub(super) const VERBS: [&str; 3] = ["run", "sweep", "schema"];

/// The options that a value follows.
const WITH_VALUE: [&str; 5] = ["--set", "--seed", "--out", "--over", "--seeds"];

/// The options that stand alone.
const FLAGS: [&str; 3] = ["--allow-files", "--json", "--quiet"];

/// The most seeds of a point.
const MOST_SEEDS: u64 = 10_000;

/// What is asked for.
#[derive(Debug)]
pub(super) enum Asked {
    Help,
    Version,
    Schema,
    Run(Options),
    Sweep(Options),
}

/// The scenario and everything that was said about it.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub scenario: String,
    pub overrides: Vec<String>,
    pub out: Option<PathBuf>,
    pub over: Vec<String>,
    pub seeds: u64,
    pub allow_files: bool,
    pub as_json: bool,
    pub quiet: bool,
}

/// Reads the words after the program's name.
///
/// # Errors
/// A verb or an option that there is not, a value that is missing, too many or too few words.
pub(super) fn read(words: &[OsString]) -> Result<Asked, Failure> {
    let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap_or("\u{fffd}")).collect();
    if words.iter().any(|word| matches!(*word, "-h" | "--help")) || words.is_empty() {
        return Ok(Asked::Help);
    }
    match words[0] {
        "--version" => Ok(Asked::Version),
        "schema" if words.len() == 1 => Ok(Asked::Schema),
        "schema" => {
            Err(Failure::of_use(format!("`{}` is one word too many", words[1]), "`schema` takes none"))
        }
        "run" => {
            let options = options(&words[1..])?;
            if !options.over.is_empty() || options.seeds != 1 {
                return Err(Failure::of_use("a run has no --over and no --seeds", "`sweep` has them"));
            }
            Ok(Asked::Run(options))
        }
        "sweep" => {
            let options = options(&words[1..])?;
            if options.over.is_empty() {
                let hint = "add --over PATH=V1,V2,... or PATH=FROM..TO:STEP";
                return Err(Failure::of_use("there is nothing to sweep over", hint));
            }
            Ok(Asked::Sweep(options))
        }
        verb => Err(unknown("verb", verb, &VERBS)),
    }
}

fn options(words: &[&str]) -> Result<Options, Failure> {
    let mut found = Options { seeds: 1, ..Options::default() };
    let mut seed = None;
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) if word.starts_with("--") => (name, Some(value)),
            _ => (word, None),
        };
        if WITH_VALUE.contains(&name) {
            let missing = || Failure::of_use(format!("`{name}` needs a value"), "--help shows it");
            let value = joined.or_else(|| rest.next()).ok_or_else(missing)?;
            match name {
                "--set" => found.overrides.push(value.to_owned()),
                "--seed" => seed = Some(format!("seed={value}")),
                "--out" => found.out = Some(value.into()),
                "--over" => found.over.push(value.to_owned()),
                _ => found.seeds = seeds(value)?,
            }
        } else if FLAGS.contains(&word) {
            match word {
                "--allow-files" => found.allow_files = true,
                "--json" => found.as_json = true,
                _ => found.quiet = true,
            }
        } else if word.starts_with('-') {
            let known: Vec<&str> = WITH_VALUE.into_iter().chain(FLAGS).collect();
            return Err(unknown("option", name, &known));
        } else if found.scenario.is_empty() {
            word.clone_into(&mut found.scenario);
        } else {
            let problem = format!("`{word}` is one word too many");
            return Err(Failure::of_use(problem, "one scenario; values are set with --set PATH=VALUE"));
        }
    }
    if found.scenario.is_empty() {
        return Err(Failure::of_use("there is no scenario", "name a scenario file, or a ready scenario"));
    }
    found.overrides.extend(seed);
    Ok(found)
}

fn seeds(text: &str) -> Result<u64, Failure> {
    let refused =
        || Failure::of_use(format!("`{text}` is no number of seeds"), format!("from 1 to {MOST_SEEDS}"));
    text.parse().ok().filter(|seeds| (1..=MOST_SEEDS).contains(seeds)).ok_or_else(refused)
}

fn unknown(what: &str, word: &str, known: &[&str]) -> Failure {
    let listed = || format!("there are {}", known.join(", "));
    let hint = did_you_mean(word, known.iter().copied()).unwrap_or_else(listed);
    Failure::of_use(format!("there is no {what} `{word}`"), hint)
}
