//! Messages that arrive together.

use hopscope_measure::{Nature, Report};

use crate::Findings;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::{IDLE, TIMES_AT_RANDOM};
use crate::words::{percent, words};

/// Messages wait at a resource that is idle most of the time: they come at once.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let &(root, _) = found.chain.roots().first()?;
    let row = &report.resources[root];
    let use_ = row.utilisation;
    let at_random = use_ * use_ / (1.0 - use_).max(f64::MIN_POSITIVE);
    let burst = row.kind.nature() == Nature::Works && row.capacity == Some(1.0) && use_ < IDLE;
    let waiting = found.chain.waiting(root);
    (burst && waiting >= TIMES_AT_RANDOM * at_random && use_ > 0.0).then(|| {
        let evidence = format!(
            "{} is idle {} of the time, yet {waiting:.2} messages wait for it on average; random arrivals would make \
             {at_random:.2} wait",
            words(row),
            percent(1.0 - use_)
        );
        Symptom::new(Pattern::SynchronisedBursts, evidence)
    })
}
