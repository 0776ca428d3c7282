//! Mean occupancy by holder, and what each holder waits for.
//!
//! The mean holding time follows from Little's law: the mean amount held, times the window, over the amount acquired. A
//! holder waits for what its resource depends on, if that is scarce, and in the ledger's waits that are spent holding.

use hopscope_measure::{HeldIn, HoldActivity, HoldWhy, Report, ResourceKind, ResourceRow};
use serde::Serialize;

use crate::chain::{Chain, is_scarce_for};
use crate::lifetime::Lifetime;
use crate::pressure::pressure;
use crate::thresholds::{LEAST_FOLLOWED, LEAST_HOLDER};
use crate::words::words;

/// At most this many resources are listed.
const LISTED: usize = 8;

/// At most this many of the most awaited resources are listed.
const MOST_WAITED: usize = 3;

/// At most this many waits are listed for each holder.
const WAITS_LISTED: usize = 2;

/// A resource with its holders.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Holding {
    /// The resource in words.
    pub resource: String,
    /// Its kind.
    pub kind: ResourceKind,
    /// Its place.
    pub place: String,
    /// Its capacity, in `unit`; nothing where it is unbounded.
    pub capacity: Option<f64>,
    /// The unit of capacity and occupancy.
    pub unit: String,
    /// The rule of the protocol by which it is taken and released, if there is one.
    pub rule: Option<&'static str>,
    /// Mean amount held.
    pub occupancy: f64,
    /// Mean number of messages that wait for it.
    pub waiting: f64,
    /// Its holders, the largest first.
    pub holders: Vec<Holder>,
}

/// The holders of a resource that do one thing meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Holder {
    /// What the holders do meanwhile.
    #[serde(rename = "cause")]
    pub activity: HoldActivity,
    /// The meaning of the activity, as a clause.
    pub meaning: &'static str,
    /// Mean amount held for this activity; of a link, the share of time.
    pub occupancy: f64,
    /// The unit of `occupancy`: frames or packets where these are counted, else the unit of the resource.
    pub unit: String,
    /// The share of all that is held, 0 to 1.
    pub share: f64,
    /// Mean holding time, microseconds, where the model counts acquisitions.
    pub each_us: Option<f64>,
    /// What these holders wait for.
    pub waits_for: Vec<WaitOfHolder>,
}

/// What a holder waits for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitOfHolder {
    /// A scarce resource that the holder needs before it releases what it holds.
    Resource {
        /// The resource in words.
        resource: String,
        /// Mean share of it in use, 0 to 1.
        utilisation: f64,
    },
    /// A waiting stage of the ledger.
    Stage {
        /// The stage as a clause.
        meaning: &'static str,
        /// The mean over all messages, microseconds.
        mean_us: f64,
    },
}

/// The holders of the resources on the path from waiters to root, of those that the source waits for, of the most
/// awaited ones, and of those that their holders need by the protocol.
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
        // Next comes what a holder needs by the protocol: the chain of holders goes on there.
        let followed = holding.holders.iter().filter(|holder| holder.share >= LEAST_FOLLOWED);
        let needed = followed.flat_map(|holder| holder.activity.why.needs());
        let felt = needed.filter(|&&kind| kind != report.resources[row].kind && lifetime.waits_for(kind));
        let needed: Vec<usize> = felt.filter_map(|&kind| most_waited(report, kind)).collect();
        ahead.splice(next..next, needed);
        found.push(holding);
    }
    found
}

/// The row of this kind with the longest waits, of those whose holders are known.
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
            activity: part.activity,
            meaning: part.activity.why.meaning(),
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

/// The unit of what is held for an activity: the size of a buffer is in bytes, its content in frames or packets.
fn unit_of<'a>(part: &HeldIn, row: &'a ResourceRow) -> &'a str {
    match part.activity.why {
        HoldWhy::Frames => "frames",
        HoldWhy::Packets => "packets",
        _ => &row.unit,
    }
}

/// The amount held for each activity; the whole amount where the model does not distinguish them.
fn parts(row: &ResourceRow) -> Vec<HeldIn> {
    if row.held_in.is_empty() {
        let all =
            HeldIn { activity: HoldWhy::All.into(), occupancy: row.occupancy, entered: row.acquisitions };
        return vec![all];
    }
    row.held_in.clone()
}

/// What holders wait for while they hold a resource for this activity: scarce resources first, then stages.
fn waits_of(
    report: &Report,
    chain: &Chain,
    at: usize,
    part: &HeldIn,
    lifetime: &Lifetime,
) -> Vec<WaitOfHolder> {
    let holder = &report.resources[at];
    let needs = chain
        .needs(at)
        .iter()
        .filter(|(activity, _)| activity.is_none_or(|activity| activity == part.activity));
    let mut scarce: Vec<&ResourceRow> =
        needs.map(|&(_, row)| &report.resources[row]).filter(|next| is_scarce_for(holder, next)).collect();
    scarce.sort_by(|a, b| {
        (pressure(b), b.waiting).partial_cmp(&(pressure(a), a.waiting)).expect("they are numbers")
    });
    let resources = scarce.iter().take(WAITS_LISTED);
    let mut waits: Vec<WaitOfHolder> = resources
        .map(|row| WaitOfHolder::Resource { resource: words(row), utilisation: row.utilisation })
        .collect();
    let stages = part.activity.why.stages();
    let spent = lifetime.waits.iter().filter(|time| stages.contains(&time.stage));
    waits.extend(
        spent
            .take(WAITS_LISTED)
            .map(|time| WaitOfHolder::Stage { meaning: time.meaning, mean_us: time.mean_us }),
    );
    waits
}
