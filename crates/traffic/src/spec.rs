use hopscope_measure::Problem;
use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bursts, Load, Pattern, Sizes};

/// The traffic of a scenario.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficSpec {
    /// Who sends to whom.
    #[serde(default)]
    pub pattern: Pattern,
    /// How much is offered. With clients and servers: the utilisation of each server's link in each direction, as in SRC 88,
    /// section 2.2. With a matrix: the utilisation of the busiest host link. Otherwise: of each sender's link.
    pub load: Load,
    /// How long messages are.
    #[serde(default)]
    pub sizes: Sizes,
    /// Long transfers under a window, besides the messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<Bursts>,
    /// Which messages enter the statistics.
    #[serde(default)]
    pub observed: Observed,
}

/// Which messages enter the statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Observed {
    /// All of them.
    #[default]
    Always,
    /// Those generated while at least one burst is under way (SRC 88, Table 4).
    DuringBursts,
}

impl TrafficSpec {
    /// The longest message that any model here carries: AN1 packets reach 64 KB (SRC 88, section 3.2), a few jumbo sizes more.
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
                let problem = "bursts at random times need a load";
                problems.push(Problem::new(
                    "bursts",
                    problem,
                    "a numeric load, or `every` for bursts at set times",
                ));
            }
        }
        if self.observed == Observed::DuringBursts && !self.has_bursts() {
            let problem = "no burst is ever under way, so no message would be counted";
            problems.push(Problem::new("observed", problem, "\"always\", or traffic with bursts"));
        }
        self.pattern.problems(&mut problems);
        problems
    }

    fn has_bursts(&self) -> bool {
        let in_flow =
            matches!(&self.pattern, Pattern::Flows(flows) if flows.iter().any(|f| f.bursts.is_some()));
        self.bursts.is_some() || in_flow
    }
}
