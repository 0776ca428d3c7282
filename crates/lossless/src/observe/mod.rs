//! Observation of a run: stages, report, dependences, evidence, congestion trees, deadlock, and ideal completion times.

pub(crate) mod class_waits;
pub(crate) mod congestion_trees;
pub(crate) mod convergence;
pub(crate) mod counters;
mod deadlock;
pub(crate) mod dependence;
mod evidence;
mod growing;
mod ideal_time;
mod incasts;
pub(crate) mod report;
mod rounds;
pub(crate) mod sent;
pub(crate) mod stage;
pub(crate) mod waits;
