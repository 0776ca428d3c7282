//! What a round trip of a window is made of.

use std::collections::BTreeMap;

use hopscope_measure::{Report, ResourceRow};

use crate::nature::Nature;

/// A window is full where it is in use for at least this share of the time: the sender hardly ever lacks something to send.
const FULL: f64 = 0.9;

/// Whether a resource bounds what a sender may have outstanding.
pub(crate) fn is_window(row: &ResourceRow) -> bool {
    row.kind == "allocation"
}

/// The windows that are full nearly all the time.
pub(crate) fn full_windows(report: &Report) -> impl Iterator<Item = (usize, &ResourceRow)> {
    report.resources.iter().enumerate().filter(|(_, row)| is_window(row) && row.utilisation >= FULL)
}

/// The resource at which messages spend more of their life than at any other, if it is one that works: the place of it where most
/// wait, and the share.
///
/// Where a window lets only so much be under way, nothing need be busy all the time for this one to hold it back: what a round trip
/// is made of one after the other adds up. Waits for what is no resource of the report are waits for other messages, whose time is
/// spent elsewhere, and do not count.
pub(crate) fn longest_at(report: &Report) -> Option<(usize, f64)> {
    let mut spent: BTreeMap<&str, f64> = BTreeMap::new();
    for row in report.ledger.iter().filter(|row| row.class == "all") {
        if row.kind == "service" || places(report, &row.resource).next().is_some() {
            *spent.entry(&row.resource).or_default() += row.share;
        }
    }
    let (resource, share) = spent.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let key = |row: &ResourceRow| (row.waiting, row.utilisation);
    let most = places(report, resource).max_by(|a, b| {
        let ((wait_a, use_a), (wait_b, use_b)) = (key(a.1), key(b.1));
        wait_a.total_cmp(&wait_b).then(use_a.total_cmp(&use_b)).then(b.0.cmp(&a.0))
    });
    most.map(|(at, _)| (at, share))
}

/// The rows of a resource that works, by its name.
fn places<'a>(report: &'a Report, resource: &'a str) -> impl Iterator<Item = (usize, &'a ResourceRow)> {
    let rows = report.resources.iter().enumerate();
    rows.filter(move |(_, row)| row.name == resource && Nature::of(row) == Nature::Works)
}
