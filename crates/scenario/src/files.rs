//! Where a scenario's text comes from: a file, or the ready scenarios that the program carries.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use hopscope_formats::FormatError;

use super::bare_fabric;
use super::diagnosis::Diagnosis;
use super::names::closest;
use super::tree::{Node, Path, Place, SourceText};
use crate::embedded::{self, Kind};

/// The largest scenario that is read. A traffic matrix of a thousand hosts fits.
const LARGEST_SCENARIO: u64 = 16 << 20;
/// The largest file that a scenario may name: the graph of a fabric of some hundred thousand hosts.
const LARGEST_ATTACHMENT: u64 = 256 << 20;

/// The largest file that the command line names beside a scenario: the tables of a thousand switches for ten thousand hosts have
/// 700 MiB.
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

/// Where the files that a scenario names are looked for.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    /// Beside the scenario's own file.
    Folder(PathBuf),
    /// Among the ready scenarios.
    Ready,
}

/// A scenario's text and what it is called.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The ready scenario's name, or the file's without its ending.
    pub name: String,
    pub text: Arc<SourceText>,
    pub base: Base,
    /// Whether a fabric's file was given instead of a scenario.
    pub is_bare_fabric: bool,
}

impl Source {
    /// Finds a scenario by its file's path or its ready name. A folder of a ready scenario's name is not meant.
    pub fn find(wanted: &str) -> Result<Self, Diagnosis> {
        let path = FilePath::new(wanted);
        if !path.is_file()
            && let Some(ready) = Self::ready(wanted)
        {
            return Ok(ready);
        }
        let text = read_text(path, LARGEST_ATTACHMENT, "scenario").map_err(|refused| match refused {
            Refused::Missing => missing_scenario(wanted),
            Refused::For(diagnosis) => diagnosis,
        })?;
        let around = bare_fabric::scenario(path, &text)?;
        let is_bare_fabric = around.is_some();
        let text = around.unwrap_or(text);
        check_length(&text)?;
        let name =
            path.file_stem().map_or_else(|| wanted.to_owned(), |stem| stem.to_string_lossy().into_owned());
        let folder = path.parent().map(FilePath::to_path_buf).unwrap_or_default();
        Ok(Self { name, text: Arc::new(text), base: Base::Folder(folder), is_bare_fabric })
    }

    /// The ready scenario of this name.
    pub fn ready(name: &str) -> Option<Self> {
        let text = embedded::read(Kind::Scenarios, &format!("{name}.toml"))?.to_owned();
        let text = SourceText { label: format!("scenarios/{name}.toml"), text, is_override: false };
        Some(Self { name: name.to_owned(), text: Arc::new(text), base: Base::Ready, is_bare_fabric: false })
    }

    /// A scenario from text; files that it names are looked for in the working folder.
    pub fn of_text(name: &str, text: &str) -> Self {
        let text = SourceText { label: name.to_owned(), text: text.to_owned(), is_override: false };
        let base = Base::Folder(PathBuf::new());
        Self { name: name.to_owned(), text: Arc::new(text), base, is_bare_fabric: false }
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

enum Refused {
    Missing,
    For(Diagnosis),
}

/// Reads a text file that is not too large.
fn read_text(path: &FilePath, largest: u64, what: &str) -> Result<SourceText, Refused> {
    let label = path.display().to_string();
    let refuse =
        |problem: String, expected: &str| Err(Refused::For(Diagnosis::new(problem).expected(expected)));
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(Refused::Missing);
        }
        Err(error) => return refuse(format!("{label}: cannot be read: {error}"), ""),
    };
    let expected = format!("a {what} file");
    if metadata.is_dir() {
        return refuse(format!("{label}: this is a folder"), &expected);
    }
    if !metadata.is_file() {
        return refuse(format!("{label}: this is not a regular file"), &expected);
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(largest + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return refuse(format!("{label}: cannot be read: {error}"), "");
    }
    if bytes.len() as u64 > largest {
        let size = metadata.len().div_ceil(1 << 20);
        let problem = format!("{label}: the file has {size} MiB");
        return refuse(problem, &format!("a {what} of at most {} MiB", largest >> 20));
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            // The mark that some editors put at the start of a text.
            if text.starts_with('\u{feff}') {
                text.remove(0);
            }
            Ok(SourceText { label, text, is_override: false })
        }
        Err(error) => Err(Refused::For(not_utf8(label, &error))),
    }
}

/// Points at the first byte that is no UTF-8.
fn not_utf8(label: String, error: &std::string::FromUtf8Error) -> Diagnosis {
    let at = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let source = Arc::new(SourceText { label, text, is_override: false });
    let place = Place { source, span: at..at + 1 };
    let hint = "is it packed, or another kind of file?";
    Diagnosis::new("this is not UTF-8 text").at(place).expected("text in UTF-8").hint(Some(hint))
}

fn missing_scenario(wanted: &str) -> Diagnosis {
    let folder = FilePath::new(wanted).parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside = fs::read_dir(folder.unwrap_or(FilePath::new("."))).into_iter().flatten().flatten();
    let files = beside.map(|entry| match folder {
        Some(folder) => folder.join(entry.file_name()).to_string_lossy().into_owned(),
        None => entry.file_name().to_string_lossy().into_owned(),
    });
    let files: Vec<String> =
        files.filter(|name| name.ends_with(".toml") || name.ends_with(".json")).collect();
    let ready = embedded::scenario_names();
    let known = ready.iter().map(String::as_str).chain(files.iter().map(String::as_str));
    let hint = match closest(wanted, known) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => "`hopscope scenarios` lists the ready ones".to_owned(),
    };
    Diagnosis::new(format!("there is no ready scenario and no file \"{wanted}\"")).hint(Some(hint))
}

/// A file that the command line names beside a scenario.
pub(crate) fn read_beside(path: &str, what: &str) -> Result<Attachment, Diagnosis> {
    let text = read_text(FilePath::new(path), LARGEST_BESIDE, what).map_err(|refused| match refused {
        Refused::Missing => {
            Diagnosis::new(format!("there is no file \"{path}\"")).expected(format!("a {what} file"))
        }
        Refused::For(diagnosis) => diagnosis,
    })?;
    Ok(Attachment { name: path.to_owned(), text: Arc::new(text) })
}

/// A file that a scenario names, such as a graph. Its text belongs to the scenario: it is hashed with it and copied into the run
/// folder.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    /// The file's own name, without folders: what the scenario in the run folder calls it.
    pub name: String,
    /// The text and what messages call it.
    pub text: Arc<SourceText>,
}

impl Attachment {
    /// What a reader of the file found wrong in it, at its place there.
    #[must_use]
    pub fn diagnosis(&self, error: &FormatError) -> Diagnosis {
        let text = &self.text.text;
        let line_start: usize = text.split_inclusive('\n').take(error.line as usize - 1).map(str::len).sum();
        let line = &text[line_start..];
        let start =
            line.char_indices().nth(error.column as usize - 1).map_or(text.len(), |(at, _)| line_start + at);
        let place = Place { source: Arc::clone(&self.text), span: start..start + 1 };
        Diagnosis::new(&error.problem).at(place).expected(&error.expected).hint(error.hint.as_deref())
    }
}

/// The files that a scenario names, read while it is checked.
pub(crate) struct Files<'a> {
    base: &'a Base,
    root: &'a Node,
    read: Vec<Attachment>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(base: &'a Base, root: &'a Node) -> Self {
        Self { base, root, read: Vec::new() }
    }

    pub(crate) fn into_attachments(self) -> Vec<Attachment> {
        self.read
    }

    /// Reads the file that the field at `field` names as `path`.
    ///
    /// A relative path starts at the scenario's own folder, or at the working folder where the field was overridden; a ready scenario
    /// may also be given a file that comes with the program. The model then writes the attachment's `name` into its parameters, so that the scenario holds wherever the run folder goes.
    ///
    /// # Errors
    /// Where the file is missing, is no text or is too large: a diagnosis at the field.
    pub fn read(&mut self, field: &str, path: &str) -> Result<Attachment, Diagnosis> {
        let place = self.root.nearest_place(&Path::of(field));
        let refuse = |problem: &str| Diagnosis::new(format!("{field}: {problem}")).at(place.clone());
        let Some(name) = FilePath::new(path).file_name().map(|name| name.to_string_lossy().into_owned())
        else {
            return Err(refuse("this is not the path of a file").expected("a path"));
        };
        let carried = || {
            let text = embedded::read(Kind::Scenarios, path).filter(|_| matches!(self.base, Base::Ready))?;
            Some(SourceText { label: format!("scenarios/{path}"), text: text.to_owned(), is_override: false })
        };
        let text = match self.base {
            Base::Ready if !place.source.is_override => {
                carried().ok_or_else(|| refuse("there is no such file"))?
            }
            base => {
                let folder = match base {
                    Base::Folder(folder) if !place.source.is_override => folder.as_path(),
                    _ => FilePath::new(""),
                };
                match (self.read_beside(folder, path), carried()) {
                    (Ok(text), _) | (Err(Refused::Missing), Some(text)) => text,
                    (Err(Refused::Missing), None) => {
                        return Err(missing_attachment(refuse("there is no such file"), folder, path));
                    }
                    (Err(Refused::For(diagnosis)), _) if diagnosis.place.is_some() => return Err(diagnosis),
                    (Err(Refused::For(diagnosis)), _) => {
                        let expected = diagnosis.expected.unwrap_or_default();
                        return Err(refuse(&diagnosis.problem).expected(expected));
                    }
                }
            }
        };
        let attachment = Attachment { name: self.free_name(&name), text: Arc::new(text) };
        self.read.push(attachment.clone());
        Ok(attachment)
    }

    fn read_beside(&self, folder: &FilePath, path: &str) -> Result<SourceText, Refused> {
        read_text(&folder.join(path), LARGEST_ATTACHMENT, "graph")
    }

    /// Two files of one name from two folders get different names in the run folder, and none takes the name of a file of ours.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| {
            RUN_FOLDER.contains(&name) || self.read.iter().any(|attachment| attachment.name == name)
        };
        let numbered = (2..).map(|number| format!("{number}-{name}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| !taken(name))
            .expect("numbers do not end")
    }
}

fn missing_attachment(diagnosis: Diagnosis, folder: &FilePath, path: &str) -> Diagnosis {
    let wanted = folder.join(path);
    let beside =
        wanted.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(FilePath::new("."));
    let names = fs::read_dir(beside).into_iter().flatten().flatten();
    let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let written = wanted.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hint = match closest(&written, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => format!("looked for {}", wanted.display()),
    };
    diagnosis.expected("a file beside the scenario, or a full path").hint(Some(hint))
}
