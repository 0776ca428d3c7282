//! Mean message lifetime, and the longest waits in it.

use hopscope_measure::{LedgerRow, Report, ResourceKind, StageId, StageKind};
use serde::Serialize;

use crate::thresholds::{LEAST_OF_LONGEST, LEAST_WAIT};

/// The mean time of a message in one stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeIn {
    /// The stage.
    pub stage: StageId,
    /// What a message does meanwhile, as a clause: "waiting for a message number".
    pub meaning: &'static str,
    /// The mean time, microseconds.
    pub mean_us: f64,
    /// The kind of resource that the stage waits for, where reports list it.
    #[serde(skip)]
    pub pool: Option<ResourceKind>,
}

impl TimeIn {
    fn of(row: &LedgerRow) -> Option<Self> {
        let mean_us = row.estimate?.value;
        Some(Self { stage: row.stage, meaning: row.stage.meaning(), mean_us, pool: row.resource.pool() })
    }
}

/// The mean lifetime of messages of all classes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lifetime {
    /// From generation to the last acknowledgment, microseconds; nothing where saturated.
    pub mean_us: Option<f64>,
    /// Every stage, in order of occurrence.
    pub stages: Vec<TimeIn>,
    /// The waits with a considerable share of the lifetime, the longest first.
    pub waits: Vec<TimeIn>,
    /// The stages that block the source host, the longest first.
    pub source: Vec<TimeIn>,
    /// Whether the model has stages that block the source host.
    pub has_source: bool,
}

impl Lifetime {
    /// The mean lifetime of a report's messages.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        let rows = || report.ledger.iter().filter(|row| row.is_of_every_class());
        let stages: Vec<TimeIn> = rows().filter_map(TimeIn::of).collect();
        let mut source: Vec<TimeIn> =
            stages.iter().copied().filter(|time| time.stage.blocks_source()).collect();
        source.sort_by(|a, b| b.mean_us.total_cmp(&a.mean_us));
        let life: f64 = stages.iter().map(|time| time.mean_us).sum();
        let longest = source.first().map_or(0.0, |time| time.mean_us);
        source
            .retain(|time| time.mean_us >= (LEAST_OF_LONGEST * longest).max(LEAST_WAIT * life) && life > 0.0);
        let is_wait = |time: &TimeIn| time.stage.kind() == StageKind::Wait;
        let is_felt = |time: &TimeIn| time.mean_us >= LEAST_WAIT * life && time.mean_us > 0.0;
        let mut waits: Vec<TimeIn> =
            stages.iter().copied().filter(|time| is_wait(time) && is_felt(time)).collect();
        waits.sort_by(|a, b| b.mean_us.total_cmp(&a.mean_us));
        let has_source = rows().any(|row| row.stage.blocks_source());
        Self { mean_us: (!stages.is_empty()).then_some(life), stages, waits, source, has_source }
    }

    /// Whether messages wait for this kind of resource for a considerable part of their lifetime.
    pub(crate) fn waits_for(&self, kind: ResourceKind) -> bool {
        self.waits.iter().any(|time| time.pool == Some(kind))
    }
}
