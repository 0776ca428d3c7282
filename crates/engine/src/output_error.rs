//! What could not be written.

use std::io;
use std::path::PathBuf;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// Why: the disk is full, the folder is not ours, the file is there already.
    #[source]
    pub reason: io::Error,
}
