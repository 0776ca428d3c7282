//! How much a network can carry before any simulation: the flow on every channel, and what bounds the load.
//!
//! The unit of load is the caller's: [`Stream`]s give the bits a second that load 1 sends, and every bound is a load.

mod best_split;
mod bounds;
mod demand;
mod flows;
mod head_of_line;
mod of_tables;
mod root;

pub use best_split::{BestSplit, Effort};
pub use bounds::{Bound, CapacityBounds, IdleByLevels, Place};
pub use demand::Stream;
pub use flows::ChannelFlows;
pub use head_of_line::{HeadOfLine, PacketService};
pub use root::RootShare;
