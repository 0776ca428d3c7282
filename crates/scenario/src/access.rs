//! Which files a scenario may name. One may get a scenario from others: without the user's leave it reads nothing but
//! what came with it.

use std::fs;
use std::path::{Component, Path as FilePath, PathBuf, absolute};

use crate::tree::Origin;

/// What the user allows of a scenario's files.
#[derive(Clone, Debug, Default)]
pub struct FileAccess {
    /// Whether the scenario may name any file: `--allow-files`. If not, its files lie in its own folder or below.
    pub any: bool,
    /// The folder of the study whose values the overrides are: relative paths in them start there, and their files lie
    /// there or below. Without it the user wrote the overrides, which name any file.
    pub study: Option<PathBuf>,
}

/// Where a relative path starts, and whether it may lead elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home<'a> {
    /// The folder; empty for the working folder.
    pub folder: &'a FilePath,
    /// Whether files must lie in the folder or below.
    pub is_fence: bool,
    /// Who names the files.
    pub origin: Origin,
}

impl Home<'_> {
    /// The file at a path from here, with symbolic links followed where it exists; nothing where it lies beyond the
    /// fence.
    pub fn file(&self, path: &str) -> Option<PathBuf> {
        let wanted = self.folder.join(path);
        if !self.is_fence {
            return Some(wanted);
        }
        inside(self.folder, &wanted)
    }

    /// Whether a file lies in the folder or below.
    pub fn has(&self, file: &FilePath) -> bool {
        inside(self.folder, file).is_some()
    }
}

/// The file with symbolic links followed, or as it is named where there is none; nothing where it does not lie in the
/// folder or below. Whether a file elsewhere exists makes no difference.
pub fn inside(folder: &FilePath, file: &FilePath) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { FilePath::new(".") } else { folder };
    let named = absolute(folder).ok()?;
    let real = fs::canonicalize(folder).unwrap_or_else(|_| named.clone());
    if let Ok(found) = fs::canonicalize(file) {
        return found.starts_with(&real).then_some(found);
    }
    let wanted = straight(&absolute(file).ok()?);
    (wanted.starts_with(&real) || wanted.starts_with(straight(&named))).then_some(wanted)
}

/// An absolute path without "..", by its words alone.
fn straight(path: &FilePath) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = straight.pop(),
            Component::CurDir => {}
            part => straight.push(part),
        }
    }
    straight
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder `own` with a file and a folder, a file beside it, and links between them.
    fn folders() -> PathBuf {
        let top = std::env::temp_dir().join(format!("hopscope-access-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        let own = top.join("own");
        fs::create_dir_all(own.join("below")).unwrap();
        for file in ["own/net", "own/below/net", "own-not", "secret"] {
            fs::write(top.join(file), "x").unwrap();
        }
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, own.join(name)).unwrap();
        link("below/net", "within");
        link("../secret", "out");
        link("..", "up");
        top
    }

    #[test]
    fn files_lie_in_the_folder_or_below_whatever_their_path_looks_like() {
        let top = folders();
        let own = top.join("own");
        let home = Home { folder: &own, is_fence: true, origin: Origin::Named };
        let full = own.join("net").to_string_lossy().into_owned();
        for path in ["net", "below/net", "./below/../net", "within", "missing", "below/missing", &full] {
            assert!(home.file(path).is_some(), "{path}");
        }
        let beside = top.join("own-not").to_string_lossy().into_owned();
        let foreign =
            ["../secret", "out", "up/secret", "below/../../secret", "../missing", "/etc/passwd", &beside];
        for path in foreign {
            assert!(home.file(path).is_none(), "{path}");
        }
        let open = Home { is_fence: false, ..home };
        assert!(foreign.iter().all(|path| open.file(path).is_some()));
        assert!(!open.has(&top) && open.has(&own.join("below")));
        fs::remove_dir_all(top).unwrap();
    }
}
