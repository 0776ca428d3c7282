//! What a bad scenario or study announces in its first lines, against what is reported of it.

use std::fs;
use std::path::{Path, PathBuf};

use hopscope_engine::{Diagnosis, ScenarioError};

/// Each announcement as "FILE:LINE:COLUMN" and its word.
pub fn announced<'a>(file: &str, text: &'a str) -> Vec<(String, &'a str)> {
    let lines = text.lines().map_while(|line| line.strip_prefix("# expect: "));
    lines
        .map(|line| {
            let (place, word) = line.split_once(": ").expect("an announcement is [file:]line:column: word");
            let in_itself = place.matches(':').count() == 1;
            (if in_itself { format!("{file}:{place}") } else { place.to_owned() }, word)
        })
        .collect()
}

/// A place as announcements write it.
pub fn place(diagnosis: &Diagnosis) -> String {
    diagnosis.place.as_ref().map_or("nowhere".to_owned(), |place| {
        let file = place.source.label.rsplit('/').next().unwrap_or_default();
        let (line, column) = place.line_and_column();
        format!("{file}:{line}:{column}")
    })
}

/// What differs between what a file announces and the mistakes that were reported; nothing where all is well.
pub fn difference(name: &str, text: &str, error: &ScenarioError) -> Option<String> {
    let mut expected = announced(name, text);
    for diagnosis in &error.diagnoses {
        let (at, words) = (place(diagnosis), diagnosis.to_string());
        let meant = expected.iter().position(|(place, word)| *place == at && words.contains(word));
        let Some(meant) = meant else { return Some(format!("not announced, at {at}:\n{words}")) };
        expected.remove(meant);
    }
    expected.first().map(|(at, word)| format!("\"{word}\" at {at} was not reported, but\n{error}"))
}

/// The mistakes in each file of a folder of `tests`, which has at least `least` files.
pub fn wrong_files(
    folder: &str,
    least: usize,
    difference: impl Fn(&Path, &str, &str) -> Option<String>,
) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let entries = fs::read_dir(folder).expect("the folder is part of the project");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    paths.sort();
    assert!(paths.len() >= least, "only {} files", paths.len());
    let wrong = |path: &PathBuf| {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(path).expect("the files of this folder are text");
        difference(path, &name, &text).map(|difference| format!("== {name}: {difference}"))
    };
    paths.iter().filter_map(wrong).collect()
}
