//! From waiters to holders to what the holders wait for.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Report, ResourceRow};
use serde::Serialize;

use crate::nature::{Nature, pressure, waiters, words};

/// Holders lead on to what they need where at least this share of the amount held is in the stage that needs it.
pub(crate) const HELD_SHARE: f64 = 0.2;

/// A resource is followed where it has nothing to spare for at least this share of the time.
pub(crate) const SCARCE: f64 = 0.6;

/// What holders need is behind their waiting only if it is nearly as hard pressed as what they hold. With an entry in use all the time
/// and a line in use for three quarters of it, one more entry would carry a third more: the line is not what is short.
const NEARLY: f64 = 0.8;

/// A chain begins before its root where at least this share of those who wait for the root wait there.
const WORTH_TELLING: f64 = 0.1;

/// Roots listed in an explanation.
const LISTED: usize = 5;

/// One resource on the way from the waiters to the root.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainLink {
    /// The resource in words.
    pub resource: String,
    /// Its place, as the report names it.
    pub place: String,
    /// Its kind, as the report names it.
    pub kind: String,
    /// Mean number of messages that wait for it.
    pub waiting: f64,
    /// Mean share of it in use.
    pub utilisation: f64,
    /// What those who hold it do while they need the next one; empty at the root.
    pub held_by: String,
    /// The share of what is held that they hold, 0 to 1.
    pub held_share: f64,
}

/// A resource behind the waiting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Root {
    /// The resource in words.
    pub resource: String,
    /// The mean number of messages that wait because of it, at it or further up.
    pub waiting: f64,
    /// Of all that wait for resources with a place, 0 to 1.
    pub share: f64,
    /// The share of time in which it has nothing to spare, 0 to 1.
    pub pressure: f64,
}

/// What leads from one resource to the next.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub row: usize,
    pub stage: &'static str,
    pub held_share: f64,
}

/// The graph of who needs what, followed from every resource to its root.
#[derive(Clone, Debug)]
pub struct Chain {
    /// For each row, what its holders need, by their stage.
    needs: BTreeMap<usize, Vec<(&'static str, usize)>>,
    /// For each row, the row that its holders wait for.
    steps: Vec<Option<Step>>,
    /// Mean number waiting at each row.
    waiting: Vec<f64>,
    /// Root and blame, the greatest first.
    roots: Vec<(usize, f64)>,
}

impl Chain {
    /// Follows every resource of a report.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        let rows = &report.resources;
        let mut needs: BTreeMap<usize, Vec<(&'static str, usize)>> = BTreeMap::new();
        for dependence in &report.dependences {
            needs.entry(dependence.holder).or_default().push((dependence.stage, dependence.needs));
        }
        let of = |row: usize| needs.get(&row).map_or(&[][..], Vec::as_slice);
        let steps: Vec<Option<Step>> = (0..rows.len()).map(|row| step(rows, row, of(row))).collect();
        let waiting: Vec<f64> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let served = of(at).iter().map(|&(_, needed)| &rows[needed]);
                let own = served.filter(|needed| needed.place == row.place).map(|needed| needed.occupancy);
                waiters(row, own.sum())
            })
            .collect();
        let mut chain = Self { needs, steps, waiting, roots: Vec::new() };
        let mut blame: BTreeMap<usize, f64> = BTreeMap::new();
        for row in 0..rows.len() {
            *blame.entry(chain.root_of(row)).or_default() += chain.waiting[row];
        }
        chain.roots = blame.into_iter().filter(|&(_, waiting)| waiting > 0.0).collect();
        chain.roots.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        chain
    }

    /// The rows from this one to its root; where the chain bites its tail, it ends before it would repeat.
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

    /// The mean number of messages that wait anywhere.
    pub(crate) fn all_waiting(&self) -> f64 {
        self.waiting.iter().sum()
    }

    pub(crate) fn waiting(&self, row: usize) -> f64 {
        self.waiting[row]
    }

    pub(crate) fn step(&self, row: usize) -> Option<&Step> {
        self.steps[row].as_ref()
    }

    /// The share of what is held of one row by those who need the other, directly; 0 where nobody tells.
    pub(crate) fn held_for(&self, report: &Report, holder: usize, needed: usize) -> f64 {
        let row = &report.resources[holder];
        let stages = self.needs.get(&holder).into_iter().flatten();
        let stages: BTreeSet<&str> =
            stages.filter(|&&(_, row)| row == needed).map(|&(stage, _)| stage).collect();
        let amount = |all: bool| -> f64 {
            let counted = row.held_in.iter().filter(|held| all || stages.contains(held.stage.as_str()));
            counted.map(|held| held.occupancy).sum()
        };
        if amount(true) > 0.0 { amount(false) / amount(true) } else { 0.0 }
    }

    /// Among the resources whose chain leads to this root, the one waited for most; the root itself where hardly anybody waits for those.
    pub(crate) fn start_of(&self, root: usize) -> usize {
        let leading = (0..self.steps.len()).filter(|&row| row != root && self.root_of(row) == root);
        let worth = leading.filter(|&row| self.waiting[row] >= WORTH_TELLING * self.waiting[root]);
        let worth = worth.filter(|&row| self.waiting[row] > 0.0);
        worth.max_by(|&a, &b| self.waiting[a].total_cmp(&self.waiting[b]).then(b.cmp(&a))).unwrap_or(root)
    }

    /// The links of the path from a row to its root.
    pub(crate) fn links(&self, report: &Report, from: usize) -> Vec<ChainLink> {
        let path = self.path(from);
        let links = path.iter().enumerate().map(|(at, &row)| {
            let step = self.steps[row].as_ref().filter(|_| at + 1 < path.len());
            let row_of = &report.resources[row];
            ChainLink {
                resource: words(row_of),
                place: row_of.place.clone(),
                kind: row_of.kind.clone(),
                waiting: self.waiting[row],
                utilisation: row_of.utilisation,
                held_by: step.map_or(String::new(), |step| step.stage.to_owned()),
                held_share: step.map_or(0.0, |step| step.held_share),
            }
        });
        links.collect()
    }

    pub(crate) fn listed_roots(&self, report: &Report) -> Vec<Root> {
        let total = self.all_waiting().max(f64::MIN_POSITIVE);
        let roots = self.roots.iter().take(LISTED).map(|&(row, waiting)| Root {
            resource: words(&report.resources[row]),
            waiting,
            share: waiting / total,
            pressure: pressure(&report.resources[row]),
        });
        roots.collect()
    }
}

/// Where the holders of a row lead: of what they need, the one that is scarcest, weighed by how much is held meanwhile.
fn step(rows: &[ResourceRow], holder: usize, needs: &[(&'static str, usize)]) -> Option<Step> {
    let row = &rows[holder];
    let held: f64 = row.held_in.iter().map(|held| held.occupancy).sum();
    let share = |stage: &str| match row.held_in.iter().find(|held| held.stage == stage) {
        _ if stage.is_empty() => 1.0,
        Some(in_stage) if held > 0.0 => in_stage.occupancy / held,
        _ => 0.0,
    };
    let queue = Nature::of(row) == Nature::Queue;
    let candidates = needs.iter().filter_map(|&(stage, needed)| {
        let (held_share, next) = (share(stage), &rows[needed]);
        let scarce = match Nature::of(next) {
            Nature::Queue => queue_is_scarce(row, next),
            _ if queue => true,
            _ => pressure(next) >= SCARCE.max(NEARLY * pressure(row)),
        };
        let score = held_share * if queue { next.waiting + next.occupancy } else { pressure(next).max(0.01) };
        (held_share >= HELD_SHARE && scarce).then_some((score, Step { row: needed, stage, held_share }))
    });
    candidates.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.row.cmp(&a.1.row))).map(|(_, step)| step)
}

/// Whether a place to wait in stops those who want to put something there: somebody waits in it. A line that works all the time is not
/// stopped, but all of a window may be.
fn queue_is_scarce(holder: &ResourceRow, queue: &ResourceRow) -> bool {
    let stops = Nature::of(holder) == Nature::Held || holder.utilisation < 1.0;
    stops && queue.waiting > 0.0
}
