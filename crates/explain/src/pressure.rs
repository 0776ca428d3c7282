//! The pressure on a resource, and the messages that wait because of it.

use hopscope_measure::{Nature, Report, ResourceKind, ResourceRow, WaitersAt};

/// Reassembly buffers are allocated for a whole multipacket message: at most this many packets.
const LOT: f64 = 8.0;

/// The share of time in which none of a resource is free, 0 to 1: its utilisation. For a resource that is held, the
/// share of its users that wait for some of it where that is greater: bursts can wait during all of the time in which
/// an entry is held, though it is held half of the time. Where messages need whole lots, a remainder smaller than a lot
/// does not count as free.
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

/// The pressure on a row of a report. A station of several servers has none free only while all of them work.
pub(crate) fn pressure_at(report: &Report, at: usize) -> f64 {
    report.evidence.exhausted.get(&at).copied().unwrap_or_else(|| pressure(&report.resources[at]))
}

/// The remainder of a resource that is smaller than a lot, and its capacity, where messages need whole lots.
#[must_use]
pub fn unusable(row: &ResourceRow) -> Option<[f64; 2]> {
    let is_in_lots = row.kind == ResourceKind::ReassemblyBuffers && row.waiting > 0.0;
    let capacity = row.capacity.filter(|&capacity| is_in_lots && capacity >= LOT)?;
    let left = capacity % LOT;
    (left > 0.0).then_some([left, capacity])
}

/// The mean number of messages that wait because of the resource: for it, or in it. In a queue, those beyond `served`
/// count.
#[must_use]
pub fn waiters(row: &ResourceRow, served: f64) -> f64 {
    match row.kind.waiters() {
        WaitersAt::Waiting => row.waiting,
        WaitersAt::BeyondServed => (row.occupancy - served).max(0.0),
        WaitersAt::Elsewhere => 0.0,
    }
}

/// The unit of what waits because of the resource, in the plural.
#[must_use]
pub fn waiting_unit(row: &ResourceRow) -> &str {
    match row.kind {
        ResourceKind::Output | ResourceKind::InputFifo => "packets",
        ResourceKind::OutputQueue => &row.unit,
        _ => "messages",
    }
}
