//! A switch: the shared buffer, the content of each input, the ports and their queues, and ECN marks.

pub(crate) mod buffer;
mod congestion_point;
pub(crate) mod contest;
pub(crate) mod ecn;
pub(crate) mod input;
pub(crate) mod port;
pub(crate) mod scheduling;
