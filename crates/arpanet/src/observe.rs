//! The records of a running subnet: the trace, statistics, and sums of round trips between sites.
//!
//! The subnet reports events to these; they do not depend on it. [`report`](crate::report) evaluates them.

pub(crate) mod round_trip_tables;
pub(crate) mod statistics;
pub(crate) mod trace;
