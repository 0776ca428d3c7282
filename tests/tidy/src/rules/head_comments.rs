//! A head comment on each file: what it holds, so that a reader knows after one line whether to stay.

use crate::breach::Breach;
use crate::rules::Planted;
use crate::tree::{SourceFile, Tree};

/// Every file that begins with something else.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let without = tree.files().iter().filter_map(|file| Some((file, missing(file)?)));
    without.map(|(file, expected)| Breach::new(&file.path, 1, format!("{expected} was expected"))).collect()
}

/// What a file should begin with and does not.
fn missing(file: &SourceFile) -> Option<&'static str> {
    let mut lines = file.text.lines().filter(|line| !line.trim().is_empty());
    let begins =
        |with: &[&str], line: Option<&str>| line.is_some_and(|line| with.iter().any(|w| line.starts_with(w)));
    let (there, expected) = if file.is(".rs") {
        (begins(&["//! "], lines.find(|line| !line.starts_with("#!["))), "a head comment `//! ...`")
    } else if file.is(".py") {
        (begins(&["\"\"\"", "r\"\"\""], lines.find(|line| !line.starts_with('#'))), "a docstring")
    } else if file.is(".pyi") {
        (begins(&["\"\"\"", "# "], lines.next()), "a docstring or a comment")
    } else if file.is(".md") {
        (begins(&["# "], lines.next()), "a title `# ...`")
    } else if file.is("Cargo.toml") {
        (["description = ", "[workspace]"].iter().any(|key| file.text.contains(key)), "a description")
    } else if file.is(".toml") {
        (begins(&["# ", "title = "], lines.next()), "a comment or a title")
    } else {
        (begins(&["# "], lines.find(|line| !line.starts_with("#!"))), "a comment that says what it is for")
    };
    (!there).then_some(expected)
}

/// Files of each language that begin with code.
pub fn planted() -> Vec<Planted> {
    vec![
        Planted::at("crates/units/src/bare.rs", 1, "`//! ...`", "#![allow(x)]\nuse std::fmt;\n"),
        Planted::at("python/hopscope/errors.py", 1, "a docstring", "import json\n"),
        Planted::at("scenarios/bare.toml", 1, "a comment or a title", "model = \"fabric\"\n"),
        Planted::at("docs/bare.md", 1, "a title", "Words.\n"),
        Planted::at(".ci/run", 1, "a comment", "#!/usr/bin/env bash\nmake test\n"),
        Planted::at(
            "fuzz/Cargo.toml",
            1,
            "a description",
            "[package]\nname = \"fuzz\"\n[lints]\nworkspace = true\n",
        ),
    ]
}
