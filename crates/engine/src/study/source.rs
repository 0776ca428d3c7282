//! Where a study's text comes from: a folder or file of the user's, or the studies that the program carries.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use hopscope_scenario::{Diagnosis, Origin, Refused, SourceText, did_you_mean, inside, read_text};

use crate::embedded::{self, Kind};

/// The file of a study in its folder.
const FILE: &str = "study.toml";
/// What stands beside it: what was read off the page, what was assumed, what stays open.
const README: &str = "README.md";
/// The largest of the two.
const LARGEST: u64 = 16 << 20;

/// A study's texts, and what it is called.
pub(super) struct Source {
    /// Its name among the studies that come with the program, or its folder's.
    pub name: String,
    /// `study.toml`.
    pub text: Arc<SourceText>,
    /// `README.md`; empty where there is none.
    pub readme: String,
    /// The folder of a study of the user's: where what it names must lie.
    pub folder: Option<PathBuf>,
}

impl Source {
    /// Finds a study: a folder with a `study.toml`, the file itself, or one that comes with the program.
    pub fn find(wanted: &str) -> Result<Self, Diagnosis> {
        let path = FilePath::new(wanted);
        let file = if path.is_file() { path.to_owned() } else { path.join(FILE) };
        let text = match read_text(&file, LARGEST, "study") {
            Ok(text) => text,
            Err(Refused::For(diagnosis)) => return Err(diagnosis),
            Err(Refused::Missing | Refused::Outside) => {
                return Self::carried(wanted).ok_or_else(|| missing(wanted));
            }
        };
        let folder = file.parent().map(FilePath::to_path_buf).unwrap_or_default();
        // The report shows it: a link to another file would carry that into the report.
        let readme = inside(&folder, &folder.join(README)).ok_or(Refused::Outside);
        let readme = match readme.and_then(|readme| read_text(&readme, LARGEST, "text")) {
            Ok(readme) => readme.text,
            Err(Refused::Missing | Refused::Outside) => String::new(),
            Err(Refused::For(diagnosis)) => return Err(diagnosis),
        };
        let named_by =
            if file.ends_with(FILE) { file.parent().and_then(FilePath::file_name) } else { file.file_stem() };
        let name = named_by.map_or_else(|| wanted.to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(Self { name, text: Arc::new(text), readme, folder: Some(folder) })
    }

    fn carried(name: &str) -> Option<Self> {
        let read = |file: &str| embedded::read(Kind::Studies, &format!("{name}/{file}"));
        let text = read(FILE)?.to_owned();
        let text = SourceText { label: format!("studies/{name}/{FILE}"), text, origin: Origin::Scenario };
        let readme = read(README).unwrap_or_default().to_owned();
        Some(Self { name: name.to_owned(), text: Arc::new(text), readme, folder: None })
    }
}

/// The names of the studies that come with the program, in order.
#[must_use]
pub fn names() -> Vec<String> {
    let files = embedded::list(Kind::Studies).into_iter();
    files.filter_map(|path| path.strip_suffix(FILE)?.strip_suffix('/')).map(str::to_owned).collect()
}

fn missing(wanted: &str) -> Diagnosis {
    let names = names();
    let known = || names.iter().map(String::as_str);
    let diagnosis = Diagnosis::new(format!("there is no study \"{wanted}\""));
    let expected = format!("a folder with a {FILE}, or one of {}", names.join(", "));
    diagnosis.expected(expected).hint(did_you_mean(wanted, known()))
}
