use hopscope_measure::Report;

use crate::chain::Chain;
use crate::nature::{Nature, words};
use crate::symptom::{Symptom, percent};

/// Below this use a line or server has time to spare.
const IDLE: f64 = 0.5;

/// At random arrivals and services as uneven as exponential ones, use u makes u^2/(1 - u) wait: so many times that is a burst.
const TIMES: f64 = 4.0;

/// Messages wait at a resource that is idle most of the time: they come at once.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let &(root, _) = chain.roots().first()?;
    let row = &report.resources[root];
    let use_ = row.utilisation;
    let at_random = use_ * use_ / (1.0 - use_).max(f64::MIN_POSITIVE);
    let burst = Nature::of(row) == Nature::Works && row.capacity == Some(1.0) && use_ < IDLE;
    (burst && chain.waiting(root) >= TIMES * at_random && use_ > 0.0).then(|| Symptom {
        name: "synchronised bursts",
        evidence: format!(
            "{} is idle for {} of the time, yet {:.2} wait for it on average where random arrivals would make {at_random:.2}",
            words(row),
            percent(1.0 - use_),
            chain.waiting(root)
        ),
        source: "Kleinrock 1975, M/M/1",
    })
}
