//! Mean occupancy by holder, and what each holder waits for.
//!
//! How long a holder holds follows from Little: the mean amount held, times the window, over the amount that came to be
//! held so. What it waits for meanwhile is what its resource depends on, if that is scarce, and the ledger's waits that
//! are spent in holding.

use hopscope_measure::{HeldIn, HoldCause, HoldWhy, Report, ResourceKind, ResourceRow};
use serde::Serialize;

use crate::chain::{Chain, is_scarce_for};
use crate::lifetime::Lifetime;
use crate::pressure::pressure;
use crate::thresholds::{LEAST_FOLLOWED, LEAST_HOLDER};
use crate::words::words;

/// Resources listed at most.
const LISTED: usize = 8;

/// Of those that are waited for most, so many.
const MOST_WAITED: usize = 3;

/// Of each holder so many waits are told.
const WAITS: usize = 2;

/// A resource with who holds it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Holding {
    /// The resource in words.
    pub resource: String,
    /// Its kind.
    pub kind: ResourceKind,
    /// Its place.
    pub place: String,
    /// How much there is of it; nothing where it is unbounded.
    pub capacity: Option<f64>,
    /// What is counted.
    pub unit: String,
    /// Who takes some of it and until when, where that is a rule of the protocol.
    pub rule: Option<&'static str>,
    /// Mean amount held.
    pub occupancy: f64,
    /// Mean number that wait for it.
    pub waiting: f64,
    /// Its holders, those with most first.
    pub holders: Vec<Holder>,
}

/// Those who hold some of a resource for one cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Holder {
    /// What they do meanwhile.
    pub cause: HoldCause,
    /// What that means.
    pub meaning: &'static str,
    /// Mean amount held so: of a link, the share of time.
    pub occupancy: f64,
    /// What that counts: frames and packets, where it is these, else what the resource is counted in.
    pub unit: String,
    /// Of all that is held, 0 to 1.
    pub share: f64,
    /// How long each stays so, microseconds, where the model counts them.
    pub each_us: Option<f64>,
    /// What they wait for.
    pub waits_for: Vec<WaitOfHolder>,
}

/// What a holder waits for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitOfHolder {
    /// A scarce resource that it needs before it gives back what it holds.
    Resource {
        /// In words.
        resource: String,
        /// Mean share of it in use, 0 to 1.
        utilisation: f64,
    },
    /// A wait of the ledger.
    Stage {
        /// As a clause.
        meaning: &'static str,
        /// The mean over all messages, microseconds.
        mean_us: f64,
    },
}

/// The holders of the resources that matter: those on the path from waiters to root, those that the source waits for,
/// those most waited for, and what their holders need by the protocol.
pub(crate) fn holders(report: &Report, chain: &Chain, path: &[usize], lifetime: &Lifetime) -> Vec<Holding> {
    let mut ahead: Vec<usize> = path.to_vec();
    ahead.extend(lifetime.source.iter().filter_map(|time| most_waited(report, time.pool?)));
    let mut waited: Vec<usize> =
        (0..report.resources.len()).filter(|&row| chain.waiting(row) > 0.0).collect();
    waited.sort_by(|&a, &b| chain.waiting(b).total_cmp(&chain.waiting(a)).then(a.cmp(&b)));
    ahead.extend(waited.into_iter().take(MOST_WAITED));
    let mut seen: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    while next < ahead.len() && found.len() < LISTED {
        let row = ahead[next];
        next += 1;
        if seen.contains(&row) || report.resources[row].occupancy <= 0.0 {
            continue;
        }
        seen.push(row);
        let holding = holding(report, chain, row, lifetime);
        // What a holder needs by the protocol comes next: the chain of holders goes on there.
        let followed = holding.holders.iter().filter(|holder| holder.share >= LEAST_FOLLOWED);
        let needed = followed.flat_map(|holder| holder.cause.why.needs());
        let felt = needed.filter(|&&kind| kind != report.resources[row].kind && lifetime.waits_for(kind));
        let needed: Vec<usize> = felt.filter_map(|&kind| most_waited(report, kind)).collect();
        ahead.splice(next..next, needed);
        found.push(holding);
    }
    found
}

/// Where this sort of resource is waited for longest, of the places whose holders are known.
fn most_waited(report: &Report, kind: ResourceKind) -> Option<usize> {
    let rows = report.resources.iter().enumerate();
    let known = rows.filter(|(_, row)| row.kind == kind && !row.held_in.is_empty());
    let most = known.max_by(|(a, one), (b, other)| {
        let order = one.waiting.total_cmp(&other.waiting).then(one.occupancy.total_cmp(&other.occupancy));
        order.then(b.cmp(a))
    });
    most.map(|(at, _)| at)
}

fn holding(report: &Report, chain: &Chain, at: usize, lifetime: &Lifetime) -> Holding {
    let row = &report.resources[at];
    let parts = parts(row);
    let held: f64 = parts.iter().map(|part| part.occupancy).sum();
    let share = |part: &HeldIn| if held > 0.0 { part.occupancy / held } else { 0.0 };
    let worth = parts.iter().filter(|part| share(part) >= LEAST_HOLDER);
    let mut holders: Vec<Holder> = worth
        .map(|part| Holder {
            cause: part.cause,
            meaning: part.cause.why.meaning(),
            occupancy: part.occupancy,
            unit: unit_of(part, row).to_owned(),
            share: share(part),
            each_us: (part.entered > 0)
                .then(|| part.occupancy * report.measured.span_s * 1e6 / part.entered as f64),
            waits_for: waits_of(report, chain, at, part, lifetime),
        })
        .collect();
    holders.sort_by(|a, b| b.occupancy.total_cmp(&a.occupancy));
    Holding {
        resource: words(row),
        kind: row.kind,
        place: row.place.clone(),
        capacity: row.capacity,
        unit: row.unit.clone(),
        rule: row.kind.rule(),
        occupancy: row.occupancy,
        waiting: row.waiting,
        holders,
    }
}

/// What is counted of what is held so: the amount of a buffer is told in bytes, and what is in it one by one.
fn unit_of<'a>(part: &HeldIn, row: &'a ResourceRow) -> &'a str {
    match part.cause.why {
        HoldWhy::Frames => "frames",
        HoldWhy::Packets => "packets",
        _ => &row.unit,
    }
}

/// What is held for each cause; of a resource whose model tells no causes, all that is held.
fn parts(row: &ResourceRow) -> Vec<HeldIn> {
    if row.held_in.is_empty() {
        let all = HeldIn { cause: HoldWhy::All.into(), occupancy: row.occupancy, entered: row.acquisitions };
        return vec![all];
    }
    row.held_in.clone()
}

/// What the holders of a resource wait for while they hold it so: scarce resources first, then stages.
fn waits_of(
    report: &Report,
    chain: &Chain,
    at: usize,
    part: &HeldIn,
    lifetime: &Lifetime,
) -> Vec<WaitOfHolder> {
    let holder = &report.resources[at];
    let needs = chain.needs(at).iter().filter(|(cause, _)| cause.is_none_or(|cause| cause == part.cause));
    let mut scarce: Vec<&ResourceRow> =
        needs.map(|&(_, row)| &report.resources[row]).filter(|next| is_scarce_for(holder, next)).collect();
    scarce.sort_by(|a, b| {
        (pressure(b), b.waiting).partial_cmp(&(pressure(a), a.waiting)).expect("they are numbers")
    });
    let resources = scarce.iter().take(WAITS);
    let mut waits: Vec<WaitOfHolder> = resources
        .map(|row| WaitOfHolder::Resource { resource: words(row), utilisation: row.utilisation })
        .collect();
    let stages = part.cause.why.stages();
    let spent = lifetime.waits.iter().filter(|time| stages.contains(&time.stage));
    waits.extend(
        spent.take(WAITS).map(|time| WaitOfHolder::Stage { meaning: time.meaning, mean_us: time.mean_us }),
    );
    waits
}
