//! The traffic of a scenario as it is written.

use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bursts, Flow, Load, Pattern, Receivers, Sizes};

/// The traffic of a scenario.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficSpec {
    /// Who sends to whom.
    #[serde(default)]
    pub pattern: Pattern,
    /// The offered load. With clients and servers it is the utilisation of each server's link in each direction, as in
    /// SRC 88, section 2.2, or of all their links together where these differ; each client offers the same. With a
    /// matrix it is the utilisation of the busiest host link; with broadcast that of each host's receiving link, by
    /// what all others send; otherwise that of each sender's link.
    pub load: Load,
    /// The distribution of message sizes.
    #[serde(default)]
    pub sizes: Sizes,
    /// When messages are generated.
    #[serde(default, skip_serializing_if = "ArrivalLaw::is_poisson")]
    pub arrivals: ArrivalLaw,
    /// Windowed bursts, in addition to the messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<Bursts>,
    /// Which messages the statistics include.
    #[serde(default)]
    pub observed: Observed,
}

/// When messages are generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalLaw {
    /// At random times: a Poisson process (SRC 88, section 2.2).
    #[default]
    Poisson,
    /// In each slot independently with the same probability, as in Karol, Hluchyj and Morgan (1987). A slot is the
    /// transmission time of one message on its sender's link. Slots are counted from time zero, and all messages have
    /// one length.
    Slotted,
}

impl ArrivalLaw {
    fn is_poisson(&self) -> bool {
        *self == Self::Poisson
    }
}

/// Which messages the statistics include.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Observed {
    /// All messages.
    #[default]
    Always,
    /// Messages generated while at least one burst is in progress (SRC 88, Table 4).
    DuringBursts,
}

impl TrafficSpec {
    /// The longest message that any model here carries: AN1 packets reach 64 KB (SRC 88, section 3.2), a few jumbo
    /// sizes more.
    pub const LONGEST: Data = Data::from_bytes(1 << 20);

    /// What is wrong with this traffic whatever the network; paths begin below `traffic`.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some(problem) = self.load.problem() {
            problems.push(Problem::new("load", problem, "above 0 and at most 1, or \"saturated\""));
        }
        self.sizes.problems("sizes", Self::LONGEST, &mut problems);
        if let Some(bursts) = &self.bursts {
            bursts.problems("bursts", Self::LONGEST, &mut problems);
            if self.load == Load::Saturated && bursts.every.is_none() {
                let problem = "bursts that start at random times need a load";
                problems.push(Problem::new(
                    "bursts",
                    problem,
                    "a numeric load, or `every` for periodic bursts",
                ));
            }
        }
        if self.observed == Observed::DuringBursts && !self.has_bursts() {
            let problem = "there are no bursts, so no message would be counted";
            problems.push(Problem::new("observed", problem, "\"always\", or traffic with bursts"));
        }
        if self.arrivals == ArrivalLaw::Slotted && self.only_length().is_none() {
            let problem = "slotted arrivals need messages of one length";
            problems.push(Problem::new("arrivals", problem, "one fixed size and no bursts"));
        }
        problems.extend(self.multicast_bursts());
        self.pattern.problems(&mut problems);
        problems
    }

    /// Where the traffic first says that a message goes to several hosts at once, as a path below `traffic`; nothing
    /// where none does.
    #[must_use]
    pub fn multicast(&self) -> Option<String> {
        match &self.pattern {
            Pattern::Broadcast => Some("pattern".to_owned()),
            Pattern::Flows(flows) => {
                let group = |flow: &Flow| matches!(flow.to, Receivers::Group(_));
                flows.iter().position(group).map(|i| format!("pattern.flows[{i}].to"))
            }
            _ => None,
        }
    }

    /// Bursts are acknowledged by the one host that receives them.
    fn multicast_bursts(&self) -> Option<Problem> {
        let of_flows = match &self.pattern {
            Pattern::Flows(flows) => flows.iter().position(|flow| flow.bursts.is_some()),
            _ => None,
        };
        self.multicast()?;
        let path = match (&self.bursts, of_flows) {
            (Some(_), _) => "bursts".to_owned(),
            (None, Some(i)) => format!("pattern.flows[{i}].bursts"),
            (None, None) => return None,
        };
        let problem =
            "bursts together with messages for several hosts: their windows are those of one receiver";
        Some(Problem::new(path, problem, "no bursts, or one receiver each"))
    }

    /// The length of every message, where they all have one and no bursts come between.
    #[must_use]
    pub fn only_length(&self) -> Option<Data> {
        let all = match &self.pattern {
            Pattern::Flows(flows) => {
                flows.iter().map(|flow| flow.sizes.as_ref().unwrap_or(&self.sizes)).collect()
            }
            _ => vec![&self.sizes],
        };
        let Some(Sizes::Fixed(length)) = all.first() else { return None };
        let alike = |sizes: &&Sizes| matches!(sizes, Sizes::Fixed(other) if other == length);
        (all.iter().all(alike) && !self.has_bursts()).then_some(*length)
    }

    fn has_bursts(&self) -> bool {
        let in_flow =
            matches!(&self.pattern, Pattern::Flows(flows) if flows.iter().any(|f| f.bursts.is_some()));
        self.bursts.is_some() || in_flow
    }
}
