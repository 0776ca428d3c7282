//! Every parameter of the model with its unit, default and source. The defaults are AN1's.

use hopscope_measure::Problem;
use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How packets find their way.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingParams {
    /// Which routes are legal.
    pub rule: Rule,
    /// The name of the switch that is the root of up*/down*; unless given, the one with the smallest UID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Which routes are legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The shortest of the routes that never go up after they have gone down: free of deadlock (SRC 88, section 2.1).
    #[default]
    UpDown,
    /// Any shortest route: free of deadlock only with unbounded buffers or a fortunate topology (section 3.2).
    Shortest,
}

/// A switch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SwitchParams {
    /// When a packet may leave again.
    pub switching: Switching,
    /// The routing decision: from a packet's first byte at the head of its FIFO to its request for an output. AN1's router decided 2
    /// million packets a second.
    pub decision: Span,
    /// From the grant of an output, which is held from then on, to the first byte on it. With the decision it makes AN1's 2 us a switch.
    pub setup: Span,
    /// The input buffer of each port.
    pub fifo: Fifo,
    /// A FIFO that holds more than this tells its sender to stop, one that holds less to start: half of AN1's 4 KB (section 2.1).
    pub stop_above: Data,
}

/// When a packet may leave a switch again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// As soon as its head has been looked at (section 3.3). Where an output is faster than the input, once all of it has come,
    /// since the output would run dry.
    #[default]
    CutThrough,
    /// Once all of it has come.
    StoreAndForward,
}

/// How much a FIFO holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fifo {
    /// This much.
    Bytes(Data),
    /// Whatever comes: no back-pressure, as in the paper's comparisons of Tables 2 and 3 and Fig. 6.
    Unbounded,
}

/// Every link that the network does not describe otherwise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkParams {
    /// The rate in each direction, in whole kbit/s: 100 Mbit/s (section 2.1).
    pub rate: Rate,
    /// The propagation delay, for packets and for stop and start alike: 0.2 us, which with 2 us a switch gives the 11.2 us of an
    /// idle path over 5 switches and 6 links (Table 2).
    pub delay: Span,
}

/// All parameters of the model.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FabricParams {
    /// How packets find their way.
    pub routing: RoutingParams,
    /// The switches.
    pub switch: SwitchParams,
    /// The links.
    pub link: LinkParams,
}

impl Default for SwitchParams {
    fn default() -> Self {
        Self {
            switching: Switching::CutThrough,
            decision: Span::from_ns(480),
            setup: Span::from_ns(1520),
            fifo: Fifo::Bytes(Data::from_bytes(4096)),
            stop_above: Data::from_bytes(2048),
        }
    }
}

impl Default for LinkParams {
    fn default() -> Self {
        Self { rate: Rate::from_mbit_s(100), delay: Span::from_ns(200) }
    }
}

/// The slowest and fastest link that the model counts exactly.
const RATES: std::ops::RangeInclusive<u64> = 1_000..=4_000_000_000_000;
/// The longest cable: around the world, and then some.
const LONGEST_DELAY: Span = Span::from_ms(500);
/// The longest decision or set-up.
const LONGEST_SERVICE: Span = Span::from_s(1);
/// The largest FIFO that the model counts exactly.
const LARGEST_FIFO: Data = Data::from_bytes(1 << 30);

impl FabricParams {
    /// What is wrong with the parameters, whatever the network.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some(problem) = rate_problem(self.link.rate) {
            problems.push(Problem::new("link.rate", problem, "whole kbit/s from 1 kbit/s to 4 Tbit/s"));
        }
        if self.link.delay > LONGEST_DELAY {
            let problem = format!("a delay of {}", self.link.delay);
            problems.push(Problem::new("link.delay", problem, format!("at most {LONGEST_DELAY}")));
        }
        for (path, span) in [("switch.decision", self.switch.decision), ("switch.setup", self.switch.setup)] {
            if span > LONGEST_SERVICE {
                problems.push(Problem::new(
                    path,
                    format!("a time of {span}"),
                    format!("at most {LONGEST_SERVICE}"),
                ));
            }
        }
        if self.routing.rule == Rule::Shortest && self.routing.root.is_some() {
            let problem = "a root, but shortest routes have none";
            problems.push(Problem::new("routing.root", problem, "no root, or rule = \"up-down\""));
        }
        if let Fifo::Bytes(size) = self.switch.fifo {
            self.fifo_problems(size, &mut problems);
        }
        problems
    }

    fn fifo_problems(&self, size: Data, problems: &mut Vec<Problem>) {
        if size.bits() == 0 || size > LARGEST_FIFO {
            let expected = format!("from 1 byte to {LARGEST_FIFO}, or \"unbounded\"");
            problems.push(Problem::new("switch.fifo.bytes", format!("a FIFO of {size}"), expected));
        } else if self.switch.stop_above >= size {
            let problem = format!("stop above {} in a FIFO of {size}", self.switch.stop_above);
            problems.push(Problem::new("switch.stop_above", problem, "less than the FIFO holds"));
        }
    }
}

/// Why a link cannot have this rate, or nothing where it can.
pub(crate) fn rate_problem(rate: Rate) -> Option<String> {
    let bit_s = rate.bit_s();
    let refused = !RATES.contains(&bit_s) || !bit_s.is_multiple_of(1_000);
    refused.then(|| format!("a link of {rate}"))
}
