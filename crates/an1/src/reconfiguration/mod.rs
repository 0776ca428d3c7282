//! Automatic reconfiguration (SRC 88, section 2.1; Rodeheffer and Schroeder 1991): what the switches' control
//! processors say to each other when a link or switch comes or goes.
//!
//! `message.rs`, `processor.rs` and `skeptic.rs` are the protocol, sans-IO: they know of no events, links or time,
//! except the skeptic of its own periods. The other files run it in the fabric.

pub(crate) mod control_plane;
mod message;
pub(crate) mod outage;
mod processor;
pub(crate) mod purge;
mod skeptic;
mod switch_closing;

pub(crate) use message::{Epoch, Message, Rank, Topology};
pub(crate) use processor::{Deed, Processor};
pub(crate) use skeptic::Skeptic;

use hopscope_measure::Problem;
use hopscope_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How fast switches reconfigure the network. It matters only where there are `faults`.
///
/// The times are set so that a network of 30 switches, closed by the first and opened by the last, is closed for about
/// the 0.2 s that is reported of the tuned version; how they share it is not known, and each may be off by a factor of
/// two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReconfigurationParams {
    /// From the instant at which a link fails or comes back to the first word of it at the control processors at its
    /// ends. Assumed: some rounds of a monitor that looks at the ports every few milliseconds.
    pub detection: Span,
    /// The control processor's time for a control packet, from its turn to the last answer. Fitted to the 0.2 s.
    pub message: Span,
    /// The control processor's time to compute its table, for each switch of the topology. Fitted to the 0.2 s.
    pub table: Span,
    /// The time to load a computed table. Assumed.
    pub load: Span,
    /// How long a link that has failed must be good before it is believed. It doubles with each further failure.
    /// Assumed.
    pub skeptic: Span,
    /// The longest that a link must be good, however often it has failed. Assumed.
    pub longest_skeptic: Span,
    /// A believed link that stays good for this long is forgiven one failure. Assumed.
    pub forgiveness: Span,
}

impl Default for ReconfigurationParams {
    fn default() -> Self {
        Self {
            detection: Span::from_ms(10),
            message: Span::from_us(1_500),
            table: Span::from_ms(3),
            load: Span::from_ms(10),
            skeptic: Span::from_ms(100),
            longest_skeptic: Span::from_s(60),
            forgiveness: Span::from_s(60),
        }
    }
}

/// The longest of these times.
const LONGEST: Span = Span::from_s(3_600);

impl ReconfigurationParams {
    /// Whether every value is the default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What is wrong with the parameters.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let times = [
            ("detection", self.detection),
            ("message", self.message),
            ("table", self.table),
            ("load", self.load),
            ("skeptic", self.skeptic),
            ("longest_skeptic", self.longest_skeptic),
            ("forgiveness", self.forgiveness),
        ];
        let refused = times.into_iter().filter(|(_, time)| *time == Span::ZERO || *time > LONGEST);
        refused
            .map(|(field, time)| {
                let path = format!("reconfiguration.{field}");
                Problem::new(
                    path,
                    format!("time {time} is out of range"),
                    format!("more than 0, at most {LONGEST}"),
                )
            })
            .collect()
    }
}
