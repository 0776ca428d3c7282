//! The stages of message lifetimes in all models.

use serde::{Deserialize, Serialize};

use super::{Charged, closed};

/// Whether a stage is a wait for a resource or a service by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// The message could go on if the resource were free.
    Wait,
    /// The resource works on the message.
    Service,
}

impl StageKind {
    /// The word of the reports: "wait" or "service".
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Service => "service",
        }
    }
}

closed! {
    /// A stage of a message's lifetime. Its meaning completes the sentence "a message spends this time ...".
    pub enum StageId {
        SendQueue, "send queue", "waiting behind other packets in the sending host";
        Pacing, "pacing", "waiting until the flow's rate permits the next frame";
        WindowWait, "window wait", "waiting until the flow's window permits the next frame";
        PullWait, "pull wait", "waiting until the receiver pulls the next frame";
        Stopped, "stopped", "ready to go on while the receiver of the link has stopped it or another lane has the link";
        Paused, "paused", "held back by a pause frame of the receiver";
        CreditWait, "out of credit", "waiting for credit of the receiver";
        Propagation, "propagation", "travelling along links";
        FifoWait, "FIFO wait", "waiting in an input FIFO behind other packets";
        LaneWait, "lane wait", "waiting in the FIFO of an input lane behind other frames";
        Reception, "reception", "being received whole before the switch passes it on";
        Decision, "decision", "being routed by a switch";
        OutputWait, "output wait", "waiting at the head of a FIFO for an output";
        Queueing, "queueing", "waiting at an output behind other frames";
        SetUp, "set-up", "while the crossbar is set up";
        Switching, "switching", "passing through the pipelines of switches";
        Body, "body", "while its bits pass the last link";
        BodyPaused, "body paused", "stopped or run dry in the middle of its body";
        HostQueue, "host queue", "waiting behind other messages in the source host";
        HostProcessing, "host processing", "being handled by a host";
        HostInput, "host input", "on the line from the host into the source IMP";
        BufferWait, "buffer wait", "waiting for free buffers in the source IMP";
        MessageBlockWait, "message block wait", "waiting for the message blocks of its pair of hosts";
        MessageNumberWait, "message number wait", "waiting for a message number";
        PacketTableWait, "packet table wait", "waiting for an entry of the pending packet table";
        LeaderTableWait, "leader table wait", "waiting for an entry of the pending leader table";
        AllocationWait, "allocation wait", "waiting for an allocation (ALL)";
        ReassemblyWait, "reassembly wait", "while its REQALL waits at the destination for eight reassembly buffers or for earlier RFNMs";
        StoreAndForwardWait, "store-and-forward wait", "waiting for a store-and-forward buffer of the source IMP";
        ChannelWait, "channel wait", "waiting for an acknowledgment channel of the first line";
        LineWait, "line wait", "waiting in the output queues of lines";
        Transmission, "transmission", "being transmitted";
        ProcessorWait, "processor wait", "waiting for the processors of IMPs";
        Processing, "processing", "being handled by the processors of IMPs";
        RetransmissionWait, "retransmission wait", "waiting to be sent again after a loss, an error or a refusal";
        OutOfOrderWait, "out-of-order wait", "waiting to be sent again after it arrived out of order and was rejected";
        OrderWait, "order wait", "waiting at the destination for earlier messages to be complete";
        HostOutputWait, "host output wait", "waiting in the destination's queue for its host";
        HostOutput, "host output", "on the line to the destination host";
        RfnmOrderWait, "RFNM order wait", "waiting for in-order delivery of earlier RFNMs";
        RfnmAllocationWait, "RFNM allocation wait", "while its RFNM waits at the destination for an allocation";
        RfnmQueueing, "RFNM queueing", "while its RFNM waits for lines and processors";
        RfnmTransit, "RFNM transit", "while its RFNM is transmitted and handled";
        RfnmToHost, "RFNM to host", "while its RFNM passes from the source IMP to the source host";
        HostWait, "host wait", "waiting for the processor of a host";
        EthernetWait, "Ethernet wait", "deferring, colliding and backing off on an Ethernet";
        EthernetTransmission, "Ethernet", "on an Ethernet";
        GatewayWait, "gateway wait", "waiting for the processor of a gateway";
        GatewayProcessing, "gateway processing", "being handled by a gateway";
        LineTransmission, "line", "being sent on a line";
        LineTransit, "line transit", "under way behind a line, in modems and along it";
        RadioWait, "radio wait", "waiting until the radio accepts its first packet";
        RadioAcceptance, "radio interval", "waiting until the radio has accepted the rest of its packets";
        RadioTransit, "radio transit", "in transit through the radio network";
        RadioDelay, "radio delay", "delayed in the radio network beyond the transit time";
        AcknowledgmentWait, "acknowledgment wait", "waiting at the receiver for the Pup that demands the acknowledgment";
        Turnaround, "turnaround", "while the receiver turns round to acknowledge";
        SessionPacingWait, "session pacing wait", "waiting for the pacing window of its session";
        VirtualRouteWait, "virtual route wait", "waiting for the window of its virtual route";
        NodeBufferWait, "node buffer wait", "waiting for a buffer in the next subarea node";
        NodeWait, "node wait", "waiting for the processors of subarea nodes";
        NodeProcessing, "node processing", "being handled by the processors of subarea nodes";
        ResequencingWait, "resequencing wait", "waiting at the end of a transmission group or route for the PIUs before it";
        BoundaryPacingWait, "boundary pacing wait", "waiting in a boundary node for the window of the second stage of session-level pacing";
        UnitWait, "unit wait", "waiting in a boundary node until its unit takes it";
        UnitService, "unit service", "being taken by its unit";
    }
    numbered {
        StationWait, [
            "wait at station 1", "wait at station 2", "wait at station 3", "wait at station 4", "wait at station 5",
            "wait at station 6", "wait at station 7", "wait at station 8",
        ], "waiting for a server of the station";
        StationService, [
            "service at station 1", "service at station 2", "service at station 3", "service at station 4",
            "service at station 5", "service at station 6", "service at station 7", "service at station 8",
        ], "being served at the station";
    }
}

/// What a stage implies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// It waits, and the source host is blocked meanwhile.
    BlocksSource,
    /// It waits for retransmission.
    SentAgain,
    /// It waits for retransmission because it arrived out of order.
    OutOfOrder,
    /// It waits in its host for what congestion control permits.
    WaitsToSend,
    /// It waits for anything else.
    Waits,
    /// It is served.
    Served,
}

impl StageId {
    /// The only match over stages: a new stage does not compile until it is listed here.
    const fn sort(self) -> Sort {
        match self {
            Self::BufferWait
            | Self::MessageBlockWait
            | Self::MessageNumberWait
            | Self::PacketTableWait
            | Self::LeaderTableWait
            | Self::AllocationWait => Sort::BlocksSource,
            Self::Pacing | Self::WindowWait | Self::PullWait => Sort::WaitsToSend,
            Self::RetransmissionWait => Sort::SentAgain,
            Self::OutOfOrderWait => Sort::OutOfOrder,
            Self::SendQueue
            | Self::Stopped
            | Self::Paused
            | Self::CreditWait
            | Self::FifoWait
            | Self::LaneWait
            | Self::OutputWait
            | Self::Queueing
            | Self::BodyPaused
            | Self::HostQueue
            | Self::ReassemblyWait
            | Self::StoreAndForwardWait
            | Self::ChannelWait
            | Self::LineWait
            | Self::ProcessorWait
            | Self::OrderWait
            | Self::HostOutputWait
            | Self::RfnmOrderWait
            | Self::RfnmAllocationWait
            | Self::RfnmQueueing
            | Self::HostWait
            | Self::EthernetWait
            | Self::GatewayWait
            | Self::RadioWait
            | Self::AcknowledgmentWait
            | Self::NodeBufferWait
            | Self::NodeWait
            | Self::ResequencingWait
            | Self::UnitWait
            | Self::StationWait(_) => Sort::Waits,
            Self::SessionPacingWait | Self::VirtualRouteWait | Self::BoundaryPacingWait => Sort::Waits,
            Self::Propagation
            | Self::Reception
            | Self::Decision
            | Self::SetUp
            | Self::Switching
            | Self::Body
            | Self::HostProcessing
            | Self::HostInput
            | Self::Transmission
            | Self::Processing
            | Self::HostOutput
            | Self::RfnmTransit
            | Self::RfnmToHost
            | Self::EthernetTransmission
            | Self::GatewayProcessing
            | Self::LineTransmission
            | Self::LineTransit
            | Self::RadioAcceptance
            | Self::RadioTransit
            | Self::RadioDelay
            | Self::Turnaround
            | Self::NodeProcessing
            | Self::UnitService
            | Self::StationService(_) => Sort::Served,
        }
    }

    /// Whether it is a wait or a service.
    #[must_use]
    pub const fn kind(self) -> StageKind {
        match self.sort() {
            Sort::BlocksSource | Sort::SentAgain | Sort::OutOfOrder | Sort::WaitsToSend | Sort::Waits => {
                StageKind::Wait
            }
            Sort::Served => StageKind::Service,
        }
    }

    /// Whether it waits to be sent again because it arrived out of order and was rejected (RFC 632).
    #[must_use]
    pub const fn is_out_of_order(self) -> bool {
        matches!(self.sort(), Sort::OutOfOrder)
    }

    /// Whether it waits to be sent again, for whatever reason.
    #[must_use]
    pub const fn is_retransmission(self) -> bool {
        matches!(self.sort(), Sort::SentAgain | Sort::OutOfOrder)
    }

    /// Whether part of it may be a wait for retransmission that the ledger cannot separate: replies, whose
    /// retransmissions have no stage of their own.
    #[must_use]
    pub const fn hides_retransmissions(self) -> bool {
        matches!(self, Self::RfnmQueueing | Self::AcknowledgmentWait)
    }

    /// Whether it comes after the latency of cut-through fabrics, which ends with a packet's first byte at its
    /// destination: the rest of its body.
    #[must_use]
    pub const fn follows_latency(self) -> bool {
        matches!(self, Self::Body | Self::BodyPaused)
    }

    /// Whether the sender's rate or window holds the message back.
    #[must_use]
    pub const fn waits_to_send(self) -> bool {
        matches!(self.sort(), Sort::WaitsToSend)
    }

    /// Whether it is a wait at the source in an open queue, which grows with arrivals whatever happens to earlier
    /// messages.
    #[must_use]
    pub const fn queues_at_source(self) -> bool {
        matches!(self, Self::SendQueue | Self::HostQueue | Self::SessionPacingWait | Self::VirtualRouteWait)
    }

    /// Whether it is a wait outside the network: in the sending host, or for what the host needs before it may send.
    #[must_use]
    pub const fn is_before_entry(self) -> bool {
        self.blocks_source() || self.queues_at_source()
    }

    /// Whether it waits for an earlier message that arrives later: after a loss, until that has been retransmitted.
    #[must_use]
    pub const fn is_for_missing(self) -> bool {
        matches!(self, Self::ResequencingWait)
    }

    /// Whether the source host is blocked meanwhile: an IMP accepts one message of a host after the other.
    #[must_use]
    pub const fn blocks_source(self) -> bool {
        matches!(self.sort(), Sort::BlocksSource)
    }
}

/// A stage of a model's ledger, and what it is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageLabel {
    /// The stage.
    pub stage: StageId,
    /// What is waited for, or works.
    pub charged: Charged,
}

impl StageLabel {
    /// A stage that is charged to this.
    #[must_use]
    pub const fn new(stage: StageId, charged: Charged) -> Self {
        Self { stage, charged }
    }
}
