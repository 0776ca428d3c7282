//! Deadlock.

use hopscope_measure::Report;

use crate::Findings;
use crate::symptom::{Pattern, Symptom};

/// Messages wait for one another in a cycle, or nothing has arrived for as long as the model allows.
pub(super) fn test(report: &Report, _: &Findings) -> Option<Symptom> {
    report.stuck.as_ref().map(|stuck| Symptom::new(Pattern::Deadlock, stuck.reason.clone()))
}
