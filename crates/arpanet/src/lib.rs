//! Model: the ARPANET's subnet of IMPs, 1973 to 1975.
//!
//! What is modelled is what Kleinrock and Opderbeck describe ("Throughput in the ARPANET: protocols and measurement", 1977), with the
//! single-packet rule of RFC 632 and the instants of RFC 619. The protocol parts know no clock, no network and no queue: one file a
//! resource. [`Subnet`] puts them together; [`ArpanetPlan`] checks a scenario and starts runs of it.

mod allocation;
mod blocks;
mod causes;
mod columns;
mod dependence;
mod destination_imp;
mod event;
mod hold_down;
mod imp;
mod incomplete;
mod invariants;
mod line_file;
mod line_output;
mod loops;
mod message_block;
mod message_numbers;
mod message_order;
mod message_timeout;
mod modem_line;
mod packet;
mod params;
mod pending_leader_table;
mod plan;
mod processor;
mod reassembly;
mod replies;
mod report;
mod routing;
mod routing_events;
mod single_packet;
mod site_plan;
mod site_tables;
mod site_traffic;
mod sites;
mod snapshots;
mod source_imp;
mod sources;
mod stage;
mod statistics;
mod subnet;
mod trace;
mod validation;

pub use columns::{CellPlace, CellPlaces, Table, TableError};
pub use event::Event;
pub use hold_down::HoldDown;
pub use line_file::{Place, read_lines, read_places};
pub use params::{
    ArpanetParams, BackgroundParams, Computer, FlowParams, HostParams, ImpParams, LineParams, NetworkParams,
    ProcessorKind, ProcessorParams, ProtocolParams, RoutingMessages, RoutingParams, SilenceParams, Version,
    When,
};
pub use plan::{ArpanetPlan, MOST_IMPS};
pub use routing::{NO_PORT, Port, RoutingTable, Verdict};
pub use single_packet::SinglePacketRule;
pub use sites::{
    PairParams, SiteHostParams, SitesParams, SizeParams, StatusReportParams, read_pairs, read_sizes,
};
pub use snapshots::MOST_SNAPSHOT_ROWS;
pub use stage::{Phase, Stage};
pub use subnet::Subnet;
pub use trace::{TraceKind, TraceRow};
