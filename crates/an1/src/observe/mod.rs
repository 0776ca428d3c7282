//! What a run shows: stages, report, dependences, evidence, deadlock.

mod content;
mod deadlock;
mod dependence;
mod evidence;
mod report;
pub(crate) mod stage;
