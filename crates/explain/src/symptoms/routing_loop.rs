use hopscope_measure::Report;

use crate::chain::Chain;
use crate::symptom::Symptom;

/// Packets went round in loops; a loop trap keeps them until the hold-down that prolongs it ends. A loop that no packet met harms nobody.
pub(super) fn test(report: &Report, _: &Chain) -> Option<Symptom> {
    let count = |key: &str| report.metric(key).and_then(|metric| metric.estimate).map_or(0.0, |e| e.value);
    let [loops, traps, returns] =
        ["loops", "loop traps", "packets returned"].map(|name| count(&format!("{name}.count")));
    if returns == 0.0 {
        return None;
    }
    let source = "Kleinrock and Naylor 1974; Kleinrock and Opderbeck 1977, section V";
    let came_back = format!("packets came back {returns:.0} times to an IMP that they had left");
    let (name, evidence) = if traps > 0.0 {
        ("loop trap", format!("{came_back}; hold-down prolonged {traps:.0} of {loops:.0} loops"))
    } else {
        ("routing loop", format!("{came_back}, in {loops:.0} loops"))
    };
    Some(Symptom { name, evidence, source })
}
