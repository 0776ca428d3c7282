//! From waiters to holders to what the holders wait for.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{HoldActivity, Nature, Report, ResourceKind, ResourceRow};
use serde::Serialize;

use crate::pressure::{pressure, pressure_at, waiters, waiting_unit};
use crate::thresholds::{HELD_SHARE, LEAST_DIVIDED, NEARLY_AS_PRESSED, NEARLY_FULL, SCARCE, WORTH_TELLING};
use crate::words::{times_slower, words};

/// Roots listed in an explanation.
const LISTED: usize = 5;

/// One resource of the blocking chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainLink {
    /// The resource in words.
    pub resource: String,
    /// Its place, as the report names it.
    pub place: String,
    /// Its kind.
    pub kind: ResourceKind,
    /// The identifier of its kind, as programs refer to it.
    pub id: &'static str,
    /// The nodes that it joins, where it is a link or a line.
    pub ends: Option<[String; 2]>,
    /// Mean number of messages that wait for it.
    pub waiting: f64,
    /// The unit of `waiting`, in the plural: messages, or packets where packets are counted.
    pub waiting_unit: String,
    /// Mean utilisation, 0 to 1.
    pub utilisation: f64,
    /// How many times slower it is than other links of its kind; nothing if it is not a slower link.
    pub times_slower: Option<f64>,
    /// What its holders do while they wait for the next resource; nothing at the root, or where all holders need it.
    pub held_by: Option<HoldActivity>,
    /// The share of the held amount that these holders have, 0 to 1.
    pub held_share: f64,
}

/// A resource behind the waiting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Root {
    /// The resource in words.
    pub resource: String,
    /// Its place, as the report names it.
    pub place: String,
    /// Its kind as programs refer to it.
    pub id: &'static str,
    /// The nodes that it joins, where it is a link or a line.
    pub ends: Option<[String; 2]>,
    /// How many times slower it is than other links of its kind; nothing if it is not a slower link.
    pub times_slower: Option<f64>,
    /// The mean number of messages that wait because of it, at it or upstream.
    pub waiting: f64,
    /// The share of all waiting for resources with a place, 0 to 1.
    pub share: f64,
    /// The share of time in which none of it is free, 0 to 1.
    pub pressure: f64,
}

/// What leads from one resource to the next.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub row: usize,
    pub activity: Option<HoldActivity>,
    pub held_share: f64,
}

/// The graph of who needs what, followed from every resource to its root.
#[derive(Clone, Debug)]
pub struct Chain {
    /// For each row, the resources that its holders need, with what the holders do meanwhile.
    needs: BTreeMap<usize, Vec<(Option<HoldActivity>, usize)>>,
    /// For each row, the row that its holders wait for.
    steps: Vec<Option<Step>>,
    /// Mean number waiting at each row.
    waiting: Vec<f64>,
    /// The sum of `waiting`.
    all_waiting: f64,
    /// Mean number of messages that wait because of each root.
    blame: BTreeMap<usize, f64>,
    /// Roots with their blame, the greatest first.
    roots: Vec<(usize, f64)>,
}

impl Chain {
    /// Follows every resource of a report.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        let rows = &report.resources;
        let mut needs: BTreeMap<usize, Vec<(Option<HoldActivity>, usize)>> = BTreeMap::new();
        for dependence in &report.dependences {
            needs.entry(dependence.holder).or_default().push((dependence.activity, dependence.needs));
        }
        let of = |row: usize| needs.get(&row).map_or(&[][..], Vec::as_slice);
        let steps: Vec<Option<Step>> = (0..rows.len()).map(|row| step(rows, row, of(row))).collect();
        let waiting: Vec<f64> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let served = of(at).iter().map(|&(_, needed)| &rows[needed]);
                let own = served.filter(|needed| needed.site == row.site).map(|needed| needed.occupancy);
                waiters(row, own.sum())
            })
            .collect();
        let all_waiting = waiting.iter().sum();
        let mut chain =
            Self { needs, steps, waiting, all_waiting, blame: BTreeMap::new(), roots: Vec::new() };
        let mut blame: BTreeMap<usize, f64> = BTreeMap::new();
        let least = LEAST_DIVIDED * all_waiting;
        for row in 0..rows.len() {
            chain.blame(rows, row, chain.waiting[row], least, &mut Vec::new(), &mut blame);
        }
        blame.retain(|_, waiting| *waiting > 0.0);
        chain.roots = blame.iter().map(|(&root, &waiting)| (root, waiting)).collect();
        chain.roots.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        chain.blame = blame;
        chain
    }

    /// Charges the waiters at a row to the roots behind it. A packet in a queue needs several resources: each resource
    /// is charged with its share of the packets in that queue that wait for it. So heads of FIFOs that contend evenly
    /// for many outputs give no output most of the blame. Amounts of at most `least` are not divided: they follow the
    /// chain.
    fn blame(
        &self,
        rows: &[ResourceRow],
        row: usize,
        amount: f64,
        least: f64,
        passed: &mut Vec<usize>,
        found: &mut BTreeMap<usize, f64>,
    ) {
        let next = self.steps[row].as_ref().filter(|step| !passed.contains(&step.row) && step.row != row);
        let Some(next) = next.filter(|_| amount > 0.0) else {
            *found.entry(row).or_default() += amount;
            return;
        };
        let shares = if amount > least && rows[row].kind.nature() == Nature::Queue {
            self.shares_of_queue(rows, row, passed)
        } else {
            Vec::new()
        };
        passed.push(row);
        if shares.is_empty() {
            self.blame(rows, next.row, amount, least, passed, found);
        }
        for (needed, share) in shares {
            self.blame(rows, needed, amount * share, least, passed, found);
        }
        passed.pop();
    }

    /// The resources that the holders of a queue need, each with its share of the packets that wait for one of them or
    /// are served.
    fn shares_of_queue(&self, rows: &[ResourceRow], queue: usize, passed: &[usize]) -> Vec<(usize, f64)> {
        let needs = self.needs(queue).iter().map(|&(_, needed)| needed);
        let needs: BTreeSet<usize> = needs.filter(|needed| !passed.contains(needed)).collect();
        let amount = |row: usize| rows[row].waiting + rows[row].occupancy;
        let all: f64 = needs.iter().map(|&row| amount(row)).sum();
        if all <= 0.0 {
            return Vec::new();
        }
        needs.into_iter().map(|row| (row, amount(row) / all)).collect()
    }

    /// The mean number of messages that wait because of a row.
    pub(crate) fn blamed(&self, row: usize) -> f64 {
        self.blame.get(&row).copied().unwrap_or(0.0)
    }

    /// The rows from this one to its root; a cyclic chain ends before it would repeat.
    pub(crate) fn path(&self, from: usize) -> Vec<usize> {
        let mut path = vec![from];
        while let Some(step) = &self.steps[path[path.len() - 1]] {
            if path.contains(&step.row) {
                break;
            }
            path.push(step.row);
        }
        path
    }

    pub(crate) fn root_of(&self, row: usize) -> usize {
        let path = self.path(row);
        path[path.len() - 1]
    }

    /// The roots with the mean number of messages that wait because of each, the greatest first.
    pub(crate) fn roots(&self) -> &[(usize, f64)] {
        &self.roots
    }

    /// The mean number of waiting messages in all.
    pub(crate) const fn all_waiting(&self) -> f64 {
        self.all_waiting
    }

    pub(crate) fn waiting(&self, row: usize) -> f64 {
        self.waiting[row]
    }

    /// The resources that the holders of a row need, with what the holders do meanwhile.
    pub(crate) fn needs(&self, row: usize) -> &[(Option<HoldActivity>, usize)] {
        self.needs.get(&row).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn step(&self, row: usize) -> Option<&Step> {
        self.steps[row].as_ref()
    }

    /// The share of the held amount of one row that is held by messages which need the other row next; 0 where unknown.
    pub(crate) fn held_for(&self, report: &Report, holder: usize, needed: usize) -> f64 {
        let row = &report.resources[holder];
        let needing = self.needs.get(&holder).into_iter().flatten().filter(|&&(_, row)| row == needed);
        let activities: BTreeSet<Option<HoldActivity>> = needing.map(|&(activity, _)| activity).collect();
        let amount = |all: bool| -> f64 {
            let counted = row.held_in.iter().filter(|held| all || activities.contains(&Some(held.activity)));
            counted.map(|held| held.occupancy).sum()
        };
        if amount(true) > 0.0 { amount(false) / amount(true) } else { 0.0 }
    }

    /// The resource with most waiters whose chain leads to this root; the root itself where hardly any wait upstream of
    /// it.
    pub(crate) fn start_of(&self, root: usize) -> usize {
        let leading = (0..self.steps.len()).filter(|&row| row != root && self.path(row).contains(&root));
        let worth = leading.filter(|&row| self.waiting[row] >= WORTH_TELLING * self.waiting[root]);
        let worth = worth.filter(|&row| self.waiting[row] > 0.0);
        worth.max_by(|&a, &b| self.waiting[a].total_cmp(&self.waiting[b]).then(b.cmp(&a))).unwrap_or(root)
    }

    /// The links of a path from a row to its root.
    pub(crate) fn links(&self, report: &Report, path: &[usize]) -> Vec<ChainLink> {
        let links = path.iter().enumerate().map(|(at, &row)| {
            let step = self.steps[row].as_ref().filter(|_| at + 1 < path.len());
            let row_of = &report.resources[row];
            ChainLink {
                resource: words(row_of),
                place: row_of.place.clone(),
                kind: row_of.kind,
                id: row_of.kind.id(),
                ends: row_of.ends.clone(),
                waiting: self.waiting[row],
                waiting_unit: waiting_unit(row_of).to_owned(),
                utilisation: row_of.utilisation,
                times_slower: times_slower(report, row),
                held_by: step.and_then(|step| step.activity),
                held_share: step.map_or(0.0, |step| step.held_share),
            }
        });
        links.collect()
    }

    pub(crate) fn listed_roots(&self, report: &Report) -> Vec<Root> {
        let total = self.all_waiting().max(f64::MIN_POSITIVE);
        let roots = self.roots.iter().take(LISTED).map(|&(row, waiting)| Root {
            resource: words(&report.resources[row]),
            place: report.resources[row].place.clone(),
            id: report.resources[row].kind.id(),
            ends: report.resources[row].ends.clone(),
            times_slower: times_slower(report, row),
            waiting,
            share: waiting / total,
            pressure: pressure_at(report, row),
        });
        roots.collect()
    }
}

/// The next step of the chain: of the resources that the holders of a row need, the scarcest, weighted by the amount
/// held meanwhile.
fn step(rows: &[ResourceRow], holder: usize, needs: &[(Option<HoldActivity>, usize)]) -> Option<Step> {
    let row = &rows[holder];
    let held: f64 = row.held_in.iter().map(|held| held.occupancy).sum();
    let share = |activity: Option<HoldActivity>| {
        let Some(activity) = activity else { return 1.0 };
        match row.held_in.iter().find(|part| part.activity == activity) {
            Some(part) if held > 0.0 => part.occupancy / held,
            _ => 0.0,
        }
    };
    let queue = row.kind.nature() == Nature::Queue;
    let candidates = needs.iter().filter_map(|&(activity, needed)| {
        let (held_share, next) = (share(activity), &rows[needed]);
        let scarce = is_scarce_for(row, next);
        let score = held_share * if queue { next.waiting + next.occupancy } else { pressure(next).max(0.01) };
        (held_share >= HELD_SHARE && scarce).then_some((score, Step { row: needed, activity, held_share }))
    });
    candidates.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.row.cmp(&a.1.row))).map(|(_, step)| step)
}

/// Whether the resource that holders need may cause their waiting.
pub(crate) fn is_scarce_for(holder: &ResourceRow, next: &ResourceRow) -> bool {
    match (holder.kind.nature(), next.kind.nature()) {
        (_, Nature::Queue) => queue_is_scarce(holder, next),
        (Nature::Queue, Nature::Works | Nature::Held) => true,
        // Rates recover as soon as marks cease: an output with spare time does not keep them low.
        (Nature::Works, Nature::Works) if holder.kind == ResourceKind::RateLimiter => {
            pressure(next) >= NEARLY_FULL
        }
        (Nature::Works | Nature::Held, Nature::Works | Nature::Held) => {
            pressure(next) >= SCARCE.max(NEARLY_AS_PRESSED * pressure(holder))
        }
    }
}

/// Whether a queue stops the senders into it: messages wait in it. A line that is always busy is not stopped by it, but
/// all of a window may be.
fn queue_is_scarce(holder: &ResourceRow, queue: &ResourceRow) -> bool {
    let stops = holder.kind.nature() == Nature::Held || holder.utilisation < 1.0;
    stops && queue.waiting > 0.0
}
