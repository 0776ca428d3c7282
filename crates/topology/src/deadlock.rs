//! Whether packets can deadlock: the channel-dependency graph, and the credit loop that it may
//! have.

mod channel_dependency;
mod credit_loop;

pub use channel_dependency::{Channel, ChannelDependencies};
pub(crate) use channel_dependency::{Marking, OfLanes};
