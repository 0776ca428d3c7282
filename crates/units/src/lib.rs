//! Simulated time, amounts of data, rates and typed ids.
//!
//! Everything is an integer: time in picoseconds, data in bits, rates in bits a second. Floats appear only where
//! results are summarised (crate `measure`). The text forms ("0.48 us", "4 KiB", "100 Mbit/s") are read exactly,
//! without a float.

mod amount;
mod data;
mod id;
mod quantity;
mod rate;
#[cfg(feature = "scenario")]
mod scenario;
mod time;

pub use amount::amount;
pub use data::Data;
pub use quantity::ParseQuantityError;
pub use rate::Rate;
pub use time::{Span, Time};
