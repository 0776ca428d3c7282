//! Paths in text exist.
//!
//! Documents and comments send readers to files. Files move, and nothing else notices. A path from the root, from the
//! crate or from the file itself counts; so does the name of a source file in backticks, which must be one of that
//! crate.

use crate::breach::Breach;
use crate::python::inside_strings;
use crate::rules::{Planted, TIDY};
use crate::tokens::{alternatives, exists, from_root, paths, prose};
use crate::tree::{SourceFile, Tree};

/// Every path in documents and comments that leads nowhere.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.files().iter().filter(|file| !file.is_in(TIDY)) {
        for (line, text) in texts(file) {
            for path in paths(text).iter().flat_map(|path| alternatives(path)) {
                if !leads_somewhere(tree, file, &path) {
                    breaches.push(Breach::new(&file.path, line, format!("`{path}` does not exist")));
                }
            }
            for name in source_names(text).flat_map(alternatives).filter(|name| !is_source(tree, file, name))
            {
                breaches.push(Breach::new(&file.path, line, format!("`{name}` is no source file here")));
            }
        }
    }
    breaches
}

/// The lines that are words and no code: prose, comments, docstrings.
fn texts(file: &SourceFile) -> Vec<(usize, &str)> {
    if file.is(".md") {
        return prose(&file.text).collect();
    }
    if file.is(".rs") {
        return file.lines().filter(|(_, line)| line.trim_start().starts_with("//")).collect();
    }
    // Strings of tests are scenarios and the like; elsewhere they are docstrings.
    let strings =
        if file.is(".py") && !file.is_in("tests") { inside_strings(&file.text) } else { Vec::new() };
    let is_text = |line: usize, text: &str| {
        text.trim_start().starts_with(['#', '"']) || strings.get(line - 1).is_some_and(|inside| *inside)
    };
    file.lines().filter(|(line, text)| is_text(*line, text)).collect()
}

fn crate_of(path: &str) -> Option<String> {
    let name = path.strip_prefix("crates/")?.split('/').next()?;
    Some(format!("crates/{name}"))
}

fn leads_somewhere(tree: &Tree, file: &SourceFile, path: &str) -> bool {
    if path.starts_with("../") && file.is(".py") {
        // The link of a page that this program writes elsewhere, where it is checked as any page's.
        return true;
    }
    if path.starts_with("../") {
        return from_root(&file.path, path).is_some_and(|path| exists(tree, &path));
    }
    let beside = from_root(&file.path, path).is_some_and(|path| exists(tree, &path));
    let in_crate = crate_of(&file.path).is_some_and(|folder| exists(tree, &format!("{folder}/{path}")));
    exists(tree, path) || beside || in_crate
}

/// The names in backticks that end as source files do.
fn source_names(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    let is_name = |name: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./{},*".contains(c);
        let is_path = !paths(name).is_empty();
        name.chars().all(plain) && !is_path && (name.ends_with(".rs") || name.ends_with(".py"))
    };
    quoted.filter(is_name)
}

/// Whether a source file has this name: one of the same crate, or one anywhere where the name has a folder.
fn is_source(tree: &Tree, file: &SourceFile, name: &str) -> bool {
    let folder = crate_of(&file.path).filter(|_| !name.contains('/')).unwrap_or_default();
    let placeholder = exists(&Tree::default(), name);
    let (head, tail) = name.split_once('*').unwrap_or(("", name));
    let has_name = |path: &str| {
        let at_name = path == tail || path.ends_with(&format!("/{tail}"));
        if name.contains('*') { path.contains(&format!("/{head}")) && path.ends_with(tail) } else { at_name }
    };
    placeholder || tree.paths().any(|path| path.starts_with(&folder) && has_name(path))
}

/// A dead path in a document, a comment and a docstring; a folder beside the project; a name that no file has.
pub fn planted() -> Vec<Planted> {
    vec![
        Planted::at(
            "docs/dead.md",
            3,
            "`crates/units/src/gone.rs`",
            "# Dead\n\nSee `crates/units/src/{lib,gone}.rs`.\n",
        ),
        Planted::at("published/README.md", 3, "`../papers`", "# Published\n\nRead off `../papers`.\n"),
        Planted::at("crates/units/src/dead.rs", 2, "`docs/gone.md`", "//! Dead.\n// See docs/gone.md.\n"),
        Planted::at(
            "crates/units/src/dead.rs",
            1,
            "`gone.rs` is no source file",
            "//! Dead: see `gone.rs`.\n",
        ),
        Planted::at(
            "python/hopscope/errors.py",
            3,
            "`docs/gone.md`",
            "\"\"\"Errors.\n\nSee docs/gone.md.\n\"\"\"\n",
        ),
    ]
}
