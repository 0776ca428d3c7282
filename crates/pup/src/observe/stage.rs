//! The stages of the delay ledger.

use hopscope_measure::StageLabel;

/// The stages in the life of a Pup of a stream, from the moment its user hands it over to its acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// An earlier copy was lost or dropped; this one has been ordered.
    Retransmission,
    /// Waiting for a host's processor.
    HostWait,
    /// A host's processor handles it.
    Host,
    /// Waiting for an Ethernet: deferring, collisions and backing off.
    EthernetWait,
    /// On an Ethernet.
    Ethernet,
    /// Waiting for a gateway's processor.
    GatewayWait,
    /// A gateway's processor handles it.
    Gateway,
    /// Waiting for a line.
    LineWait,
    /// Being sent on a line.
    Line,
    /// Under way behind a line: modems and propagation.
    LineTransit,
    /// Waiting until the radio accepts its first packet.
    RadioWait,
    /// Waiting until the radio has accepted its last packet, where it takes several.
    RadioInterval,
    /// In transit through the radio network.
    Radio,
    /// Delayed in the radio network beyond the transit time, and waiting there for the rest of its packets.
    RadioDelay,
    /// It has arrived; waiting for the Pup that demands the acknowledgment.
    AcknowledgmentWait,
    /// The receiver's turnaround.
    Turnaround,
}

impl Stage {
    /// The number of stages.
    pub const COUNT: usize = 16;

    /// Names, kinds and resources, in the order of the stages.
    pub const LABELS: &'static [StageLabel] = &[
        StageLabel::wait("retransmission wait", "stream"),
        StageLabel::wait("host wait", "host processor"),
        StageLabel::service("host processing", "host processor"),
        StageLabel::wait("Ethernet wait", "Ethernet"),
        StageLabel::service("Ethernet", "Ethernet"),
        StageLabel::wait("gateway wait", "gateway processor"),
        StageLabel::service("gateway processing", "gateway processor"),
        StageLabel::wait("line wait", "line"),
        StageLabel::service("line", "line"),
        StageLabel::service("line transit", "modems"),
        StageLabel::wait("radio wait", "radio interval"),
        StageLabel::service("radio interval", "radio interval"),
        StageLabel::service("radio transit", "radio network"),
        StageLabel::service("radio delay", "radio network"),
        StageLabel::wait("acknowledgment wait", "acknowledgment"),
        StageLabel::service("turnaround", "acknowledgment"),
    ];
}

const _: () = assert!(Stage::LABELS.len() == Stage::COUNT && Stage::Turnaround as usize + 1 == Stage::COUNT);
