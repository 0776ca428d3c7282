//! The stages of a packet in a fabric of cut-through switches.

use hopscope_measure::{Charged, ResourceKind, StageId, StageLabel};

/// The stages of a packet, in order of first occurrence.
///
/// Up to its first byte at the destination host the ledger follows the packet's head; the last two stages are those of
/// its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Behind other packets in the sending host.
    SendQueue,
    /// At the head of a host's queue or granted an output, while the link's receiver has told it to stop, or another
    /// lane has the link.
    Stopped,
    /// On the way along a link.
    Propagation,
    /// In an input FIFO behind other packets.
    FifoWait,
    /// At the head of a FIFO until the last byte has arrived, if the switch needs the whole packet.
    Reception,
    /// The routing decision.
    Decision,
    /// At the head of a FIFO until an output is granted.
    OutputWait,
    /// The set-up of the crossbar.
    Setup,
    /// The transmission time on the last link.
    Body,
    /// Pauses in the middle of the body: stopped, or run dry, anywhere along the path.
    BodyPaused,
}

impl Stage {
    /// The number of stages.
    pub const COUNT: usize = 10;

    /// The name of each stage and the resource that it is charged to.
    pub const LABELS: &'static [StageLabel] = &[
        StageLabel::new(StageId::SendQueue, Charged::HOST_LINK),
        StageLabel::new(StageId::Stopped, Charged::DOWNSTREAM_FIFO),
        StageLabel::new(StageId::Propagation, Charged::LINK),
        StageLabel::new(StageId::FifoWait, Charged::HEAD_OF_FIFO),
        StageLabel::new(StageId::Reception, Charged::INCOMING_LINK),
        StageLabel::new(StageId::Decision, Charged::ROUTER),
        StageLabel::new(StageId::OutputWait, Charged::To(ResourceKind::Output)),
        StageLabel::new(StageId::SetUp, Charged::CROSSBAR),
        StageLabel::new(StageId::Body, Charged::LAST_LINK),
        StageLabel::new(StageId::BodyPaused, Charged::DOWNSTREAM_FIFO),
    ];
}
