//! What all models of switch fabrics share: the network with its routes and links, and their names in reports.
//!
//! The switch is AN1's (Owicki and Karlin, SRC report 88): `params.rs` holds its numbers. A channel sends at full rate
//! or is stopped, so the flow through every buffer is piecewise constant, and the exact continuous model needs a
//! handful of events a packet a hop, however long the packet is.

mod arbiter;
mod by_family;
mod crossing;
mod data;
mod deadlock;
mod evidence;
mod fairness;
mod faults;
mod forwarding;
mod load;
mod look_ahead;
mod params;
mod paths;
mod plan;
mod report;
mod slots;
mod upgrade;

pub use arbiter::Arbiter;
pub use by_family::by_family;
pub use data::{NANOBITS, Nanobits, time_of};
pub use deadlock::{cycle_of_waits, keep_stuck, stuck};
pub use fairness::Fairness;
pub use faults::{Failing, Fault, Goes, PlannedFault, happened, note_on_late, planned};
pub use forwarding::Loops;
pub use load::{ManyNanobits, OfferedLoad, add_load, sent_within};
pub use look_ahead::{fetch_in_rounds, foresight, prefetch};
pub use params::{Choice, FabricParams, LinkParams, RoutingParams, Rule};
pub use paths::scatter;
pub use plan::{FabricPlan, SlotLayout, check_links, rates, routes, routing_rule};
pub use report::{OutputUse, count, fraction, listed};
pub use slots::{Link, NO_SLOT, NO_SWITCH, Slot, Slots};
pub use upgrade::{LinkUpgrade, Upgrade, with_nominal_rates};
