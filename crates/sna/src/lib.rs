//! Model: a subarea network of IBM's Systems Network Architecture (SNA) of the late 1970s, and the rules that say who
//! may send next.
//!
//! [`rule`] knows neither a clock nor a network: virtual-route pacing, session-level pacing, sliding window, a window
//! acknowledged at its end, X.25, HDLC, one message at a time. Any of them drives a virtual route over the same chain
//! of nodes and transmission groups, so that they can be compared.

mod closed_forms;
mod network;
mod params;
mod plan;
mod report;
pub mod rule;
mod stage;
mod validation;

pub use closed_forms::{Closed, closed_network, equal_stations};
pub use network::{Event, Subarea};
pub use params::{
    GroupParams, HeaderParams, LineParams, NodeParams, Recovery, RouteParams, RuleKind, Service,
    SessionParams, SnaParams, StopParams, UnitParams, VirtualRouteParams,
};
pub use plan::SnaPlan;
