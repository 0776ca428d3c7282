//! Forwarding tables by destination: the tables, the engines that compute them, the walk that follows them, the path of
//! one pair, the virtual lanes that packets use, and their check.

pub mod check;
mod destination_tables;
pub mod engine;
pub mod path;
pub mod virtual_lanes;
pub(crate) mod walk;

pub use destination_tables::DestinationTables;
