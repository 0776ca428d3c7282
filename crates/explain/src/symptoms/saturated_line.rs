use hopscope_measure::Report;

use crate::chain::Chain;
use crate::nature::words;
use crate::symptom::{Symptom, percent};

/// A line is saturated from this use on.
const SATURATED: f64 = 0.9;

/// The root of most waiting is a line that is in use nearly all the time.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let kinds = ["line", "output", "channel", "cable"];
    let lines = chain.roots().iter().map(|&(root, _)| &report.resources[root]);
    let row = lines.take(1).find(|row| kinds.contains(&row.kind.as_str()) && row.utilisation >= SATURATED)?;
    Some(Symptom {
        name: "saturated line",
        evidence: format!("{} is in use for {} of the time", words(row), percent(row.utilisation)),
        source: "Kleinrock 1964: the delay of a line grows as 1/(1 - use)",
    })
}
