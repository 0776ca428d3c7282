//! AN1's switches against closed forms, published figures, golden ladders and its own invariants.

mod adaptive_routing;
mod arbitration;
mod deadlock;
mod disciplines;
mod edges;
mod faults;
mod head_of_line;
mod ladders;
mod multicast;
#[path = "../../../fabric/tests/shared/networks.rs"]
mod networks;
mod occupancy;
mod random_fabrics;
mod refusals;
mod runs;
mod tandem;
mod time_to_live;
mod virtual_channels;
mod virtual_cut_through;
