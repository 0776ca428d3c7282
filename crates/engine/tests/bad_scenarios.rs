//! Every scenario of `tests/bad-scenarios` is refused at the place and with the word that its first lines announce.
//!
//! A line `# expect: 7:11: load` announces one problem: its line, its column, and a word of its message; where it is in a file that
//! the scenario names, that file's name stands in front. As many problems are reported as are announced: a mistake must not draw
//! others after it.

use std::fs;
use std::path::{Path, PathBuf};

use hopscope_engine::{Diagnosis, Scenario};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bad-scenarios")
}

/// Each announcement as "FILE:LINE:COLUMN" and its word.
fn announced<'a>(file: &str, text: &'a str) -> Vec<(String, &'a str)> {
    let lines = text.lines().map_while(|line| line.strip_prefix("# expect: "));
    lines
        .map(|line| {
            let (place, word) = line.split_once(": ").expect("an announcement is [file:]line:column: word");
            let in_the_scenario = place.matches(':').count() == 1;
            (if in_the_scenario { format!("{file}:{place}") } else { place.to_owned() }, word)
        })
        .collect()
}

fn place(diagnosis: &Diagnosis) -> String {
    diagnosis.place.as_ref().map_or("nowhere".to_owned(), |place| {
        let file = place.source.label.rsplit('/').next().unwrap_or_default();
        let (line, column) = place.line_and_column();
        format!("{file}:{line}:{column}")
    })
}

/// What differs between what a file announces and what is reported; nothing where all is well.
fn difference(path: &Path, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).expect("the scenarios of this folder are text");
    let error = match Scenario::load(path.to_str().expect("a plain path"), &[]) {
        Ok(_) => return Some("it was accepted".to_owned()),
        Err(error) => error,
    };
    let mut expected = announced(name, &text);
    for diagnosis in &error.diagnoses {
        let (at, words) = (place(diagnosis), diagnosis.to_string());
        let meant = expected.iter().position(|(place, word)| *place == at && words.contains(word));
        let Some(meant) = meant else { return Some(format!("not announced, at {at}:\n{words}")) };
        expected.remove(meant);
    }
    expected.first().map(|(at, word)| format!("\"{word}\" at {at} was not reported, but\n{error}"))
}

#[test]
fn every_bad_scenario_is_refused_at_its_place() {
    let mut paths: Vec<_> = fs::read_dir(folder())
        .expect("the folder is part of the project")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 150, "only {} bad scenarios", paths.len());
    let wrong: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            difference(path, &name).map(|difference| format!("== {name}: {difference}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
