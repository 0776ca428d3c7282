use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::{Symptom, percent};

/// The links from one switch to others carry at least this many times as much as those of a switch do on average.
const TIMES_THE_MEAN: f64 = 2.0;

/// And so many times as much as those of any other switch: networks of stages have several busy switches alike, which is no concentration.
const TIMES_THE_NEXT: f64 = 1.5;

/// Of the waiting for links between switches, the switch has at least so many times its even part.
const TIMES_THE_WAITING: f64 = 2.0;

/// Switches below which there is no saying what is usual.
const SWITCHES: usize = 4;

/// Traffic concentrates at one switch, as up*/down* routes do at their root. Only links between switches count, which lead to FIFOs.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let fifos: BTreeSet<&str> =
        report.resources.iter().filter(|row| row.kind == "fifo").map(|row| row.name.as_str()).collect();
    let mut switches: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for row in report.resources.iter().filter(|row| row.kind == "output" && fifos.contains(row.name.as_str()))
    {
        let Some((switch, _)) = row.place.rsplit_once(':') else { continue };
        let entry = switches.entry(switch).or_default();
        *entry = (entry.0 + row.utilisation, entry.1 + row.waiting);
    }
    let mut ranked: Vec<(&str, f64, f64)> =
        switches.into_iter().map(|(name, (used, waits))| (name, used, waits)).collect();
    if ranked.len() < SWITCHES {
        return None;
    }
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let count = ranked.len() as f64;
    let (used, waiting) = ranked.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.1, sum.1 + at.2));
    let ((name, most, waits), next) = (ranked[0], ranked[1].1);
    let stands_out = most >= TIMES_THE_MEAN * used / count && most >= TIMES_THE_NEXT * next;
    (stands_out && waiting > 0.0 && waits >= TIMES_THE_WAITING * waiting / count).then(|| Symptom {
        name: "root concentration",
        evidence: format!(
            "the links from switch {name} to others carry {:.1} times the mean of all switches and {:.1} times the next one's, \
             and {} of the waiting for links between switches is there",
            most * count / used,
            most / next,
            percent(waits / waiting)
        ),
        source: "Owicki and Karlin 1992, sections 2.1 and 4.2",
    })
}
