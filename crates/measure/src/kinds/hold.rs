//! What holders of a resource do while they hold it.

use super::{ResourceKind, StageId, closed, in_words};

closed! {
    /// What a holder does while it holds some of a resource, or what a resource does while it is held.
    pub enum HoldWhy {
        Sending, "sending", "bits pass";
        Stopped, "stopped", "the receiver of the link has told it to stop";
        Paused, "paused", "the receiver of the link has sent a pause frame";
        WithoutCredit, "out of credit", "the receiver of the link has given no credit";
        RunDry, "run dry", "a link that waits for the rest of a packet that is still on its way to the switch";
        OtherLane, "another lane's turn", "another lane of the same link sends";
        OtherOutputs, "waiting for other outputs", "a packet for several hosts, which leaves by several outputs at once, waits for the others";
        SetUp, "set-up", "the crossbar is being set up";
        Packets, "packets", "packets in the FIFO";
        Frames, "frames", "frames in the buffer";
        OnTheWay, "on the way", "credits for frames on the link, and credits on their way back";
        Buffered, "in the buffer", "credits for frames in the buffer at the far end";
        Data, "data", "packets of messages";
        Replies, "replies", "RFNMs, allocations and other replies";
        RoutingMessages, "routing messages", "routing messages";
        Retransmissions, "retransmissions", "packets that are sent again";
        NullPackets, "null packets", "packets that carry nothing but acknowledgments";
        UnusedAllocation, "unused allocation (ALL)", "an allocation on its way to the source, or there before a message takes it";
        Reqall, "REQALL", "a request for an allocation that is not answered yet";
        Input, "message being taken in", "a message that the source IMP is taking in from its host";
        Transit, "message in transit", "a message on its way through the subnet";
        Reassembly, "message in reassembly", "a message of which a part has arrived, or which waits for earlier ones";
        HostQueue, "message in the queue for its host", "a message in the queue for its host or on the line to it";
        RfnmWaiting, "RFNM waiting", "an RFNM that waits at the destination for earlier RFNMs or for an allocation";
        RfnmTransit, "RFNM in transit", "an RFNM on its way to the source";
        All, "every holder", "whatever its holders do";
    }
}

/// What an activity of holders implies.
struct Traits {
    is_held_back: bool,
    stages: &'static [StageId],
    needs: &'static [ResourceKind],
}

impl Traits {
    const NOTHING: Self = Self { is_held_back: false, stages: &[], needs: &[] };

    const fn spent_in(stages: &'static [StageId]) -> Self {
        Self { stages, ..Self::NOTHING }
    }
}

impl HoldWhy {
    /// The only match over activities: a new one does not compile until it is listed here.
    const fn traits(self) -> Traits {
        match self {
            Self::Stopped | Self::Paused | Self::WithoutCredit => {
                Traits { is_held_back: true, ..Traits::NOTHING }
            }
            Self::Packets | Self::Frames => Traits::spent_in(&[
                StageId::FifoWait,
                StageId::LaneWait,
                StageId::OutputWait,
                StageId::Queueing,
            ]),
            Self::Reqall => Traits {
                needs: &[ResourceKind::ReassemblyBuffers],
                ..Traits::spent_in(&[StageId::ReassemblyWait])
            },
            Self::Input => Traits {
                needs: &[ResourceKind::MessageNumbers, ResourceKind::PendingLeaderTable],
                ..Traits::spent_in(&[StageId::MessageNumberWait, StageId::LeaderTableWait])
            },
            Self::Transit => Traits::spent_in(&[
                StageId::StoreAndForwardWait,
                StageId::ChannelWait,
                StageId::LineWait,
                StageId::RetransmissionWait,
                StageId::ProcessorWait,
            ]),
            Self::Reassembly => Traits::spent_in(&[StageId::OrderWait]),
            Self::HostQueue => Traits::spent_in(&[StageId::HostOutputWait]),
            Self::RfnmWaiting => Traits {
                needs: &[ResourceKind::ReassemblyBuffers],
                ..Traits::spent_in(&[StageId::RfnmOrderWait, StageId::RfnmAllocationWait])
            },
            Self::RfnmTransit => Traits::spent_in(&[StageId::RfnmQueueing]),
            Self::Sending
            | Self::RunDry
            | Self::OtherLane
            | Self::OtherOutputs
            | Self::SetUp
            | Self::OnTheWay
            | Self::Buffered
            | Self::Data
            | Self::Replies
            | Self::RoutingMessages
            | Self::Retransmissions
            | Self::NullPackets
            | Self::UnusedAllocation
            | Self::All => Traits::NOTHING,
        }
    }

    /// Whether a link is stopped because its far end has no room.
    #[must_use]
    pub const fn is_held_back(self) -> bool {
        self.traits().is_held_back
    }

    /// The waiting stages of the ledger in which a holder spends this time, if they are stages of messages.
    #[must_use]
    pub const fn stages(self) -> &'static [StageId] {
        self.traits().stages
    }

    /// The resources that a holder may need by the protocol besides what it holds: a REQALL is answered when buffers
    /// are free.
    #[must_use]
    pub const fn needs(self) -> &'static [ResourceKind] {
        self.traits().needs
    }
}

/// What holders do, with the lane if a link has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HoldActivity {
    /// What they do.
    pub why: HoldWhy,
    /// The lane, where there are several.
    pub lane: Option<u8>,
}

impl HoldActivity {
    /// The activity on a link with one lane, or on another resource.
    #[must_use]
    pub const fn of(why: HoldWhy) -> Self {
        Self { why, lane: None }
    }

    /// The activity in a lane of several.
    #[must_use]
    pub const fn in_lane(why: HoldWhy, lane: u8) -> Self {
        Self { why, lane: Some(lane) }
    }

    /// The words that people read, such as "paused in lane 3".
    #[must_use]
    pub fn word(self) -> String {
        match self.lane {
            None => self.why.word().to_owned(),
            Some(lane) => format!("{} in lane {lane}", self.why.word()),
        }
    }

    /// The activity with these words.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let plain = HoldWhy::of_word(word).map(Self::from);
        plain.or_else(|| {
            let (why, lane) = word.rsplit_once(" in lane ")?;
            Some(Self { why: HoldWhy::of_word(why)?, lane: Some(lane.parse().ok()?) })
        })
    }
}

impl From<HoldWhy> for HoldActivity {
    fn from(why: HoldWhy) -> Self {
        Self::of(why)
    }
}

in_words!(HoldActivity);
