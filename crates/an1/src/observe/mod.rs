//! What a run shows: stages, report, dependences, deadlock.

mod deadlock;
mod dependence;
mod report;
pub(crate) mod stage;
