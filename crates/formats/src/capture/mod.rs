//! Packets on a wire, as files that other tools read.

pub mod pcapng;
