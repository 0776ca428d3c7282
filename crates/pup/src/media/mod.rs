//! The networks' own rules, without queues or events: what a Pup takes on each medium, who may send, how it is cut.

pub mod ethernet;
pub(crate) mod line;
pub(crate) mod packet_radio;
