//! Adaptive routing by distance vectors, without input or output: the table of an IMP, line hold-down, feasible
//! distances, and loops as they form.
//!
//! Kleinrock and Opderbeck, section V. [`subnet::routing_messages`](crate::subnet::routing_messages) sends and merges
//! routing messages.

pub(crate) mod feasible_distance;
pub(crate) mod hold_down;
pub(crate) mod loops;
pub(crate) mod routing_clock;
pub(crate) mod routing_schedule;
pub(crate) mod routing_table;
pub(crate) mod routing_vectors;
