//! Tables of columns: CSV as people write it, and Parquet for what a run keeps.

pub(crate) mod csv;
#[cfg(not(target_family = "wasm"))]
pub mod parquet;
#[cfg(not(target_family = "wasm"))]
pub mod parquet_read;
