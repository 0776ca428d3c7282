//! Routing loops and loop traps.

use hopscope_measure::{Loops, Report, ResourceKind};

use crate::Findings;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::LOOPED;

/// The counts of routing loops in a report.
pub(crate) struct Looped {
    /// Whether hold-down has prolonged any of them.
    pub is_trap: bool,
    /// The numbers, in words.
    pub evidence: String,
}

/// Packets went round in loops; a loop trap keeps them until its hold-down ends. A loop that no packet met does no
/// harm, and one that few packets met costs nothing.
pub(crate) fn looped(report: &Report) -> Option<Looped> {
    let Loops { formed, prolonged, returns } = report.evidence.loops.filter(|loops| loops.returns > 0)?;
    let came_back = format!("packets returned {returns} times to an IMP that they had left");
    let is_trap = prolonged > 0;
    let lines = report.resources.iter().filter(|row| row.kind == ResourceKind::Line);
    let carried: u64 = lines.map(|row| row.acquisitions).sum();
    if !is_trap && (returns as f64) < LOOPED * carried as f64 {
        return None;
    }
    let evidence = if is_trap {
        format!("{came_back}; hold-down prolonged {prolonged} of {formed} loops")
    } else {
        format!("{came_back}, in {formed} loops")
    };
    Some(Looped { is_trap, evidence })
}

pub(super) fn test(report: &Report, _: &Findings) -> Option<Symptom> {
    let Looped { is_trap, evidence } = looped(report)?;
    Some(Symptom::new(if is_trap { Pattern::LoopTrap } else { Pattern::RoutingLoop }, evidence))
}
