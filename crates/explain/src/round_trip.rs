//! The parts of a window's round trip.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Charged, Nature, Outstanding, Report, ResourceKind, ResourceRow, StageId, StageKind};

use crate::chain::Chain;
use crate::thresholds::{FULL_WINDOW, MOSTLY};

/// The windows that are full nearly all the time.
pub(crate) fn full_windows(report: &Report) -> impl Iterator<Item = (usize, &ResourceRow)> {
    let rows = report.resources.iter().enumerate();
    rows.filter(|(_, row)| limits(row) && row.utilisation >= FULL_WINDOW)
}

/// Whether a resource limits how much its senders have outstanding.
fn limits(row: &ResourceRow) -> bool {
    match row.kind.outstanding() {
        Outstanding::Window => true,
        Outstanding::WindowWhereAwaited => row.waiting > 0.0,
        Outstanding::NoWindow => false,
    }
}

/// The working resource at which messages spend the largest share of their lifetime, and that share.
///
/// A window limits throughput although no resource is busy all the time: the parts of its round trip add up. Waits that
/// belong to no resource of the report are waits for other messages, whose time is counted elsewhere, and do not count;
/// nor do waits for outputs, since the ledger charges the bits on links to the path as a whole. Where the model lists
/// what the window's holders may need, the resource is one of these.
///
/// The ledger's time of a kind, such as all lines, is divided among its rows by the number of messages that wait there
/// or are served.
///
/// At least one packet is on its round trip at any time, so a resource that serves it for a share of the trip is busy
/// for at least that share. Where it is less busy, the time is propagation, which a faster resource does not shorten.
pub(crate) fn longest_at(report: &Report, chain: &Chain, window: usize) -> Option<(usize, f64)> {
    let mut spent: BTreeMap<Charged, f64> = BTreeMap::new();
    for row in report.ledger.iter().filter(|row| row.is_of_every_class()) {
        if row.kind == StageKind::Service || places(report, row.resource).next().is_some() {
            *spent.entry(row.resource).or_default() += row.share;
        }
    }
    // Propagation does not occupy a line, and a faster line does not shorten it.
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

/// The share of propagation, of a message and its reply, in the lifetime. The reply's stage contains its propagation
/// and transmission; the reply travels as far as the message did.
pub(crate) fn travelling(report: &Report) -> f64 {
    let of = |stage: StageId| -> f64 {
        let rows = report.ledger.iter().filter(|row| row.is_of_every_class() && row.stage == stage);
        rows.map(|row| row.share).sum()
    };
    let out = of(StageId::Propagation);
    out + out.min(of(StageId::RfnmTransit))
}

/// The rows of a charged kind of resource, if it works and the ledger charges it with all of its work.
fn places(report: &Report, charged: Charged) -> impl Iterator<Item = (usize, &ResourceRow)> {
    let rows = report.resources.iter().enumerate();
    rows.filter(move |(_, row)| {
        let is_all = row.kind.nature() == Nature::Works && row.kind != ResourceKind::Output;
        is_all && Charged::To(row.kind) == charged
    })
}
