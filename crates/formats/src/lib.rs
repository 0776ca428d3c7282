//! Readers and writers of other people's files.

pub mod anynet;
mod draft;
mod error;
pub mod graphml;
mod network;
pub mod parquet;
pub mod pcapng;
pub mod traffic_matrix;

pub use error::{FormatError, Place};
pub use network::{ReadError, read_network};
