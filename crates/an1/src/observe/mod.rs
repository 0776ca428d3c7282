//! What a run shows: stages, report, dependences, evidence, deadlock.

mod content;
mod deadlock;
mod dependence;
mod evidence;
mod report;
mod sent;
pub(crate) mod stage;
