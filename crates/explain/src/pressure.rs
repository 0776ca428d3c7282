//! How hard a resource is pressed, and who waits because of it.

use hopscope_measure::{Nature, ResourceKind, ResourceRow, WaitersAt};

/// How much of the time a resource has nothing to spare, 0 to 1: the utilisation. Of what is held, also the share of
/// those there who wait for some of it, where that is more: an entry held half of the time can be waited for all of it
/// by bursts.
#[must_use]
pub fn pressure(row: &ResourceRow) -> f64 {
    let waiting = if row.waiting > 0.0 { row.waiting / (row.waiting + row.occupancy) } else { 0.0 };
    match row.kind.nature() {
        Nature::Works => row.utilisation,
        Nature::Held => row.utilisation.max(waiting),
        Nature::Queue => 0.0,
    }
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
