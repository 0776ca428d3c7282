//! The files that the program carries: ready scenarios, studies and published figures.

use include_dir::{Dir, include_dir};

static SCENARIOS: Dir<'_> = include_dir!("$HOPSCOPE_SCENARIOS");
#[cfg(not(target_family = "wasm"))]
static STUDIES: Dir<'_> = include_dir!("$HOPSCOPE_CARRIED/studies");
#[cfg(not(target_family = "wasm"))]
static PUBLISHED: Dir<'_> = include_dir!("$HOPSCOPE_CARRIED/published");
// A page performs no studies.
#[cfg(target_family = "wasm")]
static STUDIES: Dir<'_> = Dir::new("", &[]);
#[cfg(target_family = "wasm")]
static PUBLISHED: Dir<'_> = Dir::new("", &[]);

/// A folder of the project that the program carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ready scenarios and the files that they name.
    Scenarios,
    /// One folder for each published table or figure.
    Studies,
    /// The published figures as CSV.
    Published,
}

impl Kind {
    /// The kind by its folder's name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "scenarios" => Some(Self::Scenarios),
            "studies" => Some(Self::Studies),
            "published" => Some(Self::Published),
            _ => None,
        }
    }

    fn folder(self) -> &'static Dir<'static> {
        match self {
            Self::Scenarios => &SCENARIOS,
            Self::Studies => &STUDIES,
            Self::Published => &PUBLISHED,
        }
    }
}

/// The paths of all text files of this kind, relative to its folder, in order.
#[must_use]
pub fn list(kind: Kind) -> Vec<&'static str> {
    fn collect(folder: &'static Dir<'static>, paths: &mut Vec<&'static str>) {
        let texts = folder.files().filter(|file| file.contents_utf8().is_some());
        paths.extend(texts.filter_map(|file| file.path().to_str()));
        folder.dirs().for_each(|below| collect(below, paths));
    }
    let mut paths = Vec::new();
    collect(kind.folder(), &mut paths);
    paths.sort_unstable();
    paths
}

/// The text of the file with this relative path.
#[must_use]
pub fn read(kind: Kind, path: &str) -> Option<&'static str> {
    kind.folder().get_file(path)?.contents_utf8()
}

/// The names of the ready scenarios, in order.
pub(crate) fn scenario_names() -> Vec<String> {
    let top_level = list(Kind::Scenarios).into_iter().filter(|path| !path.contains('/'));
    top_level.filter_map(|path| path.strip_suffix(".toml")).map(str::to_owned).collect()
}
