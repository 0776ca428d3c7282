//! The ledger's stages of a message.

use hopscope_measure::{Charged, ResourceKind, StageId, StageLabel};

/// What a message waits for, and what serves it, in the order of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Stage {
    SessionPacing,
    VirtualRoute,
    NodeBuffer,
    NodeWait,
    NodeProcessing,
    LineWait,
    Transmission,
    Retransmission,
    Transit,
    Resequencing,
    BoundaryPacing,
    UnitWait,
    UnitService,
}

/// How many there are.
pub(crate) const STAGES: usize = 13;

impl Stage {
    /// The stages as reports show them.
    pub const LABELS: &'static [StageLabel] = &[
        StageLabel::new(StageId::SessionPacingWait, Charged::To(ResourceKind::SessionWindow)),
        StageLabel::new(StageId::VirtualRouteWait, Charged::To(ResourceKind::VirtualRouteWindow)),
        StageLabel::new(StageId::NodeBufferWait, Charged::To(ResourceKind::NodeBuffers)),
        StageLabel::new(StageId::NodeWait, Charged::To(ResourceKind::NodeProcessor)),
        StageLabel::new(StageId::NodeProcessing, Charged::To(ResourceKind::NodeProcessor)),
        StageLabel::new(StageId::LineWait, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::LineTransmission, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::RetransmissionWait, Charged::To(ResourceKind::Line)),
        StageLabel::new(StageId::LineTransit, Charged::MODEMS),
        StageLabel::new(StageId::ResequencingWait, Charged::EARLIER_PIUS),
        StageLabel::new(StageId::BoundaryPacingWait, Charged::To(ResourceKind::BoundaryWindow)),
        StageLabel::new(StageId::UnitWait, Charged::To(ResourceKind::Unit)),
        StageLabel::new(StageId::UnitService, Charged::To(ResourceKind::Unit)),
    ];
}
