use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::{Symptom, percent};

/// At least this share of the packets in FIFOs are behind others.
const BEHIND: f64 = 0.2;

/// For each packet behind others, at least so many heads wait: else heads move on at once and FIFOs are mere queues.
const HEADS: f64 = 0.2;

/// With heads that contend at random no output of a large FIFO switch is in use more than this: 2 - sqrt 2.
const FIFO_LIMIT: f64 = 0.586;

/// An output that is busier than this explains its waiters itself.
const FULL: f64 = 0.9;

/// Packets wait behind heads whose outputs are not full: those behind could go elsewhere meanwhile.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let fifos = || report.resources.iter().filter(|row| row.kind == "fifo");
    let waiting: f64 = fifos().map(|row| row.waiting).sum();
    let present: f64 = fifos().flat_map(|row| &row.held_in).map(|held| held.occupancy).sum();
    let outputs = || report.resources.iter().filter(|row| row.kind == "output" && row.waiting > 0.0);
    let wanted: f64 = outputs().map(|row| row.waiting).sum();
    let busy: f64 = outputs().map(|row| row.waiting * row.utilisation).sum();
    let blocked = waiting > BEHIND * present && wanted > HEADS * waiting && busy / wanted < FULL;
    blocked.then(|| Symptom {
        name: "head-of-line blocking",
        evidence: format!(
            "{} of the packets in FIFOs are behind others, and the heads wait for outputs that are {} busy \
             (a large switch with FIFOs carries {})",
            percent(waiting / present),
            percent(busy / wanted),
            percent(FIFO_LIMIT)
        ),
        source: "Karol, Hluchyj and Morgan 1987, section III",
    })
}
