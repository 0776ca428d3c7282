//! What a run or a sweep found, as text for a terminal and as JSON.

use std::path::Path;

use hopscope_measure::{EVERY_CLASS, Metric};
use serde_json::{Value as Json, json};

use crate::run::RunResult;

/// A run as text: how it ended, its figures, what holds it back.
pub(super) fn of_run(result: &RunResult, folder: Option<&Path>) -> String {
    let report = result.report();
    let mut lines = vec![
        result.identity.header.title.clone(),
        format!("seed {}, {}: {}", result.seed(), outcome(result), report.ended_because),
        String::new(),
    ];
    lines.extend(report.metrics.iter().filter(|metric| metric.class == EVERY_CLASS).map(figure));
    lines.extend([String::new(), result.explanation().verdict.first.sentence]);
    lines.extend(place(folder));
    printable(&lines.join("\n"))
}

/// A sweep as text: one line a run.
pub(super) fn of_sweep(results: &[RunResult], folder: Option<&Path>) -> String {
    let line = |(nth, result): (usize, &RunResult)| {
        let metrics = result.report().metrics.iter().filter(|metric| metric.class == EVERY_CLASS);
        let first: Vec<String> = metrics.take(2).map(figure).collect();
        format!("{}  seed {}  {}  {}", nth + 1, result.seed(), outcome(result), first.join("  "))
    };
    let lines: Vec<String> = results.iter().enumerate().map(line).chain(place(folder)).collect();
    printable(&lines.join("\n"))
}

/// Where the results are; nothing where they are in no folder.
fn place(folder: Option<&Path>) -> Option<String> {
    folder.map(|folder| format!("results in {}", folder.display()))
}

/// The summaries of runs as JSON, with their folder, if they are in one.
pub(super) fn as_json(results: &[RunResult], folder: Option<&Path>) -> String {
    let summary = |result: &RunResult| -> Json {
        serde_json::from_str(&result.summary_json()).expect("a summary is JSON")
    };
    let runs: Vec<Json> = results.iter().map(summary).collect();
    format!("{:#}", json!({ "folder": folder, "runs": runs }))
}

fn outcome(result: &RunResult) -> String {
    let word = serde_json::to_value(result.report().outcome).expect("an outcome is a word");
    word.as_str().unwrap_or_default().to_owned()
}

fn figure(metric: &Metric) -> String {
    match &metric.estimate {
        None => format!("{} no number", metric.key()),
        Some(found) => {
            format!(
                "{} {:.6} {} ({:.6} to {:.6})",
                metric.key(),
                found.value,
                metric.unit,
                found.low,
                found.high
            )
        }
    }
}

/// Names come from files: what a terminal would obey is left out.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|char| if char.is_control() && char != '\n' { '\u{fffd}' } else { char }).collect()
}
