//! A window that is always full.

use hopscope_measure::{Outstanding, Report, ResourceRow};

use crate::Findings;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::FULL_WINDOW;
use crate::words::{percent, words};

/// Whether a resource limits what its senders have outstanding.
fn limits(row: &ResourceRow) -> bool {
    match row.kind.outstanding() {
        Outstanding::Window => true,
        Outstanding::WindowWhereAwaited => row.waiting > 0.0,
        Outstanding::NoWindow => false,
    }
}

/// A window that is always full, with nothing scarce behind it: throughput is the window over the round trip.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let rows = report.resources.iter().enumerate();
    let mut full = rows
        .filter(|&(at, row)| limits(row) && row.utilisation >= FULL_WINDOW && found.chain.root_of(at) == at);
    let (_, row) = full.next()?;
    let rate = row.acquisitions as f64 / report.measured.span_s.max(f64::MIN_POSITIVE);
    let evidence = format!(
        "{}: {} in use; {:.1} {} outstanding over a round trip of {:.4} s make {rate:.2} messages/s",
        words(row),
        percent(row.utilisation),
        row.occupancy,
        row.unit,
        row.occupancy / rate.max(f64::MIN_POSITIVE)
    );
    Some(Symptom::new(Pattern::WindowLimit, evidence))
}
