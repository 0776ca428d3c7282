//! The stages in the life of a Pup.

use hopscope_measure::{Charged, ResourceKind, StageId, StageLabel};

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
        StageLabel::new(StageId::RetransmissionWait, Charged::STREAM),
        StageLabel::new(StageId::HostWait, Charged::To(ResourceKind::HostProcessor)),
        StageLabel::new(StageId::HostProcessing, Charged::To(ResourceKind::HostProcessor)),
        StageLabel::new(StageId::EthernetWait, Charged::To(ResourceKind::Ethernet)),
        StageLabel::new(StageId::EthernetTransmission, Charged::To(ResourceKind::Ethernet)),
        StageLabel::new(StageId::GatewayWait, Charged::To(ResourceKind::GatewayProcessor)),
        StageLabel::new(StageId::GatewayProcessing, Charged::To(ResourceKind::GatewayProcessor)),
        StageLabel::new(StageId::LineWait, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::LineTransmission, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::LineTransit, Charged::MODEMS),
        StageLabel::new(StageId::RadioWait, Charged::To(ResourceKind::RadioInterval)),
        StageLabel::new(StageId::RadioAcceptance, Charged::To(ResourceKind::RadioInterval)),
        StageLabel::new(StageId::RadioTransit, Charged::RADIO_NETWORK),
        StageLabel::new(StageId::RadioDelay, Charged::RADIO_NETWORK),
        StageLabel::new(StageId::AcknowledgmentWait, Charged::ACKNOWLEDGMENT),
        StageLabel::new(StageId::Turnaround, Charged::ACKNOWLEDGMENT),
    ];
}

const _: () = assert!(Stage::LABELS.len() == Stage::COUNT && Stage::Turnaround as usize + 1 == Stage::COUNT);
