//! The rules of the IMPs' protocols, without input or output: one file a resource or rule.
//!
//! Nothing here depends on a clock, an event queue, a network or a random stream: a rule gets the time and returns the
//! actions. Each can thus be compared with the paper, and tested alone. The events of these rules are in
//! [`subnet`](crate::subnet).

pub(crate) mod allocation;
pub(crate) mod message_block;
pub(crate) mod message_numbers;
pub(crate) mod message_order;
pub(crate) mod message_timeout;
pub(crate) mod modem_line;
pub(crate) mod packet;
pub(crate) mod pending_leader_table;
pub(crate) mod reassembly;
pub(crate) mod reqall;
pub(crate) mod single_packet;
pub(crate) mod stage;
