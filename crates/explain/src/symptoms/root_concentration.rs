use std::collections::BTreeMap;

use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::{Symptom, percent};

/// The outputs of one switch carry at least this many times as much as those of a switch do on average.
const TIMES: f64 = 2.0;

/// At least so much of the waiting for outputs is at that switch.
const WAITING: f64 = 0.5;

/// Switches below which there is no saying what is usual.
const SWITCHES: usize = 4;

/// Traffic concentrates at one switch, as up*/down* routes do at their root.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let mut switches: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for row in report.resources.iter().filter(|row| row.kind == "output") {
        let Some((switch, _)) = row.place.rsplit_once(':') else { continue };
        let entry = switches.entry(switch).or_default();
        *entry = (entry.0 + row.utilisation, entry.1 + row.waiting);
    }
    let (used, waiting) = switches.values().fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
    let (name, &(most, waits)) = switches.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    let mean = used / switches.len() as f64;
    (switches.len() >= SWITCHES && most >= TIMES * mean && waits >= WAITING * waiting && waiting > 0.0).then(|| Symptom {
        name: "root concentration",
        evidence: format!(
            "the outputs of switch {name} carry {:.1} times the mean of all switches, and {} of the waiting for outputs is there",
            most / mean,
            percent(waits / waiting)
        ),
        source: "Owicki and Karlin 1992, sections 2.1 and 4.2",
    })
}
