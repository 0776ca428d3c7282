//! Traffic in files: flows with their starts, matrices of weights, distributions of sizes.

mod connection_matrix;
pub mod flow_list;
pub mod size_cdf;
pub mod traffic_matrix;
