//! The number of messages under way, including those not yet delivered at the end of a run.

use serde::Serialize;

/// The number of messages under way in the measured window. Messages that have not arrived at its end are in no delay;
/// by Little's law they are in the mean number over the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnderWay {
    /// The mean over the window.
    pub mean: f64,
    /// The number at the end of the window.
    pub end: u64,
}
