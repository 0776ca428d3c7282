use hopscope_measure::Report;

use crate::chain::Chain;
use crate::nature::words;
use crate::symptom::{Symptom, percent};

/// A host is slow where it is busy for at least this share of the time and behind the waiting.
const BUSY: f64 = 0.8;

/// The root of most waiting is a host, or a host's processor.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let &(root, _) = chain.roots().first()?;
    let row = &report.resources[root];
    (row.name.contains("host") && row.kind != "output" && row.utilisation >= BUSY).then(|| Symptom {
        name: "slow host",
        evidence: format!("{} is busy for {} of the time", words(row), percent(row.utilisation)),
        source: "Boggs, Shoch, Taft and Metcalfe (IEN 138), section on performance",
    })
}
