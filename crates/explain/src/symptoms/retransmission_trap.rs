use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::{Symptom, percent};

/// Messages wait for their turn after a rejection for at least this share of their life.
const SHARE: f64 = 0.2;

/// What comes out of order is rejected, and is sent again only after what it waits for. Once in the trap, every message is rejected.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let rows = report.ledger.iter().filter(|row| row.class == "all" && row.stage == "out-of-order wait");
    let share: f64 = rows.map(|row| row.share).sum();
    (share >= SHARE).then(|| Symptom {
        name: "retransmission trap",
        evidence: format!(
            "messages rejected as out of order wait to be sent again for {} of a message's life",
            percent(share)
        ),
        source: "RFC 632",
    })
}
