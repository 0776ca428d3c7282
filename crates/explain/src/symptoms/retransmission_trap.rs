//! The retransmission trap of single-packet messages.

use hopscope_measure::Report;

use crate::Findings;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::TRAPPED;
use crate::words::percent;

/// A message out of order is rejected, and is sent again only after the one that it waits for. Once in the trap, every
/// message is rejected.
pub(super) fn test(report: &Report, _: &Findings) -> Option<Symptom> {
    let rows = report.ledger.iter().filter(|row| row.is_of_every_class() && row.stage.is_out_of_order());
    let share: f64 = rows.map(|row| row.share).sum();
    let evidence = format!(
        "messages rejected as out of order spend {} of their lifetime waiting to be sent again",
        percent(share)
    );
    (share >= TRAPPED).then(|| Symptom::new(Pattern::RetransmissionTrap, evidence))
}
