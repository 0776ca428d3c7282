//! The subnet against published traces and figures, golden ladders and its own invariants.

mod alternate;
mod hosts;
mod incomplete;
mod ladders;
mod light_load;
mod loop_free;
mod loop_free_nets;
mod nets;
mod outages;
mod overheads;
mod refusals;
mod rooms;
mod routing_tables;
mod single_packets;
mod snapshots;
mod subnets;
mod throughput;
mod whole_net;
