use hopscope_measure::Report;

use crate::chain::Chain;
use crate::nature::words;
use crate::symptom::{Symptom, percent};

/// Links that stand still for at least this share of the time are victims.
const STOPPED: f64 = 0.1;

/// A tree has at least this many of them.
const VICTIMS: usize = 2;

/// What a link does that stands still for want of room behind it, by the beginning of its stage's name.
const STANDS_STILL: [&str; 3] = ["stopped", "paused", "without credit"];

/// Links that are stopped because of one and the same link further down.
pub(super) fn test(report: &Report, chain: &Chain) -> Option<Symptom> {
    let stopped = |row: usize| {
        let held = report.resources[row].held_in.iter();
        let still = held.filter(|held| STANDS_STILL.iter().any(|stage| held.stage.starts_with(stage)));
        still.map(|held| held.occupancy).sum::<f64>()
    };
    let victims_of = |root: usize| {
        let rows = 0..report.resources.len();
        rows.filter(move |&row| row != root && stopped(row) >= STOPPED && chain.root_of(row) == root)
    };
    let roots = chain.roots().iter().map(|&(root, _)| root);
    let root = roots
        .max_by_key(|&root| victims_of(root).count())
        .filter(|&root| victims_of(root).count() >= VICTIMS)?;
    let worst = victims_of(root).max_by(|&a, &b| stopped(a).total_cmp(&stopped(b)))?;
    Some(Symptom {
        name: "congestion tree",
        evidence: format!(
            "its root is {}; {} links are stopped because of it, most of all {} ({} of the time)",
            words(&report.resources[root]),
            victims_of(root).count(),
            report.resources[worst].name,
            percent(stopped(worst))
        ),
        source: "Pfister and Norton 1985; Owicki and Karlin 1992, section 3.5",
    })
}
