//! Congestion tree: links that are stopped because of the same link downstream.

use hopscope_measure::Report;

use crate::Findings;
use crate::symptom::{Pattern, Symptom};

/// The congestion tree that a model has sampled, or that follows from the chain.
pub(super) fn test(_: &Report, found: &Findings) -> Option<Symptom> {
    let tree = found.congestion.tree.as_ref()?;
    Some(Symptom::new(Pattern::CongestionTree, tree.evidence()))
}
