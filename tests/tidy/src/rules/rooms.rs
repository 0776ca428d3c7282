//! Folders that know less than their crate or package: a protocol without a clock, candidates without their trials.
//!
//! A part that takes bytes or events and gives bytes or actions can be tested, fuzzed and read alone. One `use` of the
//! event queue ends that, and no compiler minds.

use crate::architecture::ARCHITECTURE;
use crate::breach::Breach;
use crate::rules::Planted;
use crate::rust::comment;
use crate::tree::Tree;

const HEADING: &str = "## Rooms";

/// A folder, and the paths that no file in it may name.
struct Room {
    line: usize,
    folder: String,
    unknown: Vec<String>,
}

/// Every line of code in a room that names what the room may not know.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let rooms = rooms(tree);
    let mut breaches = Vec::new();
    if rooms.is_empty() {
        breaches.push(Breach::new(
            ARCHITECTURE,
            1,
            format!("a table of folders under \"{HEADING}\" was expected"),
        ));
    }
    for room in rooms {
        if !tree.has(&room.folder) {
            let message = format!("the room \"{}\" does not exist", room.folder);
            breaches.push(Breach::new(ARCHITECTURE, room.line, message));
        }
        // The file of the folder's own name is its door and belongs to it.
        let door = format!("{}.rs", room.folder);
        let files = tree.ending(".rs").chain(tree.ending(".py"));
        for file in files.filter(|file| file.is_in(&room.folder) || file.path == door) {
            for (line, text) in file.lines().filter(|(_, text)| comment(text).is_none()) {
                for unknown in room.unknown.iter().filter(|unknown| names(text, unknown)) {
                    let message = format!(
                        "\"{}\" knows no `{unknown}`: see \"{HEADING}\" in {ARCHITECTURE}",
                        room.folder
                    );
                    breaches.push(Breach::new(&file.path, line, message));
                }
            }
        }
    }
    breaches
}

/// Whether code names a path, and not only another one that begins or ends alike.
fn names(code: &str, path: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(path)
        .any(|(at, _)| !code[..at].ends_with(in_name) && !code[at + path.len()..].starts_with(in_name))
}

/// The rows of the table: a folder in backticks, then paths in backticks.
fn rooms(tree: &Tree) -> Vec<Room> {
    let Some(file) = tree.file(ARCHITECTURE) else { return Vec::new() };
    let section = file.lines().skip_while(|(_, line)| *line != HEADING).skip(1);
    let rows =
        section.take_while(|(_, line)| !line.starts_with('#')).filter(|(_, line)| line.starts_with("| `"));
    let room = |(line, row): (usize, &str)| {
        let mut quoted = row.split('`').skip(1).step_by(2).map(str::to_owned);
        Some(Room { line, folder: quoted.next()?, unknown: quoted.collect() })
    };
    rows.filter_map(room).collect()
}

/// A clock in a room without one, and other programs in a Python package that calls none.
pub fn planted() -> Vec<Planted> {
    vec![
        Planted::at(
            "crates/units/src/clock.rs",
            3,
            "knows no `std::time`",
            "//! A clock; not std::time in a comment.\n\nuse std::time::Instant;\n",
        ),
        Planted::at(
            "python/hopscope/engine.py",
            3,
            "knows no `subprocess`",
            "\"\"\"Engine.\"\"\"\n\nimport subprocess\n",
        ),
    ]
}
