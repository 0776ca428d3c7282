//! The stages of a message's life.

use hopscope_measure::StageLabel;

/// The stages of a message's life in a fabric of frames, in the order in which it first meets them.
///
/// The ledger follows the frame that completes the message: up to the instant at which that frame begins to leave its host it is the
/// message's, with the transmission of the frames before. Where a frame waits in a queue that is held back part of the time, that time is
/// charged first, the rest as queueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameStage {
    /// Behind frames of other messages in the sending host.
    SendQueue,
    /// Until the flow's rate permits the next frame.
    Pacing,
    /// In a host or a queue whose receiver has sent a pause frame or has given no credit.
    Paused,
    /// On a link, from first bit to last.
    Transmission,
    /// On the way along a link.
    Propagation,
    /// In a switch's pipeline.
    Switching,
    /// Behind other frames in the FIFO of an input lane.
    LaneWait,
    /// At an output, behind other frames.
    Queueing,
}

impl FrameStage {
    /// How many stages there are.
    pub const COUNT: usize = 8;

    /// What each stage is called and which resource it is charged to, with pause frames.
    pub const LABELS: &'static [StageLabel] = &labels("paused");

    /// The same with credits.
    pub const CREDIT_LABELS: &'static [StageLabel] = &labels("credit wait");
}

const fn labels(held_back: &'static str) -> [StageLabel; FrameStage::COUNT] {
    [
        StageLabel::wait("send queue", "host link"),
        StageLabel::wait("pacing", "rate limiter"),
        StageLabel::wait(held_back, "downstream buffer"),
        StageLabel::service("transmission", "link"),
        StageLabel::service("propagation", "link"),
        StageLabel::service("switching", "switch"),
        StageLabel::wait("lane wait", "head of lane"),
        StageLabel::wait("queueing", "output"),
    ]
}
