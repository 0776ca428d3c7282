use hopscope_measure::{Report, ResourceRow};

use crate::chain::Chain;
use crate::nature::words;
use crate::round_trip::{full_windows, longest_at};
use crate::symptom::{Symptom, percent};

/// A host is slow where it is busy for at least this share of the time and behind the waiting.
const BUSY: f64 = 0.8;

/// The root of most waiting is a host, or a host's processor; or the round trips of a full window are spent there more than elsewhere.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let named = |evidence| Symptom {
        name: "slow host",
        evidence,
        source: "Boggs, Shoch, Taft and Metcalfe 1980 (IEN 138), comments on the table",
    };
    let root = chain.roots().first().map(|&(root, _)| &report.resources[root]);
    if let Some(row) = root.filter(|row| is_host(row) && row.utilisation >= BUSY) {
        return Some(named(format!("{} is busy for {} of the time", words(row), percent(row.utilisation))));
    }
    full_windows(report).next()?;
    let (at, share) = longest_at(report)?;
    let row = &report.resources[at];
    is_host(row).then(|| named(format!("{} of a round trip is spent at {}", percent(share), words(row))))
}

/// A host or its processor, but not the link that leads to it.
fn is_host(row: &ResourceRow) -> bool {
    row.name.contains("host") && row.kind != "output"
}
