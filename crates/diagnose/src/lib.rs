//! From the counters of a fabric's ports to the root of its waiting.
//!
//! - [`Channels`]: both directions of every link with what their counters say.
//! - [`diagnose`]: follows the waiting along the routes to its roots.
//! - [`Diagnosis`]: the verdict with its evidence.
//! - [`fit`]: traffic that reproduces the counters.
//! - [`wait_unit`]: what a tick of PortXmitWait is worth.

mod channels;
mod diagnosis;
mod equal_links;
mod fit;
mod following;
mod notes;
mod root;
mod thresholds;
mod wait_ticks;

pub use channels::{Channel, Channels, Counted};
pub use diagnosis::{CableErrors, ChainLink, Diagnosis, Victim, diagnose};
pub use equal_links::IdleLink;
pub use fit::{Fit, MOST_HOSTS, fit};
pub use root::{Root, RootKind, place_of};
pub use wait_ticks::{WaitUnit, wait_unit};
