//! Where a scenario's text comes from: a file, or the ready scenarios that the program carries.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use hopscope_formats::FormatError;
use hopscope_scenario::{
    Attachment, Base, Carried, Diagnosis, FileAccess, Node, Origin, Refused, SourceText, closest, inside,
    read_text,
};

use super::bare_fabric;
use crate::embedded::{self, Kind};

pub(crate) use hopscope_scenario::Files;

/// The largest scenario that is read. A traffic matrix of a thousand hosts fits.
const LARGEST_SCENARIO: u64 = 16 << 20;

/// The largest fabric that is given instead of a scenario: the graph of some hundred thousand hosts.
const LARGEST_FABRIC: u64 = 256 << 20;

/// The largest file that the command line names beside a scenario: the tables of a thousand switches for ten thousand
/// hosts have 700 MiB.
const LARGEST_BESIDE: u64 = 4 << 30;

/// The files that a run folder has of itself.
const RUN_FOLDER: [&str; 13] = [
    "run.json",
    "scenario.toml",
    "summary.json",
    "why.json",
    "series.parquet",
    "journeys.parquet",
    "trace.parquet",
    "instants.parquet",
    "snapshots.parquet",
    "pairs.parquet",
    "flows.parquet",
    "rounds.parquet",
    "report.html",
];

/// The files that come with the ready scenarios.
pub(super) const CARRIED: Carried =
    Carried { folder: "scenarios", read: |path| embedded::read(Kind::Scenarios, path) };

/// A scenario's text and what it is called.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The ready scenario's name, or the file's without its ending.
    pub name: String,
    pub text: Arc<SourceText>,
    pub base: Base,
    pub access: FileAccess,
    /// Whether a fabric's file was given instead of a scenario.
    pub is_bare_fabric: bool,
}

impl Source {
    /// Finds a scenario by its file's path or its ready name. A folder of a ready scenario's name is not meant. Where a
    /// study names it, the path starts at the study's folder and leads nowhere else without the user's leave.
    pub fn find(wanted: &str, access: &FileAccess) -> Result<Self, Diagnosis> {
        let file = access.study.as_ref().map_or_else(|| wanted.into(), |study| study.join(wanted));
        let path = file.as_path();
        if !path.is_file()
            && let Some(ready) = Self::ready(wanted, access)
        {
            return Ok(ready);
        }
        if let Some(study) = &access.study
            && !access.any
            && inside(study, path).is_none()
        {
            let hint =
                "copy it there, or add --allow-files (in Python allow_files=True) if you trust this study";
            let diagnosis =
                Diagnosis::new(format!("the scenario \"{wanted}\" lies outside the study's folder"));
            let expected = "a ready scenario, or a file in the study's folder or below";
            return Err(diagnosis.expected(expected).hint(Some(hint)));
        }
        let text = read_text(path, LARGEST_FABRIC, "scenario").map_err(|refused| match refused {
            Refused::For(diagnosis) => diagnosis,
            Refused::Missing | Refused::Outside => missing_scenario(wanted),
        })?;
        let around = bare_fabric::scenario(path, &text)?;
        let is_bare_fabric = around.is_some();
        let text = around.unwrap_or(text);
        check_length(&text)?;
        let name =
            path.file_stem().map_or_else(|| wanted.to_owned(), |stem| stem.to_string_lossy().into_owned());
        let folder = path.parent().map(FilePath::to_path_buf).unwrap_or_default();
        let base = if is_bare_fabric { Base::Given(folder) } else { Base::Folder(folder) };
        Ok(Self { name, text: Arc::new(text), base, access: access.clone(), is_bare_fabric })
    }

    /// The ready scenario of this name.
    pub fn ready(name: &str, access: &FileAccess) -> Option<Self> {
        let text = embedded::read(Kind::Scenarios, &format!("{name}.toml"))?.to_owned();
        let text = SourceText { label: format!("scenarios/{name}.toml"), text, origin: Origin::Scenario };
        Some(Self {
            name: name.to_owned(),
            text: Arc::new(text),
            base: Base::Carried(CARRIED),
            access: access.clone(),
            is_bare_fabric: false,
        })
    }

    /// A scenario from text; files that it names are looked for in the working folder.
    pub fn of_text(name: &str, text: &str) -> Self {
        let text = SourceText { label: name.to_owned(), text: text.to_owned(), origin: Origin::Scenario };
        let (base, access) = (Base::Folder(PathBuf::new()), FileAccess::default());
        Self { name: name.to_owned(), text: Arc::new(text), base, access, is_bare_fabric: false }
    }
}

/// Refuses a scenario that is too long; a fabric's file may be longer than one.
fn check_length(text: &SourceText) -> Result<(), Diagnosis> {
    let bytes = text.text.len() as u64;
    if bytes <= LARGEST_SCENARIO {
        return Ok(());
    }
    let problem = format!("{}: the file has {} MiB", text.label, bytes.div_ceil(1 << 20));
    Err(Diagnosis::new(problem)
        .expected(format!("a scenario file of at most {} MiB", LARGEST_SCENARIO >> 20)))
}

fn missing_scenario(wanted: &str) -> Diagnosis {
    let folder = FilePath::new(wanted).parent().filter(|folder| !folder.as_os_str().is_empty());
    let here = FilePath::new(".");
    // What folders beside the working one hold is not for messages.
    let named = folder.is_none_or(|folder| inside(here, folder).is_some()).then(|| folder.unwrap_or(here));
    let beside = named.into_iter().flat_map(fs::read_dir).flatten().flatten();
    let files = beside.map(|entry| match folder {
        Some(folder) => folder.join(entry.file_name()).to_string_lossy().into_owned(),
        None => entry.file_name().to_string_lossy().into_owned(),
    });
    let files: Vec<String> =
        files.filter(|name| name.ends_with(".toml") || name.ends_with(".json")).collect();
    let ready = embedded::scenario_names();
    let known = ready.iter().map(String::as_str).chain(files.iter().map(String::as_str));
    // The names of ready scenarios begin with their model: "mm1" is the end of "queueing-mm1".
    let end = format!("-{wanted}");
    let ends_so = || ready.iter().map(String::as_str).find(|name| name.ends_with(&end));
    let hint = comes_with(wanted).unwrap_or_else(|| match closest(wanted, known).or_else(ends_so) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => "`hopscope scenarios` lists the ready ones".to_owned(),
    });
    Diagnosis::new(format!("there is no ready scenario and no file \"{wanted}\"")).hint(Some(hint))
}

/// How to get a file that ready scenarios name, where one is wanted that is not there.
fn comes_with(wanted: &str) -> Option<String> {
    let name = FilePath::new(wanted).file_name()?.to_str()?;
    let is_file = embedded::list(embedded::Kind::Scenarios).contains(&name) && !name.ends_with(".toml");
    is_file.then(|| format!("it comes with hopscope: `hopscope show {name} > {name}`"))
}

/// A file that the command line names beside a scenario.
pub(crate) fn read_beside(path: &str, what: &str) -> Result<Attachment, Diagnosis> {
    let read = hopscope_scenario::read_beside(FilePath::new(path), LARGEST_BESIDE, what);
    let text = read.map_err(|refused| match refused {
        Refused::For(diagnosis) => diagnosis,
        Refused::Missing | Refused::Outside => Diagnosis::new(format!("there is no file \"{path}\""))
            .expected(format!("an existing {what} file"))
            .hint(comes_with(path)),
    })?;
    Ok(Attachment { name: path.to_owned(), text: Arc::new(text), asked: (path.to_owned(), true) })
}

/// The files that a scenario names, which are copied beside those that a run folder has of itself.
pub(crate) fn files_of<'a>(source: &'a Source, root: &'a Node) -> Files<'a> {
    Files::new(&source.base, root, &source.access, &RUN_FOLDER)
}

/// What a reader of a file found wrong in it, at its place there.
pub(crate) trait FileFault {
    /// The fault as a message about the file.
    fn diagnosis(&self, error: &FormatError) -> Diagnosis;
}

impl FileFault for Attachment {
    fn diagnosis(&self, error: &FormatError) -> Diagnosis {
        let place = self.place(error.line as usize, error.column as usize);
        // What the user has given may be shown to the user.
        if self.text.origin != Origin::Given && !is_told_as_such(&self.text.text, error) {
            let diagnosis = Diagnosis::new("the file does not begin as such files do").at(place).unquoted();
            return diagnosis.expected(&error.expected).hint(Some("is it another kind of file?"));
        }
        Diagnosis::new(&error.problem).at(place).expected(&error.expected).hint(error.hint.as_deref())
    }
}

/// Whether a file with this fault is of the format at all, so that messages may say what stands in it: a line of it has
/// been read, or its first line has a word of what was expected.
fn is_told_as_such(text: &str, error: &FormatError) -> bool {
    let is_read = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '%']);
    let mut lines = text.lines().take(error.line as usize).filter(|line| is_read(line));
    let Some(first) = lines.next() else { return true };
    let words = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<BTreeSet<_>>()
    };
    lines.next().is_some() || !words(first).is_disjoint(&words(&error.expected))
}
