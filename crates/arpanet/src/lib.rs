//! Model: the ARPANET's subnet of IMPs, 1973 to 1975.
//!
//! What is modelled is what Kleinrock and Opderbeck describe ("Throughput in the ARPANET: protocols and measurement",
//! 1977), with the single-packet rule of RFC 632 and the instants of RFC 619. The rules of protocol and routing know no
//! clock, no network and no queue: one file a resource. [`Subnet`] puts them together; [`ArpanetPlan`] checks a
//! scenario and starts runs of it.

mod observe;
mod protocol;
mod report;
mod routing;
mod scenario;
mod subnet;

pub use observe::trace::{TraceKind, TraceRow};
pub use protocol::single_packet::SinglePacketRule;
pub use protocol::stage::{Phase, Stage};
pub use routing::feasible_distance::{NUMBER_BITS, Numbers};
pub use routing::hold_down::HoldDown;
pub use routing::routing_table::{
    MOST_DESTINATIONS, NO_PORT, Port, RouteUpdate, RoutingTable, Vector, vector_of,
};
pub use scenario::line_file::{Place, read_lines, read_places};
pub use scenario::outages::OutageParams;
pub use scenario::params::{
    ArpanetParams, BackgroundParams, Computer, FlowParams, HostParams, ImpParams, LineParams, NetworkParams,
    ProtocolParams, RoutingMessages, RoutingParams, SilenceParams, Version, When,
};
pub use scenario::plan::{ArpanetPlan, MOST_IMPS};
pub use scenario::processor_params::{Processor316, Processor516, ProcessorParams, ProcessorTimes};
pub use scenario::site_params::{
    BurstParams, PairParams, SiteHostParams, SitesParams, SizeParams, StatisticsParams, StatusReportParams,
    read_hosts, read_pairs, read_sizes,
};
pub use subnet::Subnet;
pub use subnet::event::Event;
pub use subnet::snapshots::MOST_SNAPSHOT_ROWS;
