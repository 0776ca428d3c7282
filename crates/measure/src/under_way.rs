//! How many messages were under way: also those that a run ends before.

use serde::Serialize;

/// Messages under way in the measured window. Those that have not arrived when it ends are in no delay; by Little's
/// law the mean number over the window tells of them too.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnderWay {
    /// On average over the window.
    pub mean: f64,
    /// When the window ends.
    pub end: u64,
}
