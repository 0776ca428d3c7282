use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::Symptom;

/// Messages wait for one another in a circle, or nothing has arrived for as long as the model allows.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    report.stuck.as_ref().map(|stuck| Symptom {
        name: "deadlock",
        evidence: stuck.reason.clone(),
        source: "Owicki and Karlin 1992 (SRC report 88), section 3.2",
    })
}
