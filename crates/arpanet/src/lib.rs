//! Model: the ARPANET's subnet of IMPs, 1973 to 1975.
//!
//! What is modelled is what Kleinrock and Opderbeck describe ("Throughput in the ARPANET: protocols and measurement", 1977), with the
//! single-packet rule of RFC 632 and the instants of RFC 619. The protocol parts know no clock, no network and no queue: one file a
//! resource. [`Subnet`] puts them together; [`ArpanetPlan`] checks a scenario and starts runs of it.

#[path = "protocol/allocation.rs"]
mod allocation;
#[path = "subnet/block_setup.rs"]
mod blocks;
#[path = "report/causes.rs"]
mod causes;
#[path = "scenario/csv.rs"]
mod columns;
#[path = "report/dependence.rs"]
mod dependence;
#[path = "subnet/destination_imp.rs"]
mod destination_imp;
#[path = "subnet/event.rs"]
mod event;
#[path = "routing/hold_down.rs"]
mod hold_down;
#[path = "subnet/imp.rs"]
mod imp;
#[path = "subnet/incomplete_transmission.rs"]
mod incomplete;
#[path = "report/held_resources.rs"]
mod invariants;
#[path = "scenario/line_file.rs"]
mod line_file;
#[path = "subnet/line_output.rs"]
mod line_output;
#[path = "routing/loops.rs"]
mod loops;
#[path = "protocol/message_block.rs"]
mod message_block;
#[path = "protocol/message_numbers.rs"]
mod message_numbers;
#[path = "protocol/message_order.rs"]
mod message_order;
#[path = "protocol/message_timeout.rs"]
mod message_timeout;
#[path = "protocol/modem_line.rs"]
mod modem_line;
#[path = "protocol/packet.rs"]
mod packet;
#[path = "scenario/params.rs"]
mod params;
#[path = "protocol/pending_leader_table.rs"]
mod pending_leader_table;
#[path = "scenario/plan.rs"]
mod plan;
#[path = "subnet/processor.rs"]
mod processor;
#[path = "protocol/reassembly.rs"]
mod reassembly;
#[path = "subnet/rfnm.rs"]
mod replies;
mod report;
#[path = "routing/routing_table.rs"]
mod routing;
#[path = "subnet/routing_messages.rs"]
mod routing_events;
#[path = "protocol/single_packet.rs"]
mod single_packet;
#[path = "scenario/site_plan.rs"]
mod site_plan;
#[path = "observe/round_trip_tables.rs"]
mod site_tables;
#[path = "subnet/site_traffic.rs"]
mod site_traffic;
#[path = "scenario/site_params.rs"]
mod sites;
#[path = "subnet/snapshots.rs"]
mod snapshots;
#[path = "subnet/source_imp.rs"]
mod source_imp;
#[path = "subnet/traffic_sources.rs"]
mod sources;
#[path = "protocol/stage.rs"]
mod stage;
#[path = "observe/statistics.rs"]
mod statistics;
mod subnet;
#[path = "observe/trace.rs"]
mod trace;
#[path = "scenario/validation.rs"]
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
