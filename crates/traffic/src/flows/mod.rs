//! Traffic of today's clusters: flows of many frames that begin at set times, at random, or when others have ended.
//!
//! A scenario lists [`FlowGroup`]s; [`FlowSchedule`] is what they become on one network. It has no clock and no
//! packets: the model asks when flows begin, reports which have ended, and gets those that begin after them.
//!
//! ```text
//! at schedule.next_arrival():   schedule.release(now, &mut begins)
//! when a flow has arrived:      if let Some(round) = schedule.finished(now, &flow, &mut begins) { ... }
//! ```
//!
//! After either, `begins` holds the flows that begin now, and `next_arrival` may have changed.

mod all_reduce;
mod all_to_all;
mod group;
mod hosts;
mod list;
mod parts;
mod published_sizes;
mod round;
mod schedule;
mod sizes;

pub use all_reduce::{Algorithm, AllReduce};
pub use all_to_all::{AllToAll, Order};
pub use group::{FlowGroup, FlowPattern, Incast, PermutationFlows, PoissonFlows};
pub use hosts::Hosts;
pub use list::{FlowList, ListedFlow};
pub use schedule::{Flow, FlowSchedule, RoundEnd};
pub use sizes::{CdfPoint, FlowSizes, SizeCdf, SizeDistribution};
