//! Traffic that concentrates at one switch.

use std::collections::{BTreeMap, BTreeSet};

use hopscope_measure::{Report, ResourceKind, ResourceRow};

use crate::Findings;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::{SWITCHES, TIMES_THE_MEAN, TIMES_THE_NEXT, TIMES_THE_WAITING};
use crate::words::percent;

/// The links from one switch to others.
struct Onward<'a> {
    /// One of them.
    row: &'a ResourceRow,
    used: f64,
    waits: f64,
}

/// The links between switches, by the switch that sends. Only those count, which lead to FIFOs.
fn between_switches(report: &Report) -> Vec<Onward<'_>> {
    let of = |kind: ResourceKind| report.resources.iter().filter(move |row| row.kind == kind);
    let to_fifos: BTreeSet<u32> = of(ResourceKind::InputFifo).filter_map(|row| row.link).collect();
    let mut switches: BTreeMap<u32, Onward<'_>> = BTreeMap::new();
    for row in of(ResourceKind::Output).filter(|row| row.link.is_some_and(|link| to_fifos.contains(&link))) {
        let Some(switch) = row.site.switch() else { continue };
        let onward = switches.entry(switch).or_insert(Onward { row, used: 0.0, waits: 0.0 });
        onward.used += row.utilisation;
        onward.waits += row.waiting;
    }
    switches.into_values().collect()
}

/// Traffic concentrates at one switch, as up*/down* routes do at their root.
pub(super) fn test(report: &Report, _: &Findings) -> Option<Symptom> {
    let mut ranked = between_switches(report);
    if ranked.len() < SWITCHES {
        return None;
    }
    ranked.sort_by(|a, b| b.used.total_cmp(&a.used));
    let count = ranked.len() as f64;
    let (used, waiting) = ranked.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.used, sum.1 + at.waits));
    let (Onward { row, used: most, waits }, next) = (&ranked[0], ranked[1].used);
    let stands_out = *most >= TIMES_THE_MEAN * used / count && *most >= TIMES_THE_NEXT * next;
    let name = row.ends.as_ref().map_or(row.place.as_str(), |[switch, _]| switch);
    (stands_out && waiting > 0.0 && *waits >= TIMES_THE_WAITING * waiting / count).then(|| {
        let evidence = format!(
            "the links from switch {name} to other switches carry {:.1} times the mean of all switches and {:.1} times the next \
             busiest one's; {} of the waiting for links between switches is there",
            most * count / used,
            most / next,
            percent(waits / waiting)
        );
        Symptom::new(Pattern::RootConcentration, evidence)
    })
}
