use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::Symptom;

/// Packets went round in loops; a loop that traps packets keeps them until routing changes.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let count = |key: &str| report.metric(key).and_then(|metric| metric.estimate).map_or(0.0, |e| e.value);
    let (loops, traps) = (count("loops.count"), count("loop traps.count"));
    let named = |name, evidence| {
        let source = "Kleinrock and Naylor 1974; Kleinrock and Opderbeck 1977, section IV";
        Some(Symptom { name, evidence, source })
    };
    match (traps > 0.0, loops > 0.0) {
        (true, _) => named("loop trap", format!("{traps:.0} of {loops:.0} loops trapped packets")),
        (_, true) => named("routing loop", format!("{loops:.0} loops formed")),
        _ => None,
    }
}
