//! Known patterns of trouble.

use hopscope_measure::ResourceRow;
use serde::{Serialize, Serializer};

use crate::Cause;
use crate::words::words;

/// The patterns that are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// Messages wait for one another in a cycle.
    Deadlock,
    /// Two scarce resources, each held by messages that need the other one.
    Phasing,
    /// Messages rejected as out of order wait to be sent again.
    RetransmissionTrap,
    /// Packets returned to nodes that they had left.
    RoutingLoop,
    /// A routing loop that hold-down prolonged.
    LoopTrap,
    /// Traffic concentrates at one switch.
    RootConcentration,
    /// Packets wait behind heads whose outputs have time to spare.
    HeadOfLineBlocking,
    /// Links are stopped because of one further downstream.
    CongestionTree,
    /// A host causes the waiting.
    SlowHost,
    /// A logical unit causes the waiting.
    SlowUnit,
    /// A window is always full.
    WindowLimit,
    /// A link of a fabric is in use nearly all the time.
    SaturatedLink,
    /// A line is in use nearly all the time.
    SaturatedLine,
    /// Messages arrive together at an idle resource.
    SynchronisedBursts,
}

impl Pattern {
    /// Its name, such as "head-of-line blocking".
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Phasing => "phasing",
            Self::RetransmissionTrap => "retransmission trap",
            Self::RoutingLoop => "routing loop",
            Self::LoopTrap => "loop trap",
            Self::RootConcentration => "root concentration",
            Self::HeadOfLineBlocking => "head-of-line blocking",
            Self::CongestionTree => "congestion tree",
            Self::SlowHost => "slow host",
            Self::SlowUnit => "slow unit",
            Self::WindowLimit => "window limit",
            Self::SaturatedLink => "saturated link",
            Self::SaturatedLine => "saturated line",
            Self::SynchronisedBursts => "synchronised bursts",
        }
    }

    /// The class of causes that it is a sign of: a change that relieves the cause relieves the symptom.
    #[must_use]
    pub const fn cause(self) -> Cause {
        match self {
            Self::Deadlock | Self::Phasing => Cause::CircularWait,
            Self::RetransmissionTrap => Cause::Loss,
            Self::RoutingLoop | Self::LoopTrap => Cause::RoutingLoop,
            Self::RootConcentration => Cause::RouteConcentration,
            Self::HeadOfLineBlocking | Self::CongestionTree => Cause::Blocking,
            Self::SlowHost | Self::SlowUnit => Cause::SlowService,
            Self::WindowLimit => Cause::Window,
            Self::SaturatedLink | Self::SaturatedLine => Cause::Resource,
            Self::SynchronisedBursts => Cause::Variability,
        }
    }

    /// The publication that describes it or gives its threshold.
    #[must_use]
    pub const fn source(self) -> &'static str {
        match self {
            Self::Deadlock => "Owicki and Karlin 1992 (SRC report 88), section 3.2",
            Self::Phasing => "Kleinrock and Opderbeck 1977, section VII",
            Self::RetransmissionTrap => "RFC 632",
            Self::RoutingLoop | Self::LoopTrap => {
                "Kleinrock and Naylor 1974; Kleinrock and Opderbeck 1977, section V"
            }
            Self::RootConcentration => "Owicki and Karlin 1992, sections 2.1 and 4.2",
            Self::HeadOfLineBlocking => "Karol, Hluchyj and Morgan 1987, section III",
            Self::CongestionTree => "Pfister and Norton 1985; Owicki and Karlin 1992, section 3.5",
            Self::SlowHost | Self::SlowUnit => {
                "Boggs, Shoch, Taft and Metcalfe 1980 (IEN 138), comments on the table"
            }
            Self::WindowLimit => "Little 1961; Kleinrock and Opderbeck 1977, section III",
            Self::SaturatedLink | Self::SaturatedLine => {
                "Kleinrock 1964: the delay of a line grows as 1/(1 - use)"
            }
            Self::SynchronisedBursts => "Kleinrock 1975, M/M/1",
        }
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// A known pattern found in a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symptom {
    /// Which pattern.
    pub name: Pattern,
    /// The class of causes that it is a sign of.
    pub cause: Cause,
    /// The evidence, with its numbers.
    pub evidence: String,
    /// The resource that it tells of, in words, if a verdict on that resource says as much; else nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The publication that describes it or gives its threshold.
    pub source: &'static str,
}

impl Symptom {
    /// A pattern with its evidence.
    pub(crate) fn new(name: Pattern, evidence: String) -> Self {
        Self { name, cause: name.cause(), evidence, resource: None, source: name.source() }
    }

    /// The same, for a resource about which a verdict on it says as much.
    pub(crate) fn of(self, row: &ResourceRow) -> Self {
        Self { resource: Some(words(row)), ..self }
    }
}

/// The patterns by name, as a sentence lists them.
pub(crate) fn names(symptoms: &[Symptom]) -> String {
    symptoms.iter().map(|symptom| symptom.name.word()).collect::<Vec<_>>().join(", ")
}
