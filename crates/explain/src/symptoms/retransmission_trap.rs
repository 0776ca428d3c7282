use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::{Symptom, percent};

/// The stage of a message that was rejected because others had to come before it.
pub(crate) const OUT_OF_ORDER: &str = "out-of-order wait";

/// Messages wait for their turn after a rejection for at least this share of their life.
const SHARE: f64 = 0.2;

/// What comes out of order is rejected, and is sent again only after what it waits for. Once in the trap, every message is rejected.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let rows = report.ledger.iter().filter(|row| row.class == "all" && row.stage == OUT_OF_ORDER);
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
