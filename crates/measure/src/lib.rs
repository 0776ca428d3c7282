//! What a simulation measures, and how long it runs to measure it.
//!
//! - The delay ledger: an [`Account`] in each message, a sum for each stage of its lifetime, exact to the picosecond.
//! - Resources: a [`Pool`] for each, with its use over time; a [`StagedPool`] also knows what its holders are doing.
//! - Kinds: [`ResourceKind`], [`StageId`], [`HoldActivity`] and what each implies; decisions ask them and never text.
//! - Statistics: a [`MessageMonitor`] sums by batches of time and gives every number a confidence interval.
//! - The run: a [`RunController`] cuts the warm-up, finds saturation and stops at the asked precision; [`drive`] runs
//!   a model by it.
//! - The [`Report`]: all of it as data.
//!
//! Floats appear only here, where integers are summarised.

mod account;
mod autocorrelation;
mod bare_means;
mod batch_means;
mod cell_means;
mod class_names;
mod congestion_tree;
mod controller;
mod destinations;
mod drive;
mod evidence;
#[cfg(test)]
mod first_order;
mod flows;
mod histogram;
mod journey;
mod kinds;
mod monitor;
mod mser;
mod names;
mod observed;
mod pair_lives;
mod pool;
mod problem;
mod report;
mod resource_row;
mod saturation;
mod snapshot;
mod student_t;
mod subject;
mod summary;
mod time_batches;
mod timeline;
mod under_way;
mod usual;

pub use account::Account;
pub use autocorrelation::autocorrelation;
pub use bare_means::BareMeans;
pub use batch_means::{Batch, BatchMean, CONFIDENCE, batch_means, mean_of_batches};
pub use cell_means::CellMeans;
pub use class_names::{MOST_CLASSES, class_name_problem, too_many_classes};
pub use congestion_tree::CongestionTree;
pub use controller::{Ending, RunController, RunPlan, Step, Warmup};
pub use destinations::{Destinations, Growing};
pub use drive::{count, drive};
pub use evidence::{
    Alternatives, BufferRequests, Choice, ClassLane, ClassOutput, ClassUse, CongestedNode, Evidence, Failure,
    GivenUp, HostScan, IncastUse, Interruption, InterruptionWhy, LaneName, LaneUse, Loops, Loss, LossWhy,
    Marking, PairUse, PartOfWork, Place, ProcessorWaits, RoundsUse, SegmentUse, SenderUse, ServiceOrder,
    ServiceTime, SharedPauses, SlowBeside, SmoothingUse, Starving, StopUse, UsualService, VaryingService,
    WindowUse,
};
pub use flows::{
    Converged, Convergence, FlowEnd, FlowRow, FlowStatistics, FlowTables, LinkNow, RatesOverTime, RoundRow,
    RoundSeen,
};
pub use histogram::Histogram;
pub use journey::{Journal, JourneyLog, JourneyNumbers, JourneyRow, JourneySite, Journeys};
pub use kinds::{
    Charged, HoldActivity, HoldWhy, KindTable, Nature, Outstanding, ResourceKind, Site, StageId, StageKind,
    StageLabel, WaitersAt,
};
pub use monitor::{DelayLabel, DelayUnit, LessStage, MessageMonitor, MonitorLayout, RateUnit};
pub use mser::{Cut, SettlingSeries, mser_5};
pub use names::{closest, did_you_mean};
pub use observed::Observed;
pub use pair_lives::PairWait;
pub use pool::{Pool, PoolLabel, StagedPool};
pub use problem::Problem;
pub use report::{
    Basis, Doubt, EVERY_CLASS, EndedBy, Estimate, EventRow, HeldIn, InstantRow, LedgerRow, MeasuredWindow,
    Metric, Outcome, PairRow, PauseTally, PortCount, PortCounts, PortReading, PortTally, Report, SeriesPoint,
    SnapshotRow, Stuck, WarmupReport,
};
pub use resource_row::{Dependence, ResourceRow};
pub use saturation::{BacklogTrend, backlog_grew};
pub use snapshot::SnapshotTimes;
pub use student_t::student_t;
pub use subject::Subject;
pub use summary::Summary;
pub use timeline::{Followed, HeldSo, Timeline, Usage, UsageOf};
pub use under_way::UnderWay;
pub use usual::{TIMES_SLOWER, is_slower_than_its_like, usual};
