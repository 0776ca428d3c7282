//! Folders that appear whole or not at all, under a name that was free.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Failure;
use crate::output_error::OutputError;

/// How the name of everything begins that is not whole yet: readers of results refuse it, and who writes beside it
/// later removes what a killed process has left.
const PARTIAL: &str = ".hopscope-partial-";

/// Where results go.
pub(super) struct Target {
    wanted: PathBuf,
    /// Whether the next free number is taken where the name is.
    or_next: bool,
}

impl Target {
    /// The folder that was asked for, or one in `runs/` of this name.
    ///
    /// # Errors
    /// A folder that holds something, or a place where none can be.
    pub fn new(out: Option<&Path>, name: impl FnOnce() -> String) -> Result<Self, Failure> {
        let Some(out) = out else {
            return Ok(Self { wanted: Path::new("runs").join(name()), or_next: true });
        };
        let is_free = match fs::read_dir(out) {
            Ok(mut entries) => entries.next().is_none(),
            Err(reason) if reason.kind() == io::ErrorKind::NotFound => true,
            Err(reason) => return Err(OutputError { path: out.to_owned(), reason }.into()),
        };
        if is_free {
            Ok(Self { wanted: out.to_owned(), or_next: false })
        } else {
            Err(Failure::Taken(out.to_owned()))
        }
    }

    /// Makes the folder with what `fill` writes into the empty one that it is given; its path.
    ///
    /// # Errors
    /// Those of `fill`; a place that cannot be written. Nothing is left behind.
    pub fn write(&self, fill: impl FnOnce(&Path) -> Result<(), Failure>) -> Result<PathBuf, Failure> {
        let beside = self.wanted.parent().unwrap_or(Path::new(""));
        let partial = beside.join(format!("{PARTIAL}{}", std::process::id()));
        fs::create_dir_all(&partial).map_err(|reason| OutputError { path: partial.clone(), reason })?;
        let named = fill(&partial).and_then(|()| {
            synced(&partial).map_err(|reason| OutputError { path: partial.clone(), reason })?;
            self.name(&partial)
        });
        if named.is_err() {
            // The first failure is reported.
            let _ = fs::remove_dir_all(&partial);
        }
        named
    }

    fn name(&self, partial: &Path) -> Result<PathBuf, Failure> {
        for number in 1_u64.. {
            let named = match number {
                1 => self.wanted.clone(),
                _ => self.wanted.with_file_name(format!(
                    "{}-{number}",
                    self.wanted.file_name().unwrap_or_default().to_string_lossy()
                )),
            };
            if self.or_next && named.exists() {
                continue;
            }
            match fs::rename(partial, &named) {
                Ok(()) => return Ok(named),
                Err(reason) if is_taken(&reason) && self.or_next => {}
                Err(reason) if is_taken(&reason) => return Err(Failure::Taken(named)),
                Err(reason) => return Err(OutputError { path: named, reason }.into()),
            }
        }
        unreachable!("some number is free")
    }
}

fn is_taken(reason: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(reason.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

/// Brings every file and folder below this one to the disk.
fn synced(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            synced(&entry.path())?;
        } else {
            fs::File::open(entry.path())?.sync_all()?;
        }
    }
    fs::File::open(folder)?.sync_all()
}
