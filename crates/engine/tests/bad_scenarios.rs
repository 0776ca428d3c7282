//! Every scenario of `tests/bad-scenarios` is refused at the place and with the word that its first lines announce.
//!
//! A line `# expect: 7:11: load` announces one problem: its line, its column, and a word of its message; where it is in
//! a file that the scenario names, that file's name stands in front. As many problems are reported as are announced: a
//! mistake must not draw others after it.

mod announced;

use std::path::Path;

use announced::wrong_files;
use hopscope_engine::Scenario;

/// What differs between what a file announces and what is reported; nothing where all is well.
fn difference(path: &Path, name: &str, text: &str) -> Option<String> {
    match Scenario::load(path.to_str().expect("a plain path"), &[]) {
        Ok(_) => Some("it was accepted".to_owned()),
        Err(error) => announced::difference(name, text, &error),
    }
}

#[test]
fn every_bad_scenario_is_refused_at_its_place() {
    let wrong = wrong_files("bad-scenarios", 150, difference);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
