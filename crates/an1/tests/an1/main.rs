//! The fabric against closed forms, published figures, golden ladders and its own invariants.

mod adaptive_routing;
mod deadlock;
mod disciplines;
mod faults;
mod frames;
mod head_of_line;
mod ladders;
mod networks;
mod occupancy;
mod random_fabrics;
mod refusals;
mod tandem;
mod virtual_channels;
mod virtual_cut_through;
