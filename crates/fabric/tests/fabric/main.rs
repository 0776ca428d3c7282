//! The fabric against closed forms, published figures, golden ladders and its own invariants.

mod deadlock;
mod head_of_line;
mod ladders;
mod networks;
mod occupancy;
mod random_fabrics;
mod tandem;
