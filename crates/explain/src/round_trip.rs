//! What a round trip of a window is made of.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Charged, Nature, Outstanding, Report, ResourceKind, ResourceRow, StageId, StageKind};

use crate::chain::Chain;
use crate::thresholds::{FULL_WINDOW, MOSTLY};

/// The windows that are full nearly all the time.
pub(crate) fn full_windows(report: &Report) -> impl Iterator<Item = (usize, &ResourceRow)> {
    let rows = report.resources.iter().enumerate();
    rows.filter(|(_, row)| limits(row) && row.utilisation >= FULL_WINDOW)
}

/// Whether a resource limits what its senders have outstanding.
fn limits(row: &ResourceRow) -> bool {
    match row.kind.outstanding() {
        Outstanding::Window => true,
        Outstanding::WindowWhereAwaited => row.waiting > 0.0,
        Outstanding::NoWindow => false,
    }
}

/// The resource that works at which messages spend more of their lifetime than at any other, and the share.
///
/// Where a window lets only so much be under way, nothing need be busy all the time for this one to hold it back: what
/// a round trip is made of one after the other adds up. Waits for what is no resource of the report are waits for other
/// messages, whose time is spent elsewhere, and do not count; nor do waits for outputs, since the ledger charges the
/// bits on links to the path as a whole. The place is one that the window's holders may need, where the model tells.
///
/// The ledger tells of a kind, such as all lines: each has the part of it of those that wait for it or are served.
///
/// One packet at least is on its round trip all the time, so what it is served by for a share of that is busy for as
/// much. Where it is not, the time is that of the way, which a faster resource does not shorten.
pub(crate) fn longest_at(report: &Report, chain: &Chain, window: usize) -> Option<(usize, f64)> {
    let mut spent: BTreeMap<Charged, f64> = BTreeMap::new();
    for row in report.ledger.iter().filter(|row| row.is_of_every_class()) {
        if row.kind == StageKind::Service || places(report, row.resource).next().is_some() {
            *spent.entry(row.resource).or_default() += row.share;
        }
    }
    // What travels along a line occupies it for no longer than it is sent, and no faster line shortens that.
    let travels = travelling(report);
    let line = spent.get_mut(&Charged::To(ResourceKind::Line));
    if let Some(spent) = line {
        *spent = (*spent - travels).max(0.0);
    }
    let (&most, &share) = spent.iter().max_by(|a, b| a.1.total_cmp(b.1))?;
    places(report, most).next().filter(|_| share > travels)?;
    let needed: BTreeSet<usize> = chain.needs(window).iter().map(|&(_, row)| row).collect();
    let mut found: Vec<(usize, f64)> = Vec::new();
    for (&resource, &share) in &spent {
        let amount = |row: &ResourceRow| row.waiting + row.utilisation;
        let all: f64 = places(report, resource).map(|(_, row)| amount(row)).sum();
        let on_the_way = places(report, resource).filter(|(at, _)| needed.is_empty() || needed.contains(at));
        found.extend(on_the_way.map(|(at, row)| (at, share * amount(row) / all.max(f64::MIN_POSITIVE))));
    }
    let (at, share) = found.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (report.resources[at].utilisation >= MOSTLY * share).then_some((at, share))
}

/// The share of a lifetime in which a message, and then its reply, travel along links. The reply's stage has that with
/// its transmission; it comes back as far as the message went.
pub(crate) fn travelling(report: &Report) -> f64 {
    let of = |stage: StageId| -> f64 {
        let rows = report.ledger.iter().filter(|row| row.is_of_every_class() && row.stage == stage);
        rows.map(|row| row.share).sum()
    };
    let out = of(StageId::Propagation);
    out + out.min(of(StageId::RfnmTransit))
}

/// The rows of what the ledger charges, where it is a resource that works and is charged with all of its work.
fn places(report: &Report, charged: Charged) -> impl Iterator<Item = (usize, &ResourceRow)> {
    let rows = report.resources.iter().enumerate();
    rows.filter(move |(_, row)| {
        let is_all = row.kind.nature() == Nature::Works && row.kind != ResourceKind::Output;
        is_all && Charged::To(row.kind) == charged
    })
}
