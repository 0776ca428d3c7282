//! How hard a resource is pressed, and who waits because of it.

use hopscope_measure::{Nature, Report, ResourceKind, ResourceRow, WaitersAt};

/// Reassembly buffers are promised for a whole multipacket message, of up to so many packets.
const LOT: f64 = 8.0;

/// How much of the time a resource has nothing to spare, 0 to 1: the utilisation. Of what is held, also the share of
/// those there who wait for some of it, where that is more: an entry held half of the time can be waited for all of it
/// by bursts. Where messages wait for lots, what is left beside whole lots is nothing to spare.
#[must_use]
pub fn pressure(row: &ResourceRow) -> f64 {
    let waiting = if row.waiting > 0.0 { row.waiting / (row.waiting + row.occupancy) } else { 0.0 };
    match row.kind.nature() {
        Nature::Works => row.utilisation,
        Nature::Held => match unusable(row) {
            Some([left, capacity]) => (row.occupancy / (capacity - left)).min(1.0).max(waiting),
            None => row.utilisation.max(waiting),
        },
        Nature::Queue => 0.0,
    }
}

/// The same of a row of a report. Of several servers some are free while the others work: they have nothing to spare
/// only while all of them do.
pub(crate) fn pressure_at(report: &Report, at: usize) -> f64 {
    report.evidence.exhausted.get(&at).copied().unwrap_or_else(|| pressure(&report.resources[at]))
}

/// How much of a resource is left beside whole lots, and how much there is of it, where messages wait for lots.
#[must_use]
pub fn unusable(row: &ResourceRow) -> Option<[f64; 2]> {
    let is_in_lots = row.kind == ResourceKind::ReassemblyBuffers && row.waiting > 0.0;
    let capacity = row.capacity.filter(|&capacity| is_in_lots && capacity >= LOT)?;
    let left = capacity % LOT;
    (left > 0.0).then_some([left, capacity])
}

/// The mean number of messages that wait because of the resource: for it, or in it. Of a queue, those beyond `served`.
#[must_use]
pub fn waiters(row: &ResourceRow, served: f64) -> f64 {
    match row.kind.waiters() {
        WaitersAt::Waiting => row.waiting,
        WaitersAt::BeyondServed => (row.occupancy - served).max(0.0),
        WaitersAt::Elsewhere => 0.0,
    }
}

/// What those are that wait because of the resource, in the plural.
#[must_use]
pub fn waiting_unit(row: &ResourceRow) -> &str {
    match row.kind {
        ResourceKind::Output | ResourceKind::InputFifo => "packets",
        ResourceKind::OutputQueue => &row.unit,
        _ => "messages",
    }
}
