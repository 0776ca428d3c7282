//! What the benchmarks measure with: patterns of events, the baselines that run beside the real thing, and the clock.

pub mod arbiters;
mod baseline;
mod frame_fabrics;
mod packet_fabrics;
mod pattern;
mod processor_time;
mod progress;

pub use baseline::{HeapQueue, Pending};
pub use frame_fabrics::{frame_fabric, laws, messages, without_laws};
pub use packet_fabrics::{Subject, subjects};
pub use pattern::Pattern;
pub use processor_time::ProcessorTime;
pub use progress::{measured, time_for};

/// The payload of a benchmark's event: 16 bytes, as much as a model's event has.
pub type Payload = [u64; 2];
