//! The rules, one file each.

mod crate_arrow;
mod dead_paths;
mod functions_and_files;
mod head_comments;
mod kinds_not_text;
mod links;
mod lints;
mod phrases;
mod python_arrow;
mod rooms;
mod widths;

use crate::breach::Breach;
use crate::tree::Tree;

/// A rule of the house.
pub struct Rule {
    /// Its name, by which CONTRIBUTING.md lists it.
    pub name: &'static str,
    /// Finds every breach.
    pub check: fn(&Tree) -> Vec<Breach>,
    /// Breaches that it must find.
    pub planted: fn() -> Vec<Planted>,
}

/// A breach put into a tree where there is none.
pub struct Planted {
    /// The file to write.
    pub path: &'static str,
    /// What it holds then.
    pub text: String,
    /// Where the breach is found.
    pub found: (&'static str, usize),
    /// What its message says.
    pub says: &'static str,
}

impl Planted {
    /// A file with a breach at one of its lines.
    #[must_use]
    pub fn at(path: &'static str, line: usize, says: &'static str, text: impl Into<String>) -> Self {
        Self { path, text: text.into(), found: (path, line), says }
    }
}

/// All rules.
pub const RULES: [Rule; 11] = [
    Rule { name: "crate arrow", check: crate_arrow::check, planted: crate_arrow::planted },
    Rule { name: "rooms", check: rooms::check, planted: rooms::planted },
    Rule { name: "Python arrow", check: python_arrow::check, planted: python_arrow::planted },
    Rule {
        name: "functions and files",
        check: functions_and_files::check,
        planted: functions_and_files::planted,
    },
    Rule { name: "head comments", check: head_comments::check, planted: head_comments::planted },
    Rule { name: "widths", check: widths::check, planted: widths::planted },
    Rule { name: "dead paths", check: dead_paths::check, planted: dead_paths::planted },
    Rule { name: "links", check: links::check, planted: links::planted },
    Rule { name: "kinds, not text", check: kinds_not_text::check, planted: kinds_not_text::planted },
    Rule { name: "phrases", check: phrases::check, planted: phrases::planted },
    Rule { name: "lints", check: lints::check, planted: lints::planted },
];

/// The files of this crate: they hold planted breaches, and the phrases that are not to be used.
const TIDY: &str = "tests/tidy";
