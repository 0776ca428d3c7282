//! What is taken down while the subnet runs: the trace, statistics, and sums of round trips between sites.
//!
//! The subnet tells these what happens; they know nothing of it. What a report makes of them is in
//! [`report`](crate::report).

pub(crate) mod round_trip_tables;
pub(crate) mod statistics;
pub(crate) mod trace;
