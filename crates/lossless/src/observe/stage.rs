//! The stages of a message's life in a fabric of frames.

use hopscope_measure::{Charged, ResourceKind, StageId, StageLabel};

use crate::rate_control::HeldBy;

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

    /// Where what is lost is sent again, nothing waits behind a head of a lane: that place in the ledger is for the
    /// wait until a frame is known to be missing.
    pub const RETRANSMISSION: Self = Self::LaneWait;
}

/// The labels with pause frames, with credits, and where what is lost is sent again.
macro_rules! of_law {
    ($paced:expr, $by:expr) => {{
        const PACED: StageLabel = StageLabel::new($paced, Charged::To($by));
        [
            &const { labels(PACED, StageId::Paused, HEAD_OF_LANE) },
            &const { labels(PACED, StageId::CreditWait, HEAD_OF_LANE) },
            &const { labels(PACED, StageId::Paused, AGAIN) },
        ]
    }};
}

/// What distinguishes the stages of one fabric from those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stages {
    /// Whether links wait for credit; otherwise it is by pause frames, if at all.
    pub has_credits: bool,
    /// Whether what is lost is sent again.
    pub sends_again: bool,
    /// By what flows are held.
    pub held_by: HeldBy,
}

impl Stages {
    /// What each stage is called and which resource it is charged to.
    pub const fn labels(self) -> &'static [StageLabel] {
        const RATE: [&[StageLabel]; 3] = of_law!(StageId::Pacing, ResourceKind::RateLimiter);
        const WINDOW: [&[StageLabel]; 3] = of_law!(StageId::WindowWait, ResourceKind::FlowWindow);
        const PULLS: [&[StageLabel]; 3] = of_law!(StageId::PullWait, ResourceKind::FlowWindow);
        let of_law = match self.held_by {
            HeldBy::Rate => RATE,
            HeldBy::Window => WINDOW,
            HeldBy::Pulls => PULLS,
        };
        match (self.has_credits, self.sends_again) {
            (true, _) => of_law[1],
            (false, false) => of_law[0],
            (false, true) => of_law[2],
        }
    }
}

const HEAD_OF_LANE: StageLabel = StageLabel::new(StageId::LaneWait, Charged::HEAD_OF_LANE);
const AGAIN: StageLabel = StageLabel::new(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT);

const fn labels(
    paced: StageLabel,
    held_back: StageId,
    in_lane: StageLabel,
) -> [StageLabel; FrameStage::COUNT] {
    [
        StageLabel::new(StageId::SendQueue, Charged::HOST_LINK),
        paced,
        StageLabel::new(held_back, Charged::DOWNSTREAM_BUFFER),
        StageLabel::new(StageId::Transmission, Charged::LINK),
        StageLabel::new(StageId::Propagation, Charged::LINK),
        StageLabel::new(StageId::Switching, Charged::PIPELINE),
        in_lane,
        StageLabel::new(StageId::Queueing, Charged::To(ResourceKind::Output)),
    ]
}
