//! The report: the results of a run as data.

use serde::{Deserialize, Serialize};

use crate::{
    BareMeans, Charged, CongestionTree, Dependence, Evidence, FlowTables, HoldActivity, Journeys,
    ResourceRow, StageId, StageKind, Timeline, UnderWay,
};

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Measured as requested.
    #[default]
    Complete,
    /// The offered load exceeds the capacity: throughput has a value, delay has none.
    Saturated,
    /// Messages wait for each other in a cycle.
    Deadlock,
    /// The start-up transient was not over when the measurement had to begin.
    Unsettled,
    /// Stopped from outside before its end.
    Interrupted,
}

/// The reason for the end of a run, as a kind; [`Report::ended_because`] has it in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndedBy {
    /// The requested number of messages was measured.
    #[default]
    Messages,
    /// The mean delay had the requested precision.
    Precision,
    /// The queues grew without end.
    Saturation,
    /// No events were left.
    Drained,
    /// Messages waited for one another.
    Deadlock,
    /// Nearly every message was lost.
    Losses,
    /// The clock counts no further.
    Clock,
    /// It was stopped from outside.
    Interruption,
}

/// A deadlock as its cycle of waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// What happened, in one sentence.
    pub reason: String,
    /// One line for each wait: the holder, what it holds and what it waits for; the last waits for the first.
    pub cycle: Vec<String>,
}

/// A number with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval. A maximum has no interval: both ends are its value.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// Observations behind the estimate.
    pub n: u64,
}

impl Estimate {
    /// A number that is known exactly, such as a maximum that was seen.
    #[must_use]
    pub const fn exact(value: f64, n: u64) -> Self {
        Self { value, low: value, high: value, n }
    }

    /// Half the width of the interval over the value; infinite where the value is 0 and the interval is not.
    #[must_use]
    pub fn relative_half_width(&self) -> f64 {
        let half = (self.high - self.low) / 2.0;
        if half == 0.0 { 0.0 } else { half / self.value.abs() }
    }

    /// Whether a value lies in the interval.
    #[must_use]
    pub fn covers(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The same in a unit that is this many times as large. (Divided, not multiplied by an inverse, so that round
    /// numbers stay round.)
    #[must_use]
    pub fn in_units_of(&self, unit: f64) -> Self {
        Self { value: self.value / unit, low: self.low / unit, high: self.high / unit, n: self.n }
    }

    /// The same as a share, with its interval clipped to 0 to 1.
    #[must_use]
    pub const fn as_share(self) -> Self {
        Self { low: self.low.clamp(0.0, 1.0), high: self.high.clamp(0.0, 1.0), ..self }
    }
}

/// The class that stands for every class together.
pub const EVERY_CLASS: &str = "all";

/// One measured quantity. Its key, as a person writes it, is `NAME[CLASS].STATISTIC`; class "all" may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// The quantity, such as "latency".
    pub name: String,
    /// The class of messages, or "all".
    pub class: String,
    /// "mean", "p50", "p99", "p999", "max" or "rate".
    pub statistic: String,
    /// The unit of the estimate, such as "us".
    pub unit: String,
    /// Nothing where no such number exists: the delay of a saturated network, the mean of no messages.
    pub estimate: Option<Estimate>,
    /// What decides whether the number exists. Not part of the result.
    #[serde(skip)]
    pub basis: Basis,
}

/// What a metric describes, which decides when it has no value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// An observation, such as a count, the length of an outage or a share of messages: always has a value.
    #[default]
    Seen,
    /// A time that messages take: no value in a network that is saturated or in deadlock.
    Delay,
    /// A mean over the time of the window: no value in a deadlock, which does not end.
    Window,
}

impl Metric {
    /// A statistic of a quantity in a unit, of one class of messages or of [`EVERY_CLASS`].
    #[must_use]
    pub fn new(
        name: &str,
        class: &str,
        (statistic, unit): (&str, &str),
        estimate: impl Into<Option<Estimate>>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            class: class.to_owned(),
            statistic: statistic.to_owned(),
            unit: unit.to_owned(),
            estimate: estimate.into(),
            basis: Basis::Seen,
        }
    }

    /// The key as a person writes it, such as `latency.mean` or `latency[short].p99`.
    #[must_use]
    pub fn key(&self) -> String {
        if self.class == EVERY_CLASS {
            format!("{}.{}", self.name, self.statistic)
        } else {
            format!("{}[{}].{}", self.name, self.class, self.statistic)
        }
    }

    /// The same as a time that messages take, or a multiple of it.
    #[must_use]
    pub fn of_delay(self) -> Self {
        Self { basis: Basis::Delay, ..self }
    }

    /// The same, as a mean over the time of the window: a rate, or a share of that time.
    #[must_use]
    pub fn over_window(self) -> Self {
        Self { basis: Basis::Window, ..self }
    }
}

/// The mean time a message of one class spends in one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// The stage.
    pub stage: StageId,
    /// A wait or a service.
    pub kind: StageKind,
    /// What is waited for, or works.
    pub resource: Charged,
    /// The class of messages, or "all".
    pub class: String,
    /// Always "us".
    pub unit: String,
    /// Mean over messages; nothing where the network is saturated or no message of the class was delivered.
    pub estimate: Option<Estimate>,
    /// Share of the class's mean lifetime, 0 to 1.
    pub share: f64,
}

impl LedgerRow {
    /// Whether it is of all messages, not of one class.
    #[must_use]
    pub fn is_of_every_class(&self) -> bool {
        self.class == EVERY_CLASS
    }
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The mean amount of a resource whose holders do one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldIn {
    /// What the holders did meanwhile.
    #[serde(rename = "stage")]
    pub activity: HoldActivity,
    /// Mean amount held, in the resource's unit.
    pub occupancy: f64,
    /// The amount acquired for this activity: each unit was held for `occupancy` times the window over this amount
    /// (Little's law). 0 if the model does not count it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entered: u64,
}

impl HeldIn {
    /// An amount held for an activity, without a count of acquisitions.
    #[must_use]
    pub fn of(activity: impl Into<HoldActivity>, occupancy: f64) -> Self {
        Self { activity: activity.into(), occupancy, entered: 0 }
    }
}

/// How the start of the run was cut off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmupReport {
    /// The rule that ended it, in words.
    pub rule: String,
    /// When it ended, seconds of simulated time.
    pub until_s: f64,
    /// Messages delivered in it, which are not counted.
    pub messages: u64,
}

/// The measured window, which everything else in the report covers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredWindow {
    /// Length in seconds of simulated time.
    pub span_s: f64,
    /// Messages delivered in it.
    pub messages: u64,
}

/// One point of a quantity over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// The end of the interval that the value is of, seconds of simulated time.
    pub time_s: f64,
    /// The quantity with its unit, such as "latency (us)".
    pub series: String,
    /// Its value.
    pub value: f64,
}

/// An event of a message or control message, or the passage of one of its packets, for time-space diagrams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// What happened, such as "RFNM arrives"; for a passage, what passes.
    pub event: String,
    /// The message's number in order of generation; nothing for a control message that belongs to no message.
    pub message: Option<u64>,
    /// Its number in its sequence, which control messages have too.
    pub number: u32,
    /// Which packet of the message.
    pub packet: u32,
    /// The sequence, such as "UCLA -> UTAH".
    pub sequence: String,
    /// The place; for a passage, where it begins.
    pub place: String,
    /// Where a passage ends; the same place for what happens at one.
    pub to: String,
    /// When it begins, picoseconds of simulated time.
    pub from_ps: u64,
    /// When it ends; the same instant, except for a passage.
    pub to_ps: u64,
}

/// The instants T(1) to T(7) of one message (RFC 619).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstantRow {
    /// The message's number, in order of generation.
    pub message: u64,
    /// Its class.
    pub class: String,
    /// The host that sends it.
    pub from: String,
    /// The host that receives it.
    pub to: String,
    /// T(1) to T(7), picoseconds of simulated time.
    pub instants_ps: [u64; 7],
}

/// One value of a model's state at an instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRow {
    /// The instant, picoseconds of simulated time.
    pub at_ps: u64,
    /// Where.
    pub place: String,
    /// What, such as "buffers", "output queue" or "delay estimate".
    pub quantity: String,
    /// Its value.
    pub value: u64,
    /// For a route, its destination; empty for everything else.
    pub destination: String,
    /// For a route, the next neighbour.
    pub next: String,
    /// For a route, whether it is held down.
    pub held_down: bool,
}

/// The messages of one class from one place to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// Where they come from.
    pub from: String,
    /// Where they go.
    pub to: String,
    /// The class of messages.
    pub class: String,
    /// Hops on the shortest path.
    pub hops: u64,
    /// The number of messages.
    pub messages: u64,
    /// Messages per minute.
    pub per_minute: f64,
    /// The mean of their main delay, milliseconds, with its interval, which is unbounded if there were too few
    /// messages.
    pub delay_ms: Estimate,
}

/// Why an interval is doubtful.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Doubt {
    /// Too few messages for an upper bound: the longest observed delay is given instead.
    NoUpperBound {
        /// The key of the quantile.
        metric: String,
    },
    /// Delays in successive batches are correlated: the intervals of delays are too narrow.
    Correlated,
    /// The start-up transient had not ended when the measurement began: means may be biased.
    Transient,
    /// Too few messages were delivered for an interval.
    TooFew,
    /// The queue for some host grows without bound, and the mean delay with the length of the run.
    GrowingQueue,
}

/// All results of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended there, in one sentence.
    pub ended_because: String,
    /// What ended it.
    #[serde(skip)]
    pub ended_by: EndedBy,
    /// How the start was cut off.
    pub warmup: WarmupReport,
    /// The measured window, which all numbers below cover.
    pub measured: MeasuredWindow,
    /// The quantities.
    pub metrics: Vec<Metric>,
    /// The ledger: where messages spent their time.
    pub ledger: Vec<LedgerRow>,
    /// The use of the resources over time. A view of the run, not a result: hashes exclude it.
    #[serde(skip)]
    pub timeline: Timeline,
    /// The use of the resources.
    pub resources: Vec<ResourceRow>,
    /// The dependences between resources, which lead an explanation from waiters to holders. Not part of the result.
    #[serde(skip)]
    pub dependences: Vec<Dependence>,
    /// The sampled congestion trees, the most frequent first, if the model samples them. Not part of the result.
    #[serde(skip)]
    pub trees: Vec<CongestionTree>,
    /// Further evidence of the model. Not part of the result.
    #[serde(skip)]
    pub evidence: Evidence,
    /// What a reader of the numbers should know.
    pub notes: Vec<String>,
    /// Those of the notes that make an interval doubtful, for programs. Not part of the result.
    #[serde(skip)]
    pub doubts: Vec<Doubt>,
    /// The 99.9th percentiles of delays, "p999", where messages are enough for their intervals. Not part of the
    /// result.
    #[serde(skip)]
    pub tails: Vec<Metric>,
    /// The means of delays where there are too few messages for intervals. Not part of the result.
    #[serde(skip)]
    pub bare_means: Option<BareMeans>,
    /// The number of messages under way, if the model counts them. Not part of the result.
    #[serde(skip)]
    pub under_way: Option<UnderWay>,
    /// The number of notes at the beginning of `notes` that concern the intervals of delays. Not part of the result.
    #[serde(skip)]
    pub interval_notes: usize,
    /// The deadlock, if there was one.
    pub stuck: Option<Stuck>,
    /// Quantities over time.
    pub series: Vec<SeriesPoint>,
    /// Journeys of messages, if asked for.
    #[serde(skip_deserializing)]
    pub journeys: Journeys,
    /// Events of these messages, if asked for and the model has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<EventRow>,
    /// The instants of RFC 619 of the delivered messages of `journeys`, if the model has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instants: Vec<InstantRow>,
    /// Snapshots of the state, if asked for and the model has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<SnapshotRow>,
    /// Messages by source and destination, if the model counts them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairRow>,
    /// The flows themselves, where the model has flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<FlowTables>,
    /// The counters of ports, where the model has ports with counters. They are written on demand and are not part of
    /// the summary.
    #[serde(skip)]
    pub ports: Option<PortCounts>,
}

/// The counters of a fabric's ports at two instants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortCounts {
    /// When the measurement began, seconds.
    pub begun_s: f64,
    /// When it ended, seconds.
    pub ended_s: f64,
    /// By link, for each of its two ends.
    pub links: Vec<[PortCount; 2]>,
    /// The counters at the requested instants that the run reached.
    pub asked: Vec<PortReading>,
}

/// The counters of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCount {
    /// Whether it is a host's.
    pub is_host: bool,
    /// When the measurement began.
    pub begun: PortTally,
    /// When it ended.
    pub ended: PortTally,
}

/// What a port has counted since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortTally {
    /// Bits sent.
    pub bits: u64,
    /// Packets sent.
    pub packets: u64,
    /// Time in which it had something to send and was not permitted to.
    pub held_ps: u64,
    /// Transmissions that failed.
    pub failures: u64,
    /// Packets dropped at this output, or on its link when it failed.
    pub discards: u64,
    /// How often its link has gone down.
    pub downed: u64,
}

/// The counters of all ports at a requested instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortReading {
    /// The instant, seconds of simulated time.
    pub at_s: f64,
    /// Both ends of each link, by link.
    pub links: Vec<[PortTally; 2]>,
    /// Counters of pause frames by priority, for both ends of each link; empty without pause frames.
    pub pauses: Vec<[Vec<PauseTally>; 2]>,
}

/// The counters of a port for pause frames of one priority since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseTally {
    /// Pause frames sent.
    pub sent: u64,
    /// Time in which it was paused.
    pub paused_ps: u64,
}

impl Report {
    /// The metric with this key, such as `latency.mean` or `latency[short].p99`.
    #[must_use]
    pub fn metric(&self, key: &str) -> Option<&Metric> {
        let plain = key.replacen("[all].", ".", 1);
        self.metrics.iter().chain(&self.tails).find(|metric| metric.key() == plain)
    }

    /// All metrics, each 99.9th percentile after the 99th.
    #[must_use]
    pub fn all_metrics(&self) -> Vec<Metric> {
        let mut all = Vec::with_capacity(self.metrics.len() + self.tails.len());
        for metric in &self.metrics {
            all.push(metric.clone());
            if metric.statistic == "p99" {
                let is_alike = |tail: &&Metric| (&tail.name, &tail.class) == (&metric.name, &metric.class);
                all.extend(self.tails.iter().find(is_alike).cloned());
            }
        }
        all
    }

    /// Marks the network as saturated: delays, and the time in each stage, then have no value. Shares and rates remain.
    pub fn saturate(&mut self) {
        self.outcome = Outcome::Saturated;
        self.forget(|basis| basis == Basis::Delay);
    }

    /// Marks the network as deadlocked. Earlier traffic has no mean over the window, which includes the unlimited time
    /// in which nothing moves. So delays and rates have no value; shares of messages remain.
    pub fn lock(&mut self, stuck: Stuck) {
        self.outcome = Outcome::Deadlock;
        self.stuck = Some(stuck);
        self.notes.drain(..std::mem::take(&mut self.interval_notes));
        self.forget(|basis| basis != Basis::Seen);
    }

    /// Removes the values of these metrics and of all stages, with the notes on them.
    fn forget(&mut self, is_none: impl Fn(Basis) -> bool) {
        self.doubts.clear();
        self.bare_means = None;
        let metrics = self.metrics.iter_mut().chain(&mut self.tails);
        for metric in metrics.filter(|metric| is_none(metric.basis)) {
            metric.estimate = None;
        }
        for row in &mut self.ledger {
            row.estimate = None;
        }
    }
}
