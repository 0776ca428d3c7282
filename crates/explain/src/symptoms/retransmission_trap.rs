use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::{Symptom, percent};

/// Messages wait for retransmissions, or for their turn after a rejection, for at least this share of their life.
const SHARE: f64 = 0.2;

/// What comes out of order is rejected, and is sent again only after what it waits for: RFC 632.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let trapped = |stage: &str| stage.starts_with("retransmission") || stage == "out-of-order wait";
    let rows = report.ledger.iter().filter(|row| row.class == "all" && trapped(&row.stage));
    let share: f64 = rows.map(|row| row.share).sum();
    (share >= SHARE).then(|| Symptom {
        name: "retransmission trap",
        evidence: format!("messages wait to be sent again for {} of their life", percent(share)),
        source: "RFC 632",
    })
}
