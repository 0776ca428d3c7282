//! How messages are cut, how what serves them varies, and when buffers stop their senders.

use std::collections::BTreeMap;

use super::Place;

/// A station whose services vary more than what comes to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VaryingService {
    /// Its row.
    pub row: usize,
    /// The squared coefficient of variation of its services.
    pub services: f64,
    /// That of the gaps between arrivals there.
    pub arrivals: f64,
    /// The share of all waiting, there and at the stations after it, that services of one length would save.
    pub saves: f64,
}

/// Messages that are cut into segments, each with headers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentUse {
    /// What takes no longer ones.
    pub place: Place,
    /// Whose messages they are.
    pub who: String,
    /// How many a message is cut into.
    pub segments: u64,
    /// The longest that may be, bytes.
    pub longest: f64,
    /// The share of headers in what is sent, 0 to 1.
    pub headers: f64,
}

/// Frames of input smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothingUse {
    /// How many packets a link carries in one.
    pub slots: u32,
    /// How long one is, seconds.
    pub frame_s: f64,
}

/// FIFOs that stop the links into them, and start them again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopUse {
    /// From so many bits in a FIFO on it stops its link; below, it starts it.
    pub level: f64,
    /// Stops and starts are sent once in this time, seconds; 0 where they are sent at once.
    pub every_s: f64,
}

/// Inputs of switches that pause their senders from a multiple of what is free in a buffer which they share.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedPauses {
    /// The multiple.
    pub alpha: f64,
    /// What the inputs of a switch share, bytes, by its number.
    pub shared: BTreeMap<u32, f64>,
}
