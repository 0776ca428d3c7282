//! Lines of at most 120 characters, in code, comments and Markdown.
//!
//! rustfmt and ruff break code at 110, but neither breaks comments, macros or Markdown; wider ones are cut off beside a
//! diff. Tables, fenced blocks, the targets of links and single long words cannot be broken and are not counted, nor
//! are Rust's string literals: a message stands in one piece, so that it is found by its words.

use crate::breach::Breach;
use crate::rules::Planted;
use crate::rust::widths_without_text;
use crate::tokens::prose;
use crate::tree::{SourceFile, Tree};

const WIDTH: usize = 120;

/// Every line that is too wide.
pub fn check(tree: &Tree) -> Vec<Breach> {
    tree.files()
        .iter()
        .flat_map(|file| {
            wide_lines(file).into_iter().map(|(line, width)| {
                Breach::new(&file.path, line, format!("{width} characters: at most {WIDTH} were expected"))
            })
        })
        .collect()
}

fn wide_lines(file: &SourceFile) -> Vec<(usize, usize)> {
    let counted: Vec<(usize, usize)> = if file.is(".md") {
        let prose = prose(&file.text).filter(|(_, line)| !line.starts_with('|'));
        prose.map(|(number, line)| (number, width_without_targets(line))).collect()
    } else if file.is(".rs") {
        let widths = widths_without_text(&file.text).into_iter().zip(file.lines());
        widths.map(|(width, (number, line))| (number, if can_break(line) { width } else { 0 })).collect()
    } else {
        // Data in TOML and commands in scripts stand on one line; their comments need not. ruff knows about `noqa`.
        let is_python = file.is(".py") || file.is(".pyi");
        let counts =
            |line: &str| (is_python || line.starts_with('#')) && !line.contains("# noqa") && can_break(line);
        file.lines()
            .filter(|(_, line)| counts(line))
            .map(|(number, line)| (number, line.chars().count()))
            .collect()
    };
    counted.into_iter().filter(|(_, width)| *width > WIDTH).collect()
}

/// The width of a line of Markdown without the targets of its links.
fn width_without_targets(line: &str) -> usize {
    let mut width = line.chars().count();
    for target in crate::tokens::links(line) {
        width -= target.chars().count();
    }
    if can_break(line) { width } else { 0 }
}

/// Whether a line has a place to break it before the last permitted column.
fn can_break(line: &str) -> bool {
    let text = line.trim_start();
    let mark = text.trim_start_matches(['/', '!', '#', '-', '*']).trim_start();
    mark.contains(' ')
}

/// A wide comment, a wide paragraph and a wide comment of a scenario.
pub fn planted() -> Vec<Planted> {
    let words = "words ".repeat(20);
    vec![
        Planted::at("crates/units/src/wide.rs", 2, "124 characters", format!("//! Wide.\n/// {words}\n")),
        Planted::at(
            "docs/wide.md",
            3,
            "120 were expected",
            format!("# Wide\n\n{words}and a [link](to-somewhere)\n"),
        ),
        Planted::at("scenarios/wide.toml", 1, "122 characters", format!("# {words}\n")),
        Planted::at(
            "python/hopscope/errors.py",
            2,
            "122 characters",
            format!("\"\"\"Errors.\"\"\"\n# {words}\n"),
        ),
    ]
}
