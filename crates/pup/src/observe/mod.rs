//! The instruments: what is written down about each Pup while a run lasts.

mod capture;
mod journey;
mod retransmissions;
mod stage;

pub use capture::{Capture, Frame, Tap, write_frame};
pub(crate) use journey::Journey;
pub(crate) use retransmissions::Retransmissions;
pub use stage::Stage;
