use hopscope_measure::Report;

use crate::chain::Chain;
use crate::nature::words;
use crate::round_trip::is_window;
use crate::symptom::{Symptom, percent};

/// A window is full where it is in use for at least this share of the time.
const FULL: f64 = 0.9;

/// A window that is always full, with nothing short behind it: throughput is the window over the round trip.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let rows = report.resources.iter().enumerate();
    let mut full = rows.filter(|&(at, row)| {
        let numbers = row.name == "message numbers" && row.waiting > 0.0;
        (is_window(row) || numbers) && row.utilisation >= FULL && chain.root_of(at) == at
    });
    let (_, row) = full.next()?;
    let rate = row.acquisitions as f64 / report.measured.span_s.max(f64::MIN_POSITIVE);
    Some(Symptom {
        name: "window limit",
        evidence: format!(
            "{}, {} in use: {:.1} outstanding over a round trip of {:.4} s make {rate:.2} messages/s",
            words(row),
            percent(row.utilisation),
            row.occupancy,
            row.occupancy / rate.max(f64::MIN_POSITIVE)
        ),
        source: "Little 1961; Kleinrock and Opderbeck 1977, section III",
    })
}
