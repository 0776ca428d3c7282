//! A host that causes the waiting.

use hopscope_measure::{Report, ResourceKind, ResourceRow};

use crate::Findings;
use crate::round_trip::{full_windows, longest_at};
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::SLOW_HOST;
use crate::words::{percent, words};

/// The root of most waiting is a host, or a host's processor; or the round trips of a full window are spent there more
/// than elsewhere.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let root = found.chain.roots().first().map(|&(root, _)| &report.resources[root]);
    if let Some(row) = root.filter(|row| row.kind.is_host() && row.utilisation >= SLOW_HOST) {
        let evidence = format!("{} is {} utilised", words(row), percent(row.utilisation));
        return Some(Symptom::new(pattern(row), evidence).of(row));
    }
    let (window, _) = full_windows(report).next()?;
    let (at, share) = longest_at(report, &found.chain, window)?;
    let row = &report.resources[at];
    // Of two hosts, such as the sender and the receiver, messages wait for one: that one is reported.
    let found = match root.filter(|root| root.kind.is_host()) {
        Some(root) => {
            let evidence = format!("{} is {} utilised", words(root), percent(root.utilisation));
            Symptom::new(pattern(root), evidence).of(root)
        }
        None => {
            let evidence = format!("{} of a round trip is spent at {}", percent(share), words(row));
            Symptom::new(pattern(row), evidence)
        }
    };
    row.kind.is_host().then_some(found)
}

/// A logical unit of SNA is no host.
const fn pattern(row: &ResourceRow) -> Pattern {
    match row.kind {
        ResourceKind::Unit => Pattern::SlowUnit,
        _ => Pattern::SlowHost,
    }
}
