//! Routing loops and loop traps.

use hopscope_measure::Report;

use crate::Findings;
use crate::symptom::{Pattern, Symptom};

/// Packets went round in loops; a loop trap keeps them until the hold-down that prolongs it ends. A loop that no packet
/// met harms nobody.
pub(super) fn test(report: &Report, _: &Findings) -> Option<Symptom> {
    let count = |key: &str| report.metric(key).and_then(|metric| metric.estimate).map_or(0.0, |e| e.value);
    let [loops, traps, returns] =
        ["loops", "loop traps", "packets returned"].map(|name| count(&format!("{name}.count")));
    if returns == 0.0 {
        return None;
    }
    let came_back = format!("packets returned {returns:.0} times to an IMP that they had left");
    Some(if traps > 0.0 {
        let evidence = format!("{came_back}; hold-down prolonged {traps:.0} of {loops:.0} loops");
        Symptom::new(Pattern::LoopTrap, evidence)
    } else {
        Symptom::new(Pattern::RoutingLoop, format!("{came_back}, in {loops:.0} loops"))
    })
}
