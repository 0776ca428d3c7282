//! What a run found out, as data.

use serde::{Deserialize, Serialize};

use crate::{DelayUnit, FlowTables};

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Measured as asked.
    #[default]
    Complete,
    /// More was offered than can be carried: throughput is a number, delay is not.
    Saturated,
    /// Messages wait for each other in a circle.
    Deadlock,
    /// The start-up transient was not over when the measurement had to begin.
    Unsettled,
    /// Stopped from outside before its end.
    Interrupted,
}

/// A deadlock as its circle of waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// What happened, in one sentence.
    pub reason: String,
    /// One line a wait: who holds what and waits for what; the last waits for the first.
    pub cycle: Vec<String>,
}

/// A number with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval. A maximum has none: both ends are its value.
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
    /// numbers stay so.)
    #[must_use]
    pub fn in_units_of(&self, unit: f64) -> Self {
        Self { value: self.value / unit, low: self.low / unit, high: self.high / unit, n: self.n }
    }
}

/// One measured quantity. Its key, as a person writes it, is `NAME[CLASS].STATISTIC`; class "all" may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// The quantity, such as "latency".
    pub name: String,
    /// The class of messages, or "all".
    pub class: String,
    /// "mean", "p50", "p99", "max" or "rate".
    pub statistic: String,
    /// The unit of the estimate, such as "us".
    pub unit: String,
    /// Nothing where no such number exists: the delay of a saturated network, the mean of no messages.
    pub estimate: Option<Estimate>,
}

impl Metric {
    /// The key as a person writes it, such as `latency.mean` or `latency[short].p99`.
    #[must_use]
    pub fn key(&self) -> String {
        if self.class == "all" {
            format!("{}.{}", self.name, self.statistic)
        } else {
            format!("{}[{}].{}", self.name, self.class, self.statistic)
        }
    }
}

/// The mean time a message of one class spends in one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// The stage, such as "output wait".
    pub stage: String,
    /// "wait" or "service".
    pub kind: String,
    /// The resource waited for or served by.
    pub resource: String,
    /// The class of messages, or "all".
    pub class: String,
    /// Always "us".
    pub unit: String,
    /// Mean over messages; nothing where the network is saturated or no message of the class was delivered.
    pub estimate: Option<Estimate>,
    /// Share of the class's mean life, 0 to 1.
    pub share: f64,
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The mean amount of a resource held by messages in one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldIn {
    /// The stage the holders were in.
    pub stage: String,
    /// Mean amount held, in the resource's unit.
    pub occupancy: f64,
    /// The amount that came into the stage: each unit of it stayed there for `occupancy` times the window over this (Little). 0 where
    /// the model does not count it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entered: u64,
}

impl HeldIn {
    /// What is held in a stage into which nothing is counted.
    #[must_use]
    pub fn of(stage: &str, occupancy: f64) -> Self {
        Self { stage: stage.to_owned(), occupancy, entered: 0 }
    }
}

/// The use of one resource over the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceRow {
    /// The resource, as the ledger's stages name it, such as "output".
    pub name: String,
    /// What sort of thing it is, such as "link", "buffer" or "server".
    pub kind: String,
    /// Where it is, such as "l0s3 port 4".
    pub place: String,
    /// How much there is of it; nothing where it is unbounded.
    pub capacity: Option<f64>,
    /// What is counted, such as "B" or "packets".
    pub unit: String,
    /// Mean amount held.
    pub occupancy: f64,
    /// Mean share held, 0 to 1; 0 for an unbounded resource.
    pub utilisation: f64,
    /// The most that was held at once.
    pub peak: f64,
    /// Mean number of messages waiting for it.
    pub waiting: f64,
    /// Time waited for it, summed over all waiters, over the number of messages delivered.
    pub wait_us: f64,
    /// How often some of it was taken.
    pub acquisitions: u64,
    /// How often somebody was sent away because there was none, where the model sends away.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u64,
    /// What its holders were doing, where the model tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_in: Vec<HeldIn>,
}

/// What the holders of one resource need of another before they can give the first one back.
///
/// It says what is possible in the network as it stands; `held_in` says how much of it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The row of the resource that is held, in `Report::resources`.
    pub holder: usize,
    /// The stage of the holders, as `held_in` names it; empty for all of them.
    pub stage: &'static str,
    /// The row of the resource that they need.
    pub needs: usize,
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

/// The window that everything else in the report covers.
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

/// One stage in the life of one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JourneyRow {
    /// The message's number; numbers rise in the order of birth.
    pub message: u64,
    /// The stage.
    pub stage: String,
    /// "wait" or "service".
    pub kind: String,
    /// The resource waited for or served by.
    pub resource: String,
    /// Where.
    pub place: String,
    /// Start, picoseconds of simulated time.
    pub from_ps: u64,
    /// End, picoseconds of simulated time.
    pub to_ps: u64,
}

/// Something that happened to a message or a control message, or the passage of one of its packets, for time-space diagrams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// What happened, such as "RFNM arrives"; for a passage, what passes.
    pub event: String,
    /// The message's number in the order of birth; nothing for a control message that belongs to none.
    pub message: Option<u64>,
    /// Its number in its sequence, which control messages have too.
    pub number: u32,
    /// Which packet of the message.
    pub packet: u32,
    /// The sequence, such as "UCLA -> UTAH".
    pub sequence: String,
    /// Where; for a passage, where it begins.
    pub place: String,
    /// Where a passage ends; the same place for what happens at one.
    pub to: String,
    /// When it begins, picoseconds of simulated time.
    pub from_ps: u64,
    /// When it ends; the same instant but for a passage.
    pub to_ps: u64,
}

/// The instants T(1) to T(7) of one message (RFC 619).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstantRow {
    /// The message's number; numbers rise in the order of birth.
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
    /// Of a route: where it leads; empty for everything else.
    pub destination: String,
    /// Of a route: the neighbour that is next.
    pub next: String,
    /// Of a route: whether it is held down.
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
    /// How many there were.
    pub messages: u64,
    /// How many there were a minute.
    pub per_minute: f64,
    /// Their mean delay of main interest in milliseconds, with its interval, which has no bounds where there were too few messages.
    pub delay_ms: Estimate,
}

/// Everything a run found out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it ended there, in one sentence.
    pub ended_because: String,
    /// How the start was cut off.
    pub warmup: WarmupReport,
    /// The window that all numbers below cover.
    pub measured: MeasuredWindow,
    /// The quantities.
    pub metrics: Vec<Metric>,
    /// Where the messages spent their time.
    pub ledger: Vec<LedgerRow>,
    /// The use of the resources.
    pub resources: Vec<ResourceRow>,
    /// Which resource's holders need which other: what leads an explanation from waiters to holders. Not part of the result.
    #[serde(skip)]
    pub dependences: Vec<Dependence>,
    /// What a reader of the numbers should know.
    pub notes: Vec<String>,
    /// The deadlock, where there was one.
    pub stuck: Option<Stuck>,
    /// Quantities over time.
    pub series: Vec<SeriesPoint>,
    /// Whole lives of messages, where asked for.
    pub journeys: Vec<JourneyRow>,
    /// What happened to them, where asked for and the model tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<EventRow>,
    /// When the messages of `journeys` that arrived reached each of the instants of RFC 619, where the model has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instants: Vec<InstantRow>,
    /// The state at instants, where asked for and the model tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<SnapshotRow>,
    /// Messages by where they come from and where they go, where the model tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairRow>,
    /// The flows themselves, where the model has flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<FlowTables>,
}

impl Report {
    /// The metric with this key, such as `latency.mean` or `latency[short].p99`.
    #[must_use]
    pub fn metric(&self, key: &str) -> Option<&Metric> {
        let plain = key.replacen("[all].", ".", 1);
        self.metrics.iter().find(|metric| metric.key() == plain)
    }

    /// Marks the network as saturated: delays, and the time in each stage, are then no numbers. Shares and rates
    /// remain.
    pub fn saturate(&mut self) {
        self.outcome = Outcome::Saturated;
        let delay_units = [DelayUnit::Us, DelayUnit::Ms, DelayUnit::S].map(DelayUnit::symbol);
        let is_delay = |m: &Metric| delay_units.contains(&m.unit.as_str()) || m.name == "slowdown";
        for metric in self.metrics.iter_mut().filter(|metric| is_delay(metric)) {
            metric.estimate = None;
        }
        for row in &mut self.ledger {
            row.estimate = None;
        }
    }
}
