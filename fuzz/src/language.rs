//! Scenarios with overrides, studies, and the files of values of the ARPANET's scenarios.

use std::path::PathBuf;
use std::sync::Arc;

use hopscope_arpanet::{read_lines, read_pairs, read_places, read_sizes};
use hopscope_engine::{Draft, FileAccess, study};
use hopscope_formats::columns::table::Table;
use hopscope_formats::{FormatError, Place};
use hopscope_scenario::{Diagnosis, Node, Origin, Override, Path, ScenarioError, SourceText, Value, parse};

/// Deeper trees cannot be written as a value within another.
const DEEP: usize = 60;

/// Bytes as a scenario in TOML or JSON, with overrides behind zero bytes. Nothing is read or built for it.
pub fn scenarios(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\0');
    let scenario = parts.next().unwrap_or_default();
    let mut overrides = Vec::new();
    for part in parts {
        match Override::read(part) {
            Ok(change) => overrides.push(change),
            Err(refusal) => placed(&refusal),
        }
    }
    let Some(draft) = read(Draft::of_text("scenario", scenario)) else { return };
    if depth(draft.root()) < DEEP {
        reads_back(draft.root());
    }
    draft.mistakes(&overrides).iter().for_each(placed);
}

/// Bytes as a study, in a folder that does not exist.
pub fn studies(bytes: &[u8]) {
    let access = FileAccess { any: false, study: Some(PathBuf::from("/no such folder")) };
    let text = String::from_utf8_lossy(bytes).into_owned();
    let text = Arc::new(SourceText { label: "study.toml".to_owned(), text, origin: Origin::Scenario });
    if let Some(definition) = read(study::of_text(&text, false, &access)) {
        assert!(definition["cells"].is_array(), "{definition}");
    }
}

/// Bytes as tables of lines, places, pairs and sizes.
pub fn sites(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    values(&text, read_lines(&text), "from");
    values(&text, read_places(&text), "imp");
    values(&text, read_pairs(&text), "from");
    values(&text, read_sizes(&text), "below_bits");
}

/// What was read; what was refused has its place within its text, and can be told.
fn read<T>(read: Result<T, ScenarioError>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(refused) => {
            refused.diagnoses.iter().for_each(placed);
            assert!(refused.to_string().starts_with("error: "), "{refused}");
            None
        }
    }
}

fn placed(found: &Diagnosis) {
    assert!(!found.problem.is_empty() && found.to_string().starts_with("error: "), "{found}");
    if let Some(place) = &found.place {
        let lines = place.source.text.split('\n').count();
        let (line, column) = place.line_and_column();
        assert!(place.span.start <= place.source.text.len() + 1 && line <= lines && column >= 1, "{found}");
    }
}

/// A scenario as the value of an override is the same tree.
fn reads_back(root: &Node) {
    let written = root.toml();
    let text = format!("whole = {written}");
    let source = Arc::new(SourceText { label: "again".to_owned(), text, origin: Origin::Scenario });
    let again = parse(&source).expect("what is written reads back");
    let again = again.at(&Path::of("whole")).expect("the value that was written");
    assert_eq!(again.toml(), written);
}

fn depth(node: &Node) -> usize {
    let below = match &node.value {
        Value::Table(table) => table.entries.iter().map(|entry| depth(&entry.node)).max(),
        Value::List(items) => items.iter().map(depth).max(),
        _ => None,
    };
    1 + below.unwrap_or(0)
}

/// A table's rows have their places in the text, and so has what was refused.
fn values<T>(text: &str, read: Result<Table<T>, FormatError>, field: &str) {
    match read {
        Ok(table) => {
            for row in 0..table.rows.len() {
                within(text, table.places.of(text, row, field).1);
            }
        }
        Err(refusal) => {
            assert!(!refusal.expected.is_empty(), "{refusal}");
            within(text, refusal.place());
        }
    }
}

fn within(text: &str, Place { line, column }: Place) {
    let line = text.split('\n').nth(line as usize - 1).expect("a line of the text");
    assert!((1..=line.chars().count() + 1).contains(&(column as usize)), "column {column} of {line:?}");
}
