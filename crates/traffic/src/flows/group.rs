//! Groups of flows as a scenario writes them.

use hopscope_measure::{Problem, class_name_problem};
use hopscope_units::{Data, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Algorithm, AllReduce, AllToAll, FlowList, FlowSizes, Hosts};
use crate::Permutation;

/// A group of flows: their pattern, their hosts, and how often they repeat.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowGroup {
    /// The class of its flows in the results. Default: the name of the pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The pattern of the flows.
    pub pattern: FlowPattern,
    /// The hosts that take part.
    #[serde(default)]
    pub hosts: Hosts,
    /// The start of the first round, at which all hosts start together.
    #[serde(default)]
    pub start: Span,
    /// The number of rounds. 0: rounds until the run ends.
    #[serde(default = "one")]
    pub rounds: u32,
    /// The time from the start of one round to the start of the next, even if the first has not ended. Default: a round
    /// starts when the previous one has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "rounds of flow group {number} {factor} as far apart", "multiply": 2.0, "place": "flow group {number}", "cause": "overload", "speeds": ["Rounds"], "cost": "fewer rounds"},
    ])))]
    pub every: Option<Span>,
    /// The time from the end of a round to the start of the next, for example the computation between two collectives.
    #[serde(default)]
    pub pause: Span,
}

fn one() -> u32 {
    1
}

/// The pattern of a group of flows.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowPattern {
    /// Each host sends to one other host and receives from one other host.
    Permutation(PermutationFlows),
    /// Many hosts send to one host at the same time, such as the responses to a request.
    Incast(Incast),
    /// Every host sends to every other host.
    AllToAll(AllToAll),
    /// The vectors of all hosts are summed, and every host gets the sum.
    AllReduce(AllReduce),
    /// Flows start at random times, from every host to random other hosts.
    Poisson(PoissonFlows),
    /// A list of flows, from a file or in the scenario. Each starts at a given time or after other flows.
    List(FlowList),
}

/// Each host sends to one other host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermutationFlows {
    /// The data that each host sends.
    pub size: Data,
    /// The permutation. `random` draws a new one for each round.
    #[serde(default = "random_permutation")]
    pub to: Permutation,
}

fn random_permutation() -> Permutation {
    Permutation::Random
}

/// Many hosts send to one host at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    /// The number of senders. They are drawn anew for each round.
    pub senders: u32,
    /// The data that each sender sends.
    pub size: Data,
    /// The receiver. Default: drawn anew for each round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
}

/// Flows that start at random times: a Poisson process at each host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoissonFlows {
    /// The offered load of each host, as a fraction of its link's rate. Headers and acknowledgments do not count.
    pub load: f64,
    /// The distribution of flow sizes.
    pub sizes: FlowSizes,
}

/// The largest flow: a vector of a large model's gradients many times over.
pub(crate) const LARGEST_FLOW: Data = Data::from_bytes(1 << 40);
/// The longest time between rounds, and until the first.
pub(crate) const LONGEST_WAIT: Span = Span::from_s(86_400);

impl FlowPattern {
    /// What the pattern is called in a scenario.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Permutation(_) => "permutation",
            Self::Incast(_) => "incast",
            Self::AllToAll(_) => "all-to-all",
            Self::AllReduce(_) => "all-reduce",
            Self::Poisson(_) => "poisson",
            Self::List(_) => "list",
        }
    }

    /// The fewest hosts that it makes sense for.
    pub(crate) fn least_hosts(&self) -> usize {
        match self {
            Self::Incast(incast) => incast.senders as usize + 1,
            Self::List(_) => 1,
            _ => 2,
        }
    }
}

/// Refuses a flow of nothing, and one past all measure.
pub(crate) fn size_problem(path: String, size: Data) -> Option<Problem> {
    let refused = size.bits() < 8 || !size.bits().is_multiple_of(8) || size > LARGEST_FLOW;
    let expected = format!("whole bytes from 1 B to {LARGEST_FLOW}");
    let hint = if size.bits() < 8 {
        "a flow of nothing never ends: leave it out, or give it data"
    } else if size > LARGEST_FLOW {
        "split it into several flows"
    } else {
        "8 bit are a byte"
    };
    refused.then(|| Problem::new(path, format!("flow size {size} is out of range"), expected).hint(hint))
}

impl FlowGroup {
    /// The class under which its flows are reported.
    #[must_use]
    pub fn class(&self) -> &str {
        self.name.as_deref().unwrap_or(self.pattern.name())
    }

    /// Whether it never ends by itself.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        self.rounds == 0 || matches!(self.pattern, FlowPattern::Poisson(_))
    }

    /// What is wrong with the group, whatever the network; `path` is its own, such as `flows[0]`.
    #[must_use]
    pub fn problems(&self, path: &str) -> Vec<Problem> {
        let name = self.name.as_deref();
        let mut problems: Vec<Problem> =
            name.and_then(|name| class_name_problem(&format!("{path}.name"), name)).into_iter().collect();
        let mut refuse = |field: &str, problem: String, expected: &str| {
            problems.push(Problem::new(format!("{path}.{field}"), problem, expected));
        };
        for (field, span) in [("start", self.start), ("pause", self.pause)] {
            if span > LONGEST_WAIT {
                refuse(field, format!("time {span} is out of range"), "at most a day");
            }
        }
        if self.every.is_some_and(|every| every == Span::ZERO || every > LONGEST_WAIT) {
            refuse("every", "a period of 0 s, or of more than a day".to_owned(), "up to a day");
        }
        if self.every.is_some() && self.pause > Span::ZERO {
            let problem = "`pause` and `every` are both given".to_owned();
            refuse("pause", problem, "one of the two");
        }
        if matches!(self.pattern, FlowPattern::Poisson(_)) && (self.rounds > 1 || self.every.is_some()) {
            let problem = "flows that start at random times have no rounds".to_owned();
            refuse("rounds", problem, "neither `rounds` nor `every`");
        }
        self.pattern.problems(&format!("{path}.pattern.{}", self.pattern.name()), &mut problems);
        problems
    }
}

impl FlowPattern {
    fn problems(&self, path: &str, problems: &mut Vec<Problem>) {
        let size = match self {
            Self::Permutation(permutation) => permutation.size,
            Self::Incast(incast) => {
                if incast.senders == 0 {
                    problems.push(Problem::new(
                        format!("{path}.senders"),
                        "there are no senders",
                        "at least one",
                    ));
                }
                incast.size
            }
            Self::AllToAll(exchange) => exchange.size,
            Self::AllReduce(collective) => collective.size,
            Self::Poisson(poisson) => {
                if !(poisson.load > 0.0 && poisson.load <= 1.0) {
                    let problem = format!("load {} is out of range", poisson.load);
                    problems.push(Problem::new(format!("{path}.load"), problem, "above 0 and at most 1"));
                }
                return poisson.sizes.problems(&format!("{path}.sizes"), problems);
            }
            Self::List(list) => return list.problems(path, problems),
        };
        problems.extend(size_problem(format!("{path}.size"), size));
    }
}

impl AllReduce {
    /// Why this collective does not exist over `ranks` hosts, or None if it does.
    pub(crate) fn problem(&self, ranks: usize, path: &str) -> Option<Problem> {
        if self.algorithm == Algorithm::HalvingDoubling && !ranks.is_power_of_two() {
            let expected = "a power of two, by `hosts = { first = ... }`, or algorithm = \"ring\"";
            let problem = format!("halving-doubling needs a power of two, and there are {ranks} hosts");
            return Some(Problem::new(format!("{path}.algorithm"), problem, expected));
        }
        (self.size.bytes() < ranks as u64).then(|| {
            let problem = format!("a vector of {} is too small for {ranks} hosts", self.size);
            Problem::new(format!("{path}.size"), problem, "at least 1 B per host")
        })
    }
}
