//! The project's files: every path, and the text of what the rules read.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

/// A text file of the project.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path from the root, with `/`.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl SourceFile {
    /// Its lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// Whether the path ends so, as in `.rs`.
    #[must_use]
    pub fn is(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }

    /// Whether it is in this folder, which is written without a `/` at its end.
    #[must_use]
    pub fn is_in(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The first line that has this text, or 1.
    #[must_use]
    pub fn line_of(&self, text: &str) -> usize {
        self.lines().find(|(_, line)| line.contains(text)).map_or(1, |(number, _)| number)
    }
}

/// The files of a project.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: Vec<SourceFile>,
    paths: BTreeSet<String>,
    /// Paths that `.gitignore` files name: tools make them.
    made: BTreeSet<String>,
}

/// What the rules read. Data files are known by path alone.
const TEXT: [&str; 6] = [".rs", ".py", ".pyi", ".md", ".toml", ".sh"];

/// Files without an ending that are text as well.
const SCRIPTS: [&str; 2] = ["Makefile", ".ci/run"];

impl Tree {
    /// The files under a folder, without those that its `.gitignore` files name.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "", &[])?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// A tree in memory.
    #[must_use]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.put(path, text);
        }
        tree
    }

    /// Adds a file, in the place of one of the same path.
    pub fn put(&mut self, path: &str, text: &str) {
        self.files.retain(|file| file.path != path);
        self.paths.insert(path.to_owned());
        self.files.push(SourceFile { path: path.to_owned(), text: text.to_owned() });
    }

    /// All text files, by path.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The text files whose paths end so.
    pub fn ending(&self, ending: &'static str) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(move |file| file.is(ending))
    }

    /// The text file of this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The paths of all files, text or not.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Whether a file has this path, or a folder with files in it.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.paths.contains(path)
            || self.paths.range(folder.clone()..).next().is_some_and(|next| next.starts_with(&folder))
    }

    /// Whether a path is one that tools make, and that need not be there.
    #[must_use]
    pub fn is_made(&self, path: &str) -> bool {
        self.made.contains(path)
    }

    fn read_folder(&mut self, root: &Path, folder: &str, inherited: &[Ignored]) -> io::Result<()> {
        let mut ignored = inherited.to_vec();
        if let Ok(text) = fs::read_to_string(root.join(folder).join(".gitignore")) {
            ignored.extend(text.lines().filter_map(|line| Ignored::new(folder, line)));
        }
        self.made.extend(ignored.iter().filter_map(|pattern| pattern.path_in(folder)));
        for entry in fs::read_dir(root.join(folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if name == ".git" || ignored.iter().any(|pattern| pattern.matches(&path, &name)) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.read_folder(root, &path, &ignored)?;
                continue;
            }
            if TEXT.iter().any(|ending| name.ends_with(ending)) || SCRIPTS.contains(&path.as_str()) {
                self.files.push(SourceFile { path: path.clone(), text: fs::read_to_string(entry.path())? });
            }
            self.paths.insert(path);
        }
        Ok(())
    }
}

/// A line of a `.gitignore`: a name, a path from its folder, or an ending.
#[derive(Clone, Debug)]
enum Ignored {
    Path(String),
    Name(String),
    Ending(String),
}

impl Ignored {
    fn new(folder: &str, line: &str) -> Option<Self> {
        let pattern = line.trim().trim_end_matches('/');
        if pattern.is_empty() || pattern.starts_with('#') {
            return None;
        }
        if let Some(ending) = pattern.strip_prefix('*') {
            return Some(Self::Ending(ending.to_owned()));
        }
        let Some(from_here) = pattern.strip_prefix('/') else { return Some(Self::Name(pattern.to_owned())) };
        let path = if folder.is_empty() { from_here.to_owned() } else { format!("{folder}/{from_here}") };
        Some(Self::Path(path))
    }

    /// The path that it means in a folder.
    fn path_in(&self, folder: &str) -> Option<String> {
        match self {
            Self::Path(path) => Some(path.clone()),
            Self::Name(name) => Some(format!("{folder}/{name}")),
            Self::Ending(_) => None,
        }
    }

    fn matches(&self, path: &str, name: &str) -> bool {
        match self {
            Self::Path(ignored) => path == ignored,
            Self::Name(ignored) => name == ignored,
            Self::Ending(ending) => name.ends_with(ending.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_are_not_read() {
        let ignored: Vec<_> =
            ["/made/", "__pycache__/", "*.so", "# no"].iter().filter_map(|l| Ignored::new("a", l)).collect();
        let hides = |path: &str, name: &str| ignored.iter().any(|pattern| pattern.matches(path, name));
        assert!(
            hides("a/made", "made") && hides("a/b/__pycache__", "__pycache__") && hides("a/x.so", "x.so")
        );
        assert!(!hides("a/b/made", "made") && !hides("a/so", "so") && ignored.len() == 3);
    }

    #[test]
    fn folders_are_there_where_files_are() {
        let tree = Tree::of(&[("a/b/c.rs", ""), ("a-b.rs", "")]);
        assert!(
            tree.has("a") && tree.has("a/b/") && tree.has("a-b.rs") && !tree.has("a/b/c") && !tree.has("b")
        );
    }
}
