//! The machine that moves frames, against closed forms, published figures, golden ladders and its own invariants.

mod arbitration;
mod collectives;
mod convergence;
mod credits;
mod cut_through;
mod dcqcn;
mod degraded;
mod edges;
mod evidence;
mod headroom;
mod invariants;
mod ladders;
mod loops;
mod losing;
#[path = "../../../fabric/tests/shared/networks.rs"]
mod networks;
mod outages;
mod own_rule;
mod pauses;
mod refusals;
mod scheduling;
mod universe;
mod whole_networks;
mod windows;
