//! What all models of switch fabrics share: the network with its routes and links, and their names in reports.
//!
//! It has no switch: `hopscope-an1` (cut-through) and `hopscope-lossless` (whole frames) have one each. Both build on
//! the plan of this crate: nodes, links with their rates and delays, routes, arbiters, the schedule of faults, offered
//! load, the detection of deadlocks, and the report's evidence. `params.rs` holds the parameters that both models
//! share.

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
