//! Forwarding tables by destination: the tables, the engines that compute them, the walk that follows them, and their
//! check.

pub mod check;
mod destination_tables;
pub mod engine;
pub(crate) mod walk;

pub use destination_tables::DestinationTables;
