//! Readers and writers of other people's files.

pub mod anynet;
pub mod cable_file;
mod cabled;
mod connection_matrix;
mod csv;
mod draft;
pub mod edge_list;
mod error;
pub mod flow_list;
pub mod forwarding_tables;
pub mod graphml;
pub mod infiniband;
mod lines;
mod network;
pub mod parquet;
pub mod pcapng;
pub mod root_guids;
pub mod size_cdf;
pub mod subnet_lst;
pub mod traffic_matrix;

pub use cable_file::{CableForm, LinkDefaults, Unwritable};
pub use cabled::{Address, CabledNetwork, MOST_LIDS};
pub use error::{FormatError, Place};
pub use network::{ReadError, fabric_format, read_fabric, read_network};
