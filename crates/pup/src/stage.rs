use hopscope_measure::{StageKind, StageLabel};

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

use StageKind::{Service, Wait};

impl Stage {
    /// The number of stages.
    pub const COUNT: usize = 16;

    /// Names, kinds and resources, in the order of the stages.
    pub const LABELS: &'static [StageLabel] = &[
        label("retransmission wait", Wait, "stream"),
        label("host wait", Wait, "host processor"),
        label("host processing", Service, "host processor"),
        label("Ethernet wait", Wait, "Ethernet"),
        label("Ethernet", Service, "Ethernet"),
        label("gateway wait", Wait, "gateway processor"),
        label("gateway processing", Service, "gateway processor"),
        label("line wait", Wait, "line"),
        label("line", Service, "line"),
        label("line transit", Service, "modems"),
        label("radio wait", Wait, "radio interval"),
        label("radio interval", Service, "radio interval"),
        label("radio transit", Service, "radio network"),
        label("radio delay", Service, "radio network"),
        label("acknowledgment wait", Wait, "acknowledgment"),
        label("turnaround", Service, "acknowledgment"),
    ];
}

const fn label(name: &'static str, kind: StageKind, resource: &'static str) -> StageLabel {
    StageLabel { name, kind, resource }
}

const _: () = assert!(Stage::LABELS.len() == Stage::COUNT && Stage::Turnaround as usize + 1 == Stage::COUNT);
