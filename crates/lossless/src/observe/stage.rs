//! The stages of a message in a fabric of frames.

use hopscope_measure::{Charged, ResourceKind, StageId, StageLabel};

use crate::rate_control::HeldBy;

/// The stages of a message in a fabric of frames, in order of first occurrence.
///
/// The ledger follows the frame that completes the message: until that frame begins to leave its host, the stages are
/// the message's, including the transmission of earlier frames. If a frame waits in a queue that is stopped part of the
/// time, that time is charged first, the rest as queueing.
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
    /// In flight on a link.
    Propagation,
    /// In a switch's pipeline.
    Switching,
    /// With credits, behind other frames in the FIFO of an input lane. With retransmission, until the sender learns of
    /// the loss. No fabric has both, and a slot of the ledger for each would take a frame beyond its two cache lines.
    LaneOrRetransmissionWait,
    /// At an output, behind other frames.
    Queueing,
}

impl FrameStage {
    /// The number of stages.
    pub const COUNT: usize = 8;
}

/// How a fabric avoids or repairs the loss of frames, as far as its stages differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// By pause frames, or not at all.
    Pauses,
    /// By credits.
    Credits,
    /// Lost frames are sent again.
    Retransmission,
}

/// The labels of a kind of rate control, for each way of delivery.
macro_rules! labels_of {
    ($delivery:expr, $paced:expr, $by:expr) => {{
        const PACED: StageLabel = StageLabel::new($paced, Charged::To($by));
        match $delivery {
            Delivery::Pauses => &const { labels(PACED, StageId::Paused, HEAD_OF_LANE) },
            Delivery::Credits => &const { labels(PACED, StageId::CreditWait, HEAD_OF_LANE) },
            Delivery::Retransmission => &const { labels(PACED, StageId::Paused, RETRANSMISSION) },
        }
    }};
}

/// The properties of a fabric on which its stages depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stages {
    /// How frames are delivered.
    pub delivery: Delivery,
    /// What limits flows.
    pub held_by: HeldBy,
}

impl Stages {
    /// The name of each stage and the resource that it is charged to.
    pub const fn labels(self) -> &'static [StageLabel] {
        match self.held_by {
            HeldBy::Rate => labels_of!(self.delivery, StageId::Pacing, ResourceKind::RateLimiter),
            HeldBy::Window => labels_of!(self.delivery, StageId::WindowWait, ResourceKind::FlowWindow),
            HeldBy::Pulls => labels_of!(self.delivery, StageId::PullWait, ResourceKind::FlowWindow),
        }
    }
}

const HEAD_OF_LANE: StageLabel = StageLabel::new(StageId::LaneWait, Charged::HEAD_OF_LANE);
const RETRANSMISSION: StageLabel = StageLabel::new(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT);

const fn labels(
    paced: StageLabel,
    held_back: StageId,
    lane_or_retransmission: StageLabel,
) -> [StageLabel; FrameStage::COUNT] {
    [
        StageLabel::new(StageId::SendQueue, Charged::HOST_LINK),
        paced,
        StageLabel::new(held_back, Charged::DOWNSTREAM_BUFFER),
        StageLabel::new(StageId::Transmission, Charged::LINK),
        StageLabel::new(StageId::Propagation, Charged::LINK),
        StageLabel::new(StageId::Switching, Charged::PIPELINE),
        lane_or_retransmission,
        StageLabel::new(StageId::Queueing, Charged::To(ResourceKind::Output)),
    ]
}
