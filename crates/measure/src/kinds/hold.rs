//! What holders of a resource do while they hold it.

use super::{ResourceKind, StageId, closed, in_words};

closed! {
    /// What a holder does while it holds some of a resource, or what a resource does while somebody holds it.
    pub enum HoldWhy {
        Sending, "sending", "bits pass";
        Stopped, "stopped", "the receiver of the link has told it to stop";
        Paused, "paused", "the receiver of the link has sent a pause frame";
        WithoutCredit, "without credit", "the receiver of the link has given no credit";
        RunDry, "run dry", "a link that waits for the rest of a packet that is still on its way to the switch";
        OtherLane, "another lane's turn", "another lane of the same link sends";
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

impl HoldWhy {
    /// Whether a link stands still for want of room at its far end.
    #[must_use]
    pub const fn is_held_back(self) -> bool {
        match self {
            Self::Stopped | Self::Paused | Self::WithoutCredit => true,
            Self::Sending
            | Self::RunDry
            | Self::OtherLane
            | Self::SetUp
            | Self::Packets
            | Self::Frames
            | Self::OnTheWay
            | Self::Buffered
            | Self::Data
            | Self::Replies
            | Self::RoutingMessages
            | Self::Retransmissions
            | Self::NullPackets
            | Self::UnusedAllocation
            | Self::Reqall
            | Self::Input
            | Self::Transit
            | Self::Reassembly
            | Self::HostQueue
            | Self::RfnmWaiting
            | Self::RfnmTransit
            | Self::All => false,
        }
    }

    /// The waits of the ledger that a holder spends this time in, where they are those of messages.
    #[must_use]
    pub const fn stages(self) -> &'static [StageId] {
        match self {
            Self::Reqall => &[StageId::ReassemblyWait],
            Self::Input => &[StageId::MessageNumberWait, StageId::LeaderTableWait],
            Self::Transit => &[
                StageId::StoreAndForwardWait,
                StageId::ChannelWait,
                StageId::LineWait,
                StageId::RetransmissionWait,
                StageId::ProcessorWait,
            ],
            Self::Reassembly => &[StageId::OrderWait],
            Self::HostQueue => &[StageId::HostOutputWait],
            Self::RfnmWaiting => &[StageId::RfnmOrderWait, StageId::RfnmAllocationWait],
            Self::RfnmTransit => &[StageId::RfnmQueueing],
            Self::Packets | Self::Frames => {
                &[StageId::FifoWait, StageId::LaneWait, StageId::OutputWait, StageId::Queueing]
            }
            Self::Sending
            | Self::Stopped
            | Self::Paused
            | Self::WithoutCredit
            | Self::RunDry
            | Self::OtherLane
            | Self::SetUp
            | Self::OnTheWay
            | Self::Buffered
            | Self::Data
            | Self::Replies
            | Self::RoutingMessages
            | Self::Retransmissions
            | Self::NullPackets
            | Self::UnusedAllocation
            | Self::All => &[],
        }
    }

    /// The resources that a holder may need besides what it holds, by the protocol: a REQALL needs buffers to be answered.
    #[must_use]
    pub const fn needs(self) -> &'static [ResourceKind] {
        match self {
            Self::Reqall | Self::RfnmWaiting => &[ResourceKind::ReassemblyBuffers],
            Self::Input => &[ResourceKind::MessageNumbers, ResourceKind::PendingLeaderTable],
            Self::Sending
            | Self::Stopped
            | Self::Paused
            | Self::WithoutCredit
            | Self::RunDry
            | Self::OtherLane
            | Self::SetUp
            | Self::Packets
            | Self::Frames
            | Self::OnTheWay
            | Self::Buffered
            | Self::Data
            | Self::Replies
            | Self::RoutingMessages
            | Self::Retransmissions
            | Self::NullPackets
            | Self::UnusedAllocation
            | Self::Transit
            | Self::Reassembly
            | Self::HostQueue
            | Self::RfnmTransit
            | Self::All => &[],
        }
    }
}

/// What holders do, in one lane of a link where it has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HoldCause {
    /// What they do.
    pub why: HoldWhy,
    /// The lane, where there are several.
    pub lane: Option<u8>,
}

impl HoldCause {
    /// The cause on a link with one lane, or of what is no link.
    #[must_use]
    pub const fn of(why: HoldWhy) -> Self {
        Self { why, lane: None }
    }

    /// The cause in a lane of several.
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

    /// The cause with these words.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let plain = HoldWhy::of_word(word).map(Self::from);
        plain.or_else(|| {
            let (why, lane) = word.rsplit_once(" in lane ")?;
            Some(Self { why: HoldWhy::of_word(why)?, lane: Some(lane.parse().ok()?) })
        })
    }
}

impl From<HoldWhy> for HoldCause {
    fn from(why: HoldWhy) -> Self {
        Self::of(why)
    }
}

in_words!(HoldCause);
