//! The lints that hold the rest stay on, in every crate.
//!
//! No unsafe code, no missing documentation, no `todo!`, no print, short functions, Python's docstrings and names:
//! clippy, rustc and ruff hold these and `make test` runs them. A crate that forgets `[lints] workspace = true` is free
//! of all. Unsafe code is allowed in one file, whose exports and imports carry the word.

use toml::Table;

use crate::breach::Breach;
use crate::rules::Planted;
use crate::tree::Tree;

/// Lints of the workspace that may not go.
const RUST: [(&str, &str); 7] = [
    ("rust", "unsafe_code"),
    ("rust", "missing_docs"),
    ("clippy", "too_many_lines"),
    ("clippy", "todo"),
    ("clippy", "dbg_macro"),
    ("clippy", "print_stdout"),
    ("clippy", "unimplemented"),
];

/// Families of ruff that may not go: complexity, docstrings, line lengths, imports, names, sizes.
const PYTHON: [&str; 6] = ["C90", "D", "E", "I", "N", "PL"];

/// The exports of WebAssembly.
const UNSAFE: &str = "crates/web/src/exports.rs";

/// Every file but that one which allows itself unsafe code.
fn unsafe_files(tree: &Tree) -> impl Iterator<Item = Breach> {
    let allowed = concat!("allow(", "unsafe_code");
    let files = tree.ending(".rs").filter(|file| file.path != UNSAFE);
    files.filter(move |file| file.text.contains(allowed)).map(move |file| {
        Breach::new(&file.path, file.line_of(allowed), format!("unsafe code is allowed in {UNSAFE} alone"))
    })
}

/// Every lint that is off, and every crate of the workspace that does not have them.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.ending("Cargo.toml") {
        let Ok(manifest) = file.text.parse::<Table>() else { continue };
        let get = |path: &[&str]| path.iter().try_fold(&manifest, |table, key| table.get(*key)?.as_table());
        if file.path == "Cargo.toml" {
            for (tool, lint) in RUST {
                if !get(&["workspace", "lints", tool]).is_some_and(|lints| lints.contains_key(lint)) {
                    let line = file.line_of(&format!("[workspace.lints.{tool}]"));
                    breaches.push(Breach::new(&file.path, line, format!("the lint `{tool}::{lint}` is off")));
                }
            }
        } else if get(&["lints"])
            .is_none_or(|lints| lints.get("workspace").and_then(toml::Value::as_bool) != Some(true))
            && !get(&[]).is_some_and(|manifest| manifest.contains_key("workspace"))
        {
            breaches.push(Breach::new(&file.path, 1, "`[lints] workspace = true` was expected"));
        }
    }
    breaches.extend(unsafe_files(tree));
    if let Some(file) = tree.file("ruff.toml") {
        let table = file.text.parse::<Table>().unwrap_or_default();
        let selected = table.get("lint").and_then(|lint| lint.get("select")).and_then(toml::Value::as_array);
        let has =
            |family: &str| selected.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(family)));
        for family in PYTHON.iter().filter(|family| !has(family)) {
            breaches.push(Breach::new(
                &file.path,
                file.line_of("select"),
                format!("ruff's `{family}` is off"),
            ));
        }
    }
    breaches
}

/// A crate without lints, a workspace and a ruff without one of theirs.
pub fn planted() -> Vec<Planted> {
    vec![
        Planted::at(
            "crates/units/Cargo.toml",
            1,
            "`[lints] workspace = true`",
            "[package]\nname = \"hopscope-units\"\ndescription = \"d\"\n",
        ),
        Planted::at(
            "Cargo.toml",
            2,
            "`rust::unsafe_code` is off",
            "[workspace]\n[workspace.lints.rust]\nmissing_docs = \"warn\"\n[workspace.lints.clippy]\ntoo_many_lines = \"warn\"\n\
             todo = \"warn\"\ndbg_macro = \"warn\"\nprint_stdout = \"warn\"\nunimplemented = \"warn\"\n",
        ),
        Planted::at(
            "crates/units/src/lib.rs",
            2,
            "unsafe code is allowed in",
            concat!("//! Units.\n#![allow(", "unsafe_code)]\n"),
        ),
        Planted::at(
            "ruff.toml",
            3,
            "ruff's `D` is off",
            "# Lints.\n[lint]\nselect = [\"C90\", \"E\", \"I\", \"N\", \"PL\"]\n",
        ),
    ]
}
