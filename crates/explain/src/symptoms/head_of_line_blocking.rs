use std::collections::BTreeSet;

use hopscope_measure::{Report, ResourceRow};

use crate::chain::Chain;
use crate::symptom::{Symptom, percent};

/// At least this share of the packets in FIFOs are behind others.
const BEHIND: f64 = 0.2;

/// At least this share of the heads wait for their outputs: else heads move on at once and FIFOs are mere queues. Heads are compared with
/// heads, as the number behind them only tells how much a FIFO holds.
const HEADS: f64 = 0.2;

/// With heads that contend at random no output of a large FIFO switch is in use more than this: 2 - sqrt 2.
const FIFO_LIMIT: f64 = 0.586;

/// An output that is busier than this explains its waiters itself.
const FULL: f64 = 0.9;

/// Packets that wait behind others whose outputs are not full.
pub(crate) struct Blocked {
    /// The row of the FIFO with most of them.
    pub worst: usize,
    /// The share of them that are in that FIFO.
    pub there: f64,
    /// How busy the outputs are that heads wait for, weighed by how many wait.
    pub busy: f64,
    /// Of the packets in FIFOs, the share that are behind others.
    behind: f64,
}

/// What waits behind heads whose outputs are not full, if anything is held back so.
pub(crate) fn blocked(report: &Report) -> Option<Blocked> {
    let fifos = || report.resources.iter().enumerate().filter(|(_, row)| row.kind == "fifo");
    let waiting: f64 = fifos().map(|(_, row)| row.waiting).sum();
    let present: f64 = fifos().flat_map(|(_, row)| &row.held_in).map(|held| held.occupancy).sum();
    // Who waits for a host's link waits in the host, behind nobody's head.
    let switches: BTreeSet<&str> = fifos().map(|(_, row)| switch_of(row)).collect();
    let outputs = || {
        let outputs = report.resources.iter().filter(|row| row.kind == "output" && row.waiting > 0.0);
        outputs.filter(|row| switches.contains(switch_of(row)))
    };
    let wanted: f64 = outputs().map(|row| row.waiting).sum();
    let busy = outputs().map(|row| row.waiting * row.utilisation).sum::<f64>() / wanted;
    let (worst, row) = fifos().max_by(|a, b| a.1.waiting.total_cmp(&b.1.waiting).then(b.0.cmp(&a.0)))?;
    let is_so = waiting > BEHIND * present && wanted > HEADS * (present - waiting) && busy < FULL;
    is_so.then_some(Blocked { worst, there: row.waiting / waiting, busy, behind: waiting / present })
}

/// The switch of a row: its place without the port.
fn switch_of(row: &ResourceRow) -> &str {
    row.place.rsplit_once(':').map_or(&row.place, |(switch, _)| switch)
}

/// Packets wait behind heads whose outputs are not full: those behind could go elsewhere meanwhile.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let Blocked { busy, behind, .. } = blocked(report)?;
    Some(Symptom {
        name: "head-of-line blocking",
        evidence: format!(
            "{} of the packets in FIFOs are behind others, and the heads wait for outputs that are {} busy \
             (a large switch with FIFOs carries {})",
            percent(behind),
            percent(busy),
            percent(FIFO_LIMIT)
        ),
        source: "Karol, Hluchyj and Morgan 1987, section III",
    })
}
