//! Traffic that concentrates at the root of up*/down* routes.

use std::collections::BTreeSet;

use hopscope_measure::{Report, ResourceKind, ResourceRow};

use crate::Findings;
use crate::chain::Chain;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::{ALIKE, BELOW_THE_MEAN, ROOT_NOTICED, TIMES_THE_MEAN, TIMES_THE_WAITING};
use crate::words::{is_slower_than_its_like, percent};

/// Links of the root that carry far more than others.
pub(crate) struct Concentrated {
    /// The row of the busiest of them.
    pub row: usize,
    /// Their load as a multiple of the mean over all links between switches.
    pub times_mean: f64,
    /// The share of the waiting for links between switches that is due to them and to equally full links that lead
    /// there.
    pub waiting: f64,
    /// The number of links elsewhere that carry hardly anything.
    pub idle: usize,
}

/// The links between switches that lead to input buffers, with their rows.
fn between_switches(report: &Report) -> Vec<(usize, &ResourceRow)> {
    let rows = || report.resources.iter().enumerate();
    let hosts: BTreeSet<usize> = rows()
        .filter(|(_, row)| row.site.switch().is_none() || row.far.switch().is_none())
        .map(|(at, _)| at)
        .collect();
    rows().filter(|(at, row)| row.kind == ResourceKind::Output && !hosts.contains(at)).collect()
}

/// The links of the root, if they carry more than others do, the busiest of them is utilised at least `least_use`,
/// messages wait because of them or of equally full links that lead there, and other links have spare time. Not in a
/// tree of switches, where every link is needed and none can carry the load of another, nor where a full link is the
/// only path between its ends.
pub(crate) fn concentrated(report: &Report, chain: &Chain, least_use: f64) -> Option<Concentrated> {
    let root = report.evidence.root.as_ref()?;
    let links = between_switches(report);
    let is_roots = |row: &ResourceRow| {
        row.ends.as_ref().is_some_and(|ends| ends.iter().any(|end| root.nodes.contains(end)))
    };
    let (own, others): (Vec<_>, Vec<_>) = links.iter().copied().partition(|(_, row)| is_roots(row));
    let used = |rows: &[(usize, &ResourceRow)]| {
        rows.iter().map(|(_, row)| row.utilisation).sum::<f64>() / rows.len().max(1) as f64
    };
    let waits = |rows: &[(usize, &ResourceRow)]| rows.iter().map(|&(at, _)| chain.blamed(at)).sum::<f64>();
    let mean = used(&links);
    let idle = others.iter().filter(|(_, row)| row.utilisation < BELOW_THE_MEAN * mean).count();
    let &(row, busiest) = own.iter().max_by(|a, b| a.1.utilisation.total_cmp(&b.1.utilisation))?;
    let is_full = |row: &ResourceRow| row.utilisation >= ALIKE * busiest.utilisation;
    let (crowded, _): (Vec<_>, Vec<_>) =
        links.iter().copied().partition(|(_, row)| is_roots(row) || is_full(row));
    let (times_mean, all) = (used(&own) / mean.max(f64::MIN_POSITIVE), waits(&links));
    let waiting = if all > 0.0 { waits(&crowded) / all } else { 0.0 };
    let nodes: BTreeSet<&String> = links.iter().filter_map(|(_, row)| row.ends.as_ref()).flatten().collect();
    let joined: BTreeSet<[&String; 2]> =
        links.iter().filter_map(|(_, row)| sorted(row.ends.as_ref()?)).collect();
    if joined.len() < nodes.len() || is_slower_than_its_like(report, row) {
        return None;
    }
    let fair = crowded.len() as f64 / links.len().max(1) as f64;
    let is_so = times_mean >= TIMES_THE_MEAN
        && waiting >= TIMES_THE_WAITING * fair
        && idle > 0
        && busiest.utilisation >= least_use;
    let is_needed = || {
        let own_ends = own.iter().filter(|(_, row)| is_full(row)).filter_map(|(_, row)| row.ends.as_ref());
        own_ends.filter_map(sorted).any(|ends| is_only_way(ends, &joined))
    };
    (is_so && !is_needed()).then_some(Concentrated { row, times_mean, waiting, idle })
}

/// Whether a link is the only path between its ends: all routes use it, and leave it equally full.
fn is_only_way(ends: [&String; 2], joined: &BTreeSet<[&String; 2]>) -> bool {
    let mut reached = BTreeSet::from([ends[0]]);
    let mut before = 0;
    while reached.len() > before {
        before = reached.len();
        for [a, b] in joined.iter().filter(|&&other| other != ends) {
            if reached.contains(a) || reached.contains(b) {
                reached.extend([*a, *b]);
            }
        }
    }
    !reached.contains(ends[1])
}

/// A number of links elsewhere, with its verb.
pub(crate) fn others_carry(links: usize) -> String {
    if links == 1 { "1 other link carries".to_owned() } else { format!("{links} other links carry") }
}

/// The two ends of a link, the same for both directions.
fn sorted(ends: &[String; 2]) -> Option<[&String; 2]> {
    let mut ends = [&ends[0], &ends[1]];
    ends.sort_unstable();
    Some(ends)
}

/// Traffic concentrates at the root, as up*/down* routes make it.
pub(super) fn test(report: &Report, found: &Findings) -> Option<Symptom> {
    let Concentrated { times_mean, waiting, idle, .. } = concentrated(report, &found.chain, ROOT_NOTICED)?;
    let root = report.evidence.root.as_ref()?;
    let evidence = format!(
        "the links of {} carry {times_mean:.1} times the mean of all links between switches; {} of the waiting for such links is \
         there, while {} less than two thirds of the mean",
        root.words,
        percent(waiting),
        others_carry(idle)
    );
    Some(Symptom::new(Pattern::RootConcentration, evidence))
}
