//! Tables of columns: CSV as people write it, and Parquet for what a run keeps.

#[cfg(not(target_family = "wasm"))]
mod chunks;
pub(crate) mod csv;
#[cfg(not(target_family = "wasm"))]
pub mod parquet;
#[cfg(not(target_family = "wasm"))]
pub mod parquet_read;
pub(crate) mod records;
pub mod table;
