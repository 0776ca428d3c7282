//! A switch: the shared buffer, what each input has in it, the ports and their queues, marks where queues grow.

pub(crate) mod buffer;
mod congestion_point;
pub(crate) mod contest;
pub(crate) mod ecn;
pub(crate) mod input;
pub(crate) mod port;
pub(crate) mod scheduling;
