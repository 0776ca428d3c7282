//! The rooms of the source: each uses those before it only, and the rules of the protocol know neither events nor
//! random numbers.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms in their order: each may use itself and those before it.
const ROOMS: [&str; 6] = ["protocol", "routing", "scenario", "observe", "subnet", "report"];

/// Rooms that know no clock, event queue or random stream.
const SANS_IO: [&str; 2] = ["protocol", "routing"];

/// What code of a room must not name.
fn breaches(room: &str, text: &str) -> Vec<String> {
    let own = ROOMS.iter().position(|&known| known == room).expect("a room");
    let mut forbidden: Vec<String> = ROOMS[own + 1..].iter().map(|later| format!("crate::{later}")).collect();
    forbidden.push("super::super".to_owned());
    if SANS_IO.contains(&room) {
        forbidden.push("hopscope_kernel".to_owned());
    }
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| forbidden.iter().filter(move |name| line.contains(name.as_str())))
        .map(|name| format!("{room} uses {name}"))
        .collect()
}

/// Every Rust file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_room_uses_only_those_before_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let mut seen = [0; ROOMS.len()];
    for path in all {
        let inside = path.strip_prefix(&source).expect("a file of the source").with_extension("");
        let room = inside.iter().next().and_then(|room| room.to_str()).expect("a name");
        if room == "lib" {
            continue;
        }
        let place = ROOMS.iter().position(|&known| known == room);
        seen[place.unwrap_or_else(|| panic!("{} is in no room", path.display()))] += 1;
        let text = fs::read_to_string(&path).expect("a readable file");
        assert_eq!(breaches(room, &text), [""; 0], "{}", path.display());
    }
    assert!(seen.iter().all(|&files| files > 1), "{ROOMS:?} have {seen:?} files");
}

#[test]
fn a_planted_breach_is_found() {
    assert_eq!(breaches("protocol", "use crate::subnet::Subnet;"), ["protocol uses crate::subnet"]);
    assert_eq!(breaches("routing", "use hopscope_kernel::EventQueue;"), ["routing uses hopscope_kernel"]);
    assert_eq!(breaches("observe", "let x = crate::report::x();"), ["observe uses crate::report"]);
    assert_eq!(breaches("subnet", "use crate::protocol::packet::Packet; // crate"), [""; 0]);
    assert_eq!(breaches("protocol", "//! The events are in [`subnet`](crate::subnet)."), [""; 0]);
}
