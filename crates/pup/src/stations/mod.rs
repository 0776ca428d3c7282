//! What a host or a gateway is made of: its processor, its output queues and its routing table.

mod machine;
mod routing_table;
mod station;

pub(crate) use machine::{Job, Machine};
pub(crate) use routing_table::RoutingTable;
pub(crate) use station::{Station, StationLosses};
