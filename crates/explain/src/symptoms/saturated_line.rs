use hopscope_measure::{Report, ResourceRow};

use crate::chain::Chain;
use crate::nature::words;
use crate::symptom::{Symptom, percent};

/// A line is saturated from this use on.
const SATURATED: f64 = 0.9;

/// The root of most waiting, where it is a line that is in use nearly all the time.
fn saturated<'a>(report: &'a Report, chain: &Chain) -> Option<&'a ResourceRow> {
    let kinds = ["line", "output", "channel", "cable"];
    let lines = chain.roots().iter().map(|&(root, _)| &report.resources[root]);
    lines.take(1).find(|row| kinds.contains(&row.kind.as_str()) && row.utilisation >= SATURATED)
}

/// Whether there is such a line.
pub(crate) fn is_saturated(report: &Report, chain: &Chain) -> bool {
    saturated(report, chain).is_some()
}

/// The root of most waiting is a line that is in use nearly all the time.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let row = saturated(report, chain)?;
    Some(Symptom {
        name: "saturated line",
        evidence: format!("{} is in use for {} of the time", words(row), percent(row.utilisation)),
        source: "Kleinrock 1964: the delay of a line grows as 1/(1 - use)",
    })
}
