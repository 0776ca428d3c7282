//! Functions under 70 lines, files under 600.
//!
//! What does not fit on a screen or two is read in parts, and then it has parts. Clippy's `too_many_lines` counts
//! statements and leaves comments out; here every line counts, in Python as well.

use crate::breach::Breach;
use crate::rules::Planted;
use crate::tree::Tree;
use crate::{python, rust};

const FUNCTION: usize = 70;
const FILE: usize = 600;

/// Every function and every file that is too long.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.files().iter().filter(|file| file.is(".rs") || file.is(".py")) {
        let lines = file.text.lines().count();
        if lines >= FILE {
            breaches.push(Breach::new(
                &file.path,
                FILE,
                format!("{lines} lines: under {FILE} were expected"),
            ));
        }
        let functions = if file.is(".rs") { rust::functions(file) } else { python::functions(file) };
        for function in functions.into_iter().filter(|function| function.length() >= FUNCTION) {
            let message = format!(
                "`{}` has {} lines: under {FUNCTION} were expected",
                function.name,
                function.length()
            );
            breaches.push(Breach::new(&file.path, function.first, message));
        }
    }
    breaches
}

/// A long function in both languages, and a long file.
pub fn planted() -> Vec<Planted> {
    let long = |head: &str, line: &str, tail: &str| format!("{head}{}{tail}", line.repeat(FUNCTION));
    vec![
        Planted::at(
            "crates/units/src/long.rs",
            3,
            "`long` has 72 lines",
            long("//! Long.\n\npub fn long() {\n", "    // On.\n", "}\n"),
        ),
        Planted::at(
            "python/hopscope/errors.py",
            4,
            "`long` has 71 lines",
            long("\"\"\"Errors.\"\"\"\n\n\ndef long():\n", "    pass\n", ""),
        ),
        Planted::at(
            "crates/units/src/long.rs",
            600,
            "601 lines",
            format!("//! Long.\n{}", "\n".repeat(FILE)),
        ),
    ]
}
