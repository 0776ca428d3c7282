//! A line that is in use nearly all the time.

use hopscope_measure::{Report, ResourceKind, ResourceRow};

use crate::Findings;
use crate::chain::Chain;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::SATURATED_LINE;
use crate::words::{percent, words};

/// The root of most waiting, if it is a line that is in use nearly all the time with messages waiting: a single message
/// also uses its line all the time.
fn saturated<'a>(report: &'a Report, chain: &Chain) -> Option<&'a ResourceRow> {
    let root = chain.roots().first().map(|&(root, _)| &report.resources[root]);
    root.filter(|row| {
        chain.all_waiting() > 0.0 && row.kind.carries_bits() && row.utilisation >= SATURATED_LINE
    })
}

/// Whether there is such a line.
pub(crate) fn is_saturated(report: &Report, chain: &Chain) -> bool {
    saturated(report, chain).is_some()
}

/// The root of most waiting is a line that is in use nearly all the time.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let row = saturated(report, &found.chain)?;
    let evidence = format!("{} is {} utilised", words(row), percent(row.utilisation));
    let name = match row.kind {
        ResourceKind::Output => Pattern::SaturatedLink,
        _ => Pattern::SaturatedLine,
    };
    Some(Symptom::new(name, evidence).of(row))
}
