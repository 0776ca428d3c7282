//! Readers and writers of other tools' files.
//!
//! - [`fabric`]: networks as tools print them, with one table of all formats;
//! - [`counters`]: counters of ports;
//! - [`tables`]: forwarding tables and root GUIDs;
//! - [`lanes`]: service levels of paths, and the virtual lanes that they mean;
//! - [`flows`]: who sends what to whom, and when;
//! - [`capture`]: packets on a wire;
//! - [`columns`]: tables of columns, as CSV and as Parquet.

pub mod capture;
pub mod columns;
pub mod counters;
mod error;
pub mod fabric;
pub mod flows;
pub mod lanes;
mod lines;
pub mod tables;

pub use capture::pcapng;
pub use columns::csv::csv_heading;
#[cfg(not(target_family = "wasm"))]
pub use columns::parquet;
#[cfg(not(target_family = "wasm"))]
pub use columns::parquet_read;
pub use error::{FormatError, Place};
pub use fabric::{
    Address, AggregationNode, CabledNetwork, LinkDefaults, MOST_LIDS, NodeLids, OwnEnd, OwnLink, ReadError,
    Unwritable, WrittenForm, fabric_format, read_fabric, read_network, write_fabric,
};
pub use flows::{flow_list, size_cdf, traffic_matrix};
pub use tables::root_guids;
