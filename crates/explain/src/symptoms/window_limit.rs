//! A window that is always full.

use hopscope_measure::{Report, ResourceKind};

use crate::Findings;
use crate::round_trip::full_windows;
use crate::symptom::{Pattern, Symptom};
use crate::words::{duration, figures, percent, rate, words};

/// A window that is always full, with nothing scarce behind it: throughput is the window over the round trip.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let (at, row) = full_windows(report).find(|&(at, _)| found.chain.root_of(at) == at)?;
    // A window that was never acquired in the measured time has no round trip.
    if row.acquisitions == 0 {
        return None;
    }
    let taken_s = row.acquisitions as f64 / report.measured.span_s.max(f64::MIN_POSITIVE);
    let throughput = match row.kind {
        ResourceKind::Credits => rate(8.0 * taken_s),
        ResourceKind::FlowWindow => format!("{} frames/s", figures(taken_s)),
        _ => format!("{} messages/s", figures(taken_s)),
    };
    let paced = report.evidence.paced.get(&at).map_or_else(String::new, |size| {
        format!(" (pacing with a window of {size} lets up to {} out)", 2 * size - 1)
    });
    let evidence = format!(
        "{}: {} in use; {:.1} {} outstanding{paced} over a round trip of {} make {throughput}",
        words(row),
        percent(row.utilisation),
        row.occupancy,
        row.unit,
        duration(row.occupancy / taken_s.max(f64::MIN_POSITIVE))
    );
    Some(Symptom::new(Pattern::WindowLimit, evidence))
}
