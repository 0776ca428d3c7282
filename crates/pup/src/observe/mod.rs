//! The instruments: what is written down about each Pup while a run lasts.

mod batched_ratio;
mod capture;
mod fairness;
mod journey;
mod stage;
mod stream_statistics;

pub(crate) use batched_ratio::BatchedRatio;
pub use capture::{Capture, Frame, RadioFragment, Tap, write_fragment, write_frame};
pub(crate) use fairness::fairness;
pub(crate) use journey::Journey;
pub use stage::Stage;
pub(crate) use stream_statistics::{StreamCounts, StreamStatistics};
