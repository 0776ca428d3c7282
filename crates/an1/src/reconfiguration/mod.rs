//! Automatic reconfiguration (SRC 88, section 2.1; Rodeheffer and Schroeder 1991): the protocol of the switches'
//! control processors when a link or switch fails or recovers.
//!
//! `message.rs`, `processor.rs` and `skeptic.rs` are the protocol, sans-IO: they use no events, links or time, except
//! the skeptic's own periods. The other files run it in the fabric.

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

/// The times of automatic reconfiguration. They matter only with `faults`.
///
/// They are calibrated to the reported outage of the tuned version: about 0.2 s for a network of 30 switches, from the
/// first switch that closes to the last that opens. How the 0.2 s divide among them is unknown; each may be off by a
/// factor of two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReconfigurationParams {
    /// The time from the failure or recovery of a link to its detection by the control processors at its ends. Assumed:
    /// a few rounds of a monitor that polls the ports every few milliseconds.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "failures detected after the usual 10 ms", "usual": "10 ms", "repairs": "the time until a failure is detected", "cause": "slow service", "cost": "ports that are polled more often"},
    ])))]
    pub detection: Span,
    /// The processing time of a control packet, including the packets sent in response. Calibrated to the 0.2 s.
    pub message: Span,
    /// The time to compute a forwarding table, per switch of the topology. Calibrated to the 0.2 s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "tables computed in the usual 3 ms a switch", "usual": "3 ms", "repairs": "the time to compute a forwarding table, per switch,", "cause": "slow service", "cost": "faster control processors"},
    ])))]
    pub table: Span,
    /// The time to load a forwarding table into a switch. Assumed.
    pub load: Span,
    /// The time that a failed link must be good before it returns to service. It doubles with each further failure.
    /// Assumed.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "failed links back in service after the usual 100 ms", "usual": "100 ms", "repairs": "the time that a failed link must be good before it returns to service", "cause": "slow service", "cost": "links that fail again sooner"},
    ])))]
    pub skeptic: Span,
    /// The upper limit of `skeptic` after repeated failures. Assumed.
    pub longest_skeptic: Span,
    /// An accepted link that stays good for this time has its count of failures reduced by one. Assumed.
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

    /// The problems of the parameters.
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
