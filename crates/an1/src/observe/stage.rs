//! The stages of a packet's life.

use hopscope_measure::StageLabel;

/// The stages of a packet's life, in the order in which it first meets them.
///
/// Up to its first byte at the destination host the ledger follows the packet's head; the last two stages are those of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Behind other packets in the sending host.
    SendQueue,
    /// At the head of a host's queue or granted an output, while the link's receiver has told it to stop, or another lane has the link.
    Stopped,
    /// On the way along a link.
    Propagation,
    /// In an input FIFO behind other packets.
    FifoWait,
    /// At the head of a FIFO until the last byte has come, where the switch needs the whole packet.
    Reception,
    /// The routing decision.
    Decision,
    /// At the head of a FIFO until an output is granted.
    OutputWait,
    /// The set-up of the crossbar.
    Setup,
    /// The time that the packet's bits take on the last link.
    Body,
    /// Pauses in the middle of the body: stopped, or run dry, anywhere along the path.
    BodyPaused,
}

impl Stage {
    /// How many stages there are.
    pub const COUNT: usize = 10;

    /// What each stage is called and which resource it is charged to.
    pub const LABELS: &'static [StageLabel] = &[
        StageLabel::wait("send queue", "host link"),
        StageLabel::wait("stopped", "downstream FIFO"),
        StageLabel::service("propagation", "link"),
        StageLabel::wait("FIFO wait", "head of FIFO"),
        StageLabel::service("reception", "incoming link"),
        StageLabel::service("decision", "router"),
        StageLabel::wait("output wait", "output"),
        StageLabel::service("set-up", "crossbar"),
        StageLabel::service("body", "last link"),
        StageLabel::wait("body paused", "downstream FIFO"),
    ];
}
