//! The stages of a message's life in a fabric of frames.

use hopscope_measure::{Charged, ResourceKind, StageId, StageLabel};

/// The stages of a message's life in a fabric of frames, in the order in which it first meets them.
///
/// The ledger follows the frame that completes the message: up to the instant at which that frame begins to leave its
/// host it is the message's, with the transmission of the frames before. Where a frame waits in a queue that is held
/// back part of the time, that time is charged first, the rest as queueing.
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
    pub const LABELS: &'static [StageLabel] = &labels(StageId::Paused);

    /// The same with credits.
    pub const CREDIT_LABELS: &'static [StageLabel] = &labels(StageId::CreditWait);
}

const fn labels(held_back: StageId) -> [StageLabel; FrameStage::COUNT] {
    [
        StageLabel::new(StageId::SendQueue, Charged::HOST_LINK),
        StageLabel::new(StageId::Pacing, Charged::To(ResourceKind::RateLimiter)),
        StageLabel::new(held_back, Charged::DOWNSTREAM_BUFFER),
        StageLabel::new(StageId::Transmission, Charged::LINK),
        StageLabel::new(StageId::Propagation, Charged::LINK),
        StageLabel::new(StageId::Switching, Charged::PIPELINE),
        StageLabel::new(StageId::LaneWait, Charged::HEAD_OF_LANE),
        StageLabel::new(StageId::Queueing, Charged::To(ResourceKind::Output)),
    ]
}
