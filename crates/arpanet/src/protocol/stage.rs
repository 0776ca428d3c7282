//! The stages of a message's life, and what the holders of its resources do meanwhile.

use hopscope_measure::{Charged, HoldActivity, HoldWhy, ResourceKind, StageId, StageLabel};

/// The stages of a message's life, in the order in which it first meets them.
///
/// While a multipacket message is taken in, and at its destination, the stages are those of the message. In between
/// they are those of the packet that completes it: each packet takes the message's account along when it is queued for
/// its first line, and the account of the packet that arrives last becomes the message's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Behind other messages in the source host.
    HostQueue,
    /// While the host works on the message before it sends it.
    HostProcessing,
    /// On the line from the host into the source IMP.
    HostInput,
    /// Until the source IMP has enough free buffers to let a packet in.
    BufferWait,
    /// Until the transmit and receive blocks of a pair of hosts are set up (version 3).
    BlockWait,
    /// Until a message number is free.
    NumberWait,
    /// Until the pending packet table has a free entry (single-packet messages).
    PacketTableWait,
    /// Until the pending leader table has a free entry (multipacket messages).
    LeaderTableWait,
    /// Until an allocation comes: its request is on the way, or one that others asked for must do.
    AllocationWait,
    /// While the request waits at the destination for eight free reassembly buffers or for the replies before it.
    ReassemblyWait,
    /// Until the source IMP may hold one more store-and-forward packet.
    StoreWait,
    /// Until one of the eight acknowledgment channels of the line is free.
    ChannelWait,
    /// In the output queue of a line.
    LineWait,
    /// On a line, bit after bit.
    Transmission,
    /// On the way along a line.
    Propagation,
    /// In the processing queue of an IMP.
    ProcessorWait,
    /// While an IMP handles the packet.
    Processing,
    /// After a line error or a refusal by the next IMP, until the packet is sent again.
    RetransmissionWait,
    /// A single-packet message refused as out of order, until it is sent again: it waits for its allocation, which
    /// waits for the replies to the messages before it (RFC 632).
    OutOfOrderWait,
    /// Complete at the destination, until the messages before it are complete.
    OrderWait,
    /// In the destination's queue for its host.
    HostOutputWait,
    /// The first packet on the line to the destination host.
    HostOutput,
    /// The reply waits for the replies to the messages before it.
    ReplyOrderWait,
    /// The reply waits for eight reassembly buffers, whose allocation it would carry.
    PiggyBackWait,
    /// The reply in output queues and in processing queues.
    ReplyWait,
    /// The reply on lines and in the hands of IMPs.
    ReplyTransit,
    /// The reply in transit from the source IMP into the source host.
    ReplyToHost,
}

impl Stage {
    /// How many stages there are.
    pub const COUNT: usize = 27;

    /// What each stage is called and which resource it is charged to.
    pub const LABELS: &'static [StageLabel] = &[
        StageLabel::new(StageId::HostQueue, Charged::HOST_INTERFACE),
        StageLabel::new(StageId::HostProcessing, Charged::SOURCE_HOST),
        StageLabel::new(StageId::HostInput, Charged::HOST_INTERFACE),
        StageLabel::new(StageId::BufferWait, Charged::To(ResourceKind::Buffers)),
        StageLabel::new(StageId::MessageBlockWait, Charged::MESSAGE_BLOCKS),
        StageLabel::new(StageId::MessageNumberWait, Charged::To(ResourceKind::MessageNumbers)),
        StageLabel::new(StageId::PacketTableWait, Charged::To(ResourceKind::PendingPacketTable)),
        StageLabel::new(StageId::LeaderTableWait, Charged::To(ResourceKind::PendingLeaderTable)),
        StageLabel::new(StageId::AllocationWait, Charged::ALLOCATION),
        StageLabel::new(StageId::ReassemblyWait, Charged::To(ResourceKind::ReassemblyBuffers)),
        StageLabel::new(StageId::StoreAndForwardWait, Charged::To(ResourceKind::StoreAndForwardBuffers)),
        StageLabel::new(StageId::ChannelWait, Charged::To(ResourceKind::AcknowledgmentChannels)),
        StageLabel::new(StageId::LineWait, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::Transmission, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::Propagation, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::ProcessorWait, Charged::To(ResourceKind::Processor)),
        StageLabel::new(StageId::Processing, Charged::To(ResourceKind::Processor)),
        StageLabel::new(StageId::RetransmissionWait, Charged::ACKNOWLEDGMENT),
        StageLabel::new(StageId::OutOfOrderWait, Charged::ALLOCATION),
        StageLabel::new(StageId::OrderWait, Charged::MESSAGE_ORDER),
        StageLabel::new(StageId::HostOutputWait, Charged::To(ResourceKind::DestinationHost)),
        StageLabel::new(StageId::HostOutput, Charged::To(ResourceKind::DestinationHost)),
        StageLabel::new(StageId::RfnmOrderWait, Charged::RFNM_ORDER),
        StageLabel::new(StageId::RfnmAllocationWait, Charged::To(ResourceKind::ReassemblyBuffers)),
        StageLabel::new(StageId::RfnmQueueing, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::RfnmTransit, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::RfnmToHost, Charged::SOURCE_HOST),
    ];
}

/// What the holder of a table entry, a message number or a reassembly buffer is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Unassigned: an allocation in transit to the source, or waiting there for a message.
    Unassigned,
    /// A REQALL that has not been answered.
    Requesting,
    /// A message that the source IMP is taking in.
    Input,
    /// A message in transit.
    Transit,
    /// A message of which a part has arrived, or that waits for those before it.
    Reassembly,
    /// A message in the queue for its host, or on the line to it.
    HostOutput,
    /// A reply that waits for its turn or for buffers.
    ReplyWait,
    /// A reply in transit to the source IMP.
    ReplyTransit,
}

impl Phase {
    /// How many phases there are.
    pub const COUNT: usize = 8;

    /// What holders do in each phase.
    pub const ACTIVITIES: &'static [HoldActivity; Self::COUNT] = &[
        HoldActivity::of(HoldWhy::UnusedAllocation),
        HoldActivity::of(HoldWhy::Reqall),
        HoldActivity::of(HoldWhy::Input),
        HoldActivity::of(HoldWhy::Transit),
        HoldActivity::of(HoldWhy::Reassembly),
        HoldActivity::of(HoldWhy::HostQueue),
        HoldActivity::of(HoldWhy::RfnmWaiting),
        HoldActivity::of(HoldWhy::RfnmTransit),
    ];

    /// What holders do in this phase.
    pub const fn activity(self) -> HoldActivity {
        Self::ACTIVITIES[self as usize]
    }
}

const _: () = assert!(Stage::LABELS.len() == Stage::COUNT && Phase::ACTIVITIES.len() == Phase::COUNT);
