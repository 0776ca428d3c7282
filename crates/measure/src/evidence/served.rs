//! Evidence on segments, varying services, and buffers that stop their senders.

use std::collections::BTreeMap;

use super::Place;

/// A station whose services vary more than its arrivals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VaryingService {
    /// Its row.
    pub row: usize,
    /// The squared coefficient of variation of its services.
    pub services: f64,
    /// The squared coefficient of variation of the gaps between its arrivals.
    pub arrivals: f64,
    /// The share of all waiting, there and at later stations, that constant services would save.
    pub saves: f64,
}

/// Messages that are cut into segments, each with headers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentUse {
    /// The place that limits the length of segments.
    pub place: Place,
    /// The sender or class of the messages.
    pub who: String,
    /// The number of segments of a message.
    pub segments: u64,
    /// The longest permitted segment, bytes.
    pub longest: f64,
    /// The share of headers in what is sent, 0 to 1.
    pub headers: f64,
}

/// Frames of input smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothingUse {
    /// The number of packets that a link carries in a frame.
    pub slots: u32,
    /// The length of a frame, seconds.
    pub frame_s: f64,
}

/// FIFOs that stop the links into them, and start them again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopUse {
    /// The content of a FIFO, bits, from which it stops its link; below it, the link is started.
    pub level: f64,
    /// The period at which stops and starts are sent, seconds; 0 if they are sent at once.
    pub every_s: f64,
}

/// Inputs of switches that pause their senders at a multiple of the free part of a shared buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedPauses {
    /// The multiple of the free buffer.
    pub alpha: f64,
    /// The shared buffer of a switch, bytes, by the switch's number.
    pub shared: BTreeMap<u32, f64>,
}
