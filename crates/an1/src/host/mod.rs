//! Hosts: what they generate and send, and what they receive.

mod delivery;
mod send_queue;
