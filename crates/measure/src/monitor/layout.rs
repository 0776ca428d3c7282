//! What a monitor measures, and in which units it is reported.

use hopscope_units::Span;

use crate::StageLabel;

/// The unit in which a delay is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayUnit {
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl DelayUnit {
    /// The unit as reports write it.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
        }
    }

    /// Picoseconds in one of the unit.
    #[must_use]
    pub const fn picoseconds(self) -> f64 {
        match self {
            Self::Us => 1e6,
            Self::Ms => 1e9,
            Self::S => 1e12,
        }
    }
}

/// The unit in which the offered and the delivered rate are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateUnit {
    /// Gigabits a second.
    GbitPerS,
    /// Megabits a second.
    MbitPerS,
    /// Kilobits a second.
    KbitPerS,
    /// Messages a second.
    MessagesPerS,
}

impl RateUnit {
    /// The unit as reports write it.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::GbitPerS => "Gbit/s",
            Self::MbitPerS => "Mbit/s",
            Self::KbitPerS => "kbit/s",
            Self::MessagesPerS => "1/s",
        }
    }

    /// Bits, or messages, a second in one of the unit.
    pub(crate) const fn scale(self) -> f64 {
        match self {
            Self::GbitPerS => 1e9,
            Self::MbitPerS => 1e6,
            Self::KbitPerS => 1e3,
            Self::MessagesPerS => 1.0,
        }
    }
}

/// A delay that is measured: its name and unit in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayLabel {
    /// The name, such as "latency".
    pub name: &'static str,
    /// The unit.
    pub unit: DelayUnit,
}

/// The latency without one of its stages, such as the time before a message enters the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessStage {
    /// The name and unit of what remains.
    pub label: DelayLabel,
    /// The stage, all of which lies within the latency.
    pub stage: usize,
}

/// What a [`MessageMonitor`](crate::MessageMonitor) measures.
#[derive(Clone, Copy, Debug)]
pub struct MonitorLayout<'a> {
    /// The stages of the model's ledger.
    pub stages: &'static [StageLabel],
    /// The classes of messages, such as "short" and "long". With one class, only "all" is reported.
    pub classes: &'a [&'a str],
    /// The delay of main interest, which the model states for each message delivered.
    pub latency: DelayLabel,
    /// Where asked for, the whole life of a message, from birth to delivery, with the same statistics, under this name.
    pub life: Option<DelayLabel>,
    /// Where asked for, the latency less one stage, with the same statistics.
    pub less_stage: Option<LessStage>,
    /// Further delays, sampled by [`MessageMonitor::sample`](crate::MessageMonitor::sample) under their index here.
    pub series: &'a [DelayLabel],
    /// The unit of throughput and offered rate.
    pub rate: RateUnit,
    /// The time that the first bits need to cross the network: before that, a growing backlog fills the links and is no
    /// sign of saturation, and no warm-up ends. Zero if links are short.
    pub crossing: Span,
}

impl<'a> MonitorLayout<'a> {
    /// Latency under this name in microseconds, rates in gigabits a second, nothing further.
    #[must_use]
    pub const fn new(stages: &'static [StageLabel], classes: &'a [&'a str]) -> Self {
        let latency = DelayLabel { name: "latency", unit: DelayUnit::Us };
        Self {
            stages,
            classes,
            latency,
            life: None,
            less_stage: None,
            series: &[],
            rate: RateUnit::GbitPerS,
            crossing: Span::ZERO,
        }
    }
}
