//! What stands in a host or a gateway.

mod routing_table;

pub(crate) use routing_table::RoutingTable;
