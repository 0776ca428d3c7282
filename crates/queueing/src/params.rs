//! The parameters of a row of stations, and what is refused.

use hopscope_measure::Problem;
use hopscope_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tandem::MOST_STATIONS;

/// A row of stations that every customer passes from the first to the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueingParams {
    /// The arrivals at the first station.
    pub arrivals: Arrivals,
    /// The stations, 1 to 8, in the order in which customers pass them.
    #[schemars(length(min = 1, max = MOST_STATIONS))]
    pub station: Vec<StationParams>,
}

/// The arrival process. Give exactly one of `load` and `gap`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// The distribution of interarrival times.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "regular arrivals", "to": "regular", "cause": "variability", "cost": "arrivals shaped at their source"},
    ])))]
    pub process: Process,
    /// The offered load: the utilisation of the busiest station. Above 1 its queue grows without bound, and at 1 unless
    /// all times are fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = QueueingParams::GREATEST_LOAD))]
    pub load: Option<f64>,
    /// The mean interarrival time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Span>,
}

/// The distribution of interarrival times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Process {
    /// Exponential: a Poisson process.
    #[default]
    Poisson,
    /// Constant.
    Regular,
}

/// A station: parallel servers with one unbounded first-come-first-served queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationParams {
    /// The number of servers, 1 to 10000.
    #[serde(default = "one_server")]
    #[schemars(range(min = 1, max = QueueingParams::MOST_SERVERS))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} at station {number}", "more": 1, "noun": "server", "cause": "resource", "sort": "servers", "cost": "{amount}"},
    ])))]
    pub servers: u32,
    /// The distribution of service times.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "station {number} {factor} as fast", "divide": 2.0, "cause": "slow service", "sort": "service", "cost": "a server {factor} as fast"},
        {"words": "constant service time at station {number}", "constant": true, "cause": "variability", "cost": "work of equal length"},
    ])))]
    pub service: Service,
}

const fn one_server() -> u32 {
    1
}

/// The distribution of service times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// Exponential, with this mean.
    Exponential(Span),
    /// Constant.
    Fixed(Span),
    /// Uniform over a range.
    Uniform(Range),
    /// Erlang: the sum of equal exponential phases, less variable than an exponential.
    Erlang(Erlang),
    /// One of two constant times.
    Bimodal(Mix),
    /// Hyperexponential: exponential with one of two means, more variable than an exponential.
    Hyperexponential(Mix),
}

/// A range of times, both ends included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The minimum.
    pub shortest: Span,
    /// The maximum.
    pub longest: Span,
}

/// An Erlang distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Erlang {
    /// The number of phases, 1 to 1000.
    #[schemars(range(min = 1, max = QueueingParams::MOST_PHASES))]
    pub phases: u32,
    /// The mean of the sum of all phases.
    pub mean: Span,
}

/// A mix of short and long times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// The short time (or mean).
    pub short: Span,
    /// The long time (or mean).
    pub long: Span,
    /// The share of services that are short, by number.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub short_share: f64,
}

/// The times that a service or gap may take: a shorter one suffers from rounding to picoseconds, and with a longer one
/// few customers use up the 213 days of simulated time.
const SHORTEST: Span = Span::from_ns(1);
const LONGEST: Span = Span::from_s(100);

impl QueueingParams {
    const GREATEST_LOAD: f64 = 10.0;
    const MOST_SERVERS: u32 = 10_000;
    const MOST_PHASES: u32 = 1_000;

    /// What is wrong with these parameters; paths begin at the parameters themselves. A model is built only where
    /// nothing is.
    #[must_use]
    pub fn validate(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.arrivals.validate(&mut problems);
        if self.station.is_empty() || self.station.len() > MOST_STATIONS {
            let problem = format!("{} stations are out of range", self.station.len());
            problems.push(Problem::new("station", problem, format!("from 1 to {MOST_STATIONS} stations")));
        }
        for (index, station) in self.station.iter().enumerate() {
            station.validate(&format!("station[{index}]"), &mut problems);
        }
        // The gap that follows from a load has a meaning only where everything else has.
        if problems.is_empty() && self.arrivals.load.is_some() {
            let gap = Span::from_ps(self.mean_gap_ps() as u64);
            if !(SHORTEST..=LONGEST).contains(&gap) {
                let expected = format!("a gap from {SHORTEST} to {LONGEST}");
                problems.push(Problem::new(
                    "arrivals.load",
                    format!("interarrival time {gap} is out of range"),
                    expected,
                ));
            }
        }
        problems
    }

    /// The mean time between arrivals in picoseconds: as given, or from the load of the busiest station.
    #[must_use]
    pub fn mean_gap_ps(&self) -> f64 {
        match (self.arrivals.load, self.arrivals.gap) {
            (Some(load), _) => self.busiest_ps() / load,
            (None, Some(gap)) => gap.ps() as f64,
            (None, None) => unreachable!("validated parameters have a load or a gap"),
        }
    }

    /// The utilisation of the busiest station; from 1 on, the queues have no steady state.
    #[must_use]
    pub fn load(&self) -> f64 {
        self.busiest_ps() / self.mean_gap_ps()
    }

    /// Whether the queues have a steady state: below load 1, and at 1 where nothing is random.
    #[must_use]
    pub fn has_steady_state(&self) -> bool {
        let fixed = |station: &StationParams| matches!(station.service, Service::Fixed(_));
        let nothing_is_random = self.arrivals.process == Process::Regular && self.station.iter().all(fixed);
        self.load() < 1.0 || nothing_is_random && self.load() <= 1.0
    }

    /// The shortest mean gap between arrivals that every station can keep up with.
    fn busiest_ps(&self) -> f64 {
        let shortest_gap = |station: &StationParams| station.service.mean_ps() / f64::from(station.servers);
        self.station.iter().map(shortest_gap).fold(0.0, f64::max)
    }
}

impl Arrivals {
    fn validate(&self, problems: &mut Vec<Problem>) {
        match (self.load, self.gap) {
            (None, None) => {
                let problem = "the arrival rate is not given";
                let hint = Some("load = 0.8 means 80 % utilisation of the busiest station".to_owned());
                problems.push(Problem { hint, ..Problem::new("arrivals", problem, "`load` or `gap`") });
            }
            (Some(_), Some(_)) => {
                problems.push(Problem::new("arrivals", "`load` and `gap` are both given", "one of the two"));
            }
            (Some(load), None) if !(load > 0.0 && load <= QueueingParams::GREATEST_LOAD) => {
                let expected = format!("above 0 and at most {}", QueueingParams::GREATEST_LOAD);
                problems.push(Problem::new(
                    "arrivals.load",
                    format!("load {load} is out of range"),
                    expected,
                ));
            }
            (None, Some(gap)) => check_time("arrivals.gap", gap, problems),
            (Some(_), None) => {}
        }
    }
}

impl StationParams {
    fn validate(&self, path: &str, problems: &mut Vec<Problem>) {
        if self.servers == 0 || self.servers > QueueingParams::MOST_SERVERS {
            let expected = format!("from 1 to {}", QueueingParams::MOST_SERVERS);
            problems.push(Problem::new(
                format!("{path}.servers"),
                format!("{} servers are out of range", self.servers),
                expected,
            ));
        }
        self.service.validate(&format!("{path}.service"), problems);
    }
}

impl Service {
    fn validate(&self, path: &str, problems: &mut Vec<Problem>) {
        let mut check = |field: &str, time: Span| check_time(&format!("{path}.{field}"), time, problems);
        match self {
            Self::Exponential(mean) => check("exponential", *mean),
            Self::Fixed(time) => check("fixed", *time),
            Self::Uniform(range) => {
                check("uniform.longest", range.longest);
                if range.shortest > range.longest {
                    let problem = format!("{} is longer than the longest, {}", range.shortest, range.longest);
                    let expected = format!("at most {}", range.longest);
                    problems.push(Problem::new(format!("{path}.uniform.shortest"), problem, expected));
                }
            }
            Self::Erlang(erlang) => {
                check("erlang.mean", erlang.mean);
                if erlang.phases == 0 || erlang.phases > QueueingParams::MOST_PHASES {
                    let problem = format!("{} phases are out of range", erlang.phases);
                    let expected = format!("from 1 to {}", QueueingParams::MOST_PHASES);
                    problems.push(Problem::new(format!("{path}.erlang.phases"), problem, expected));
                }
            }
            Self::Bimodal(mix) => mix.validate(&format!("{path}.bimodal"), problems),
            Self::Hyperexponential(mix) => mix.validate(&format!("{path}.hyperexponential"), problems),
        }
    }
}

impl Mix {
    fn validate(&self, path: &str, problems: &mut Vec<Problem>) {
        check_time(&format!("{path}.short"), self.short, problems);
        check_time(&format!("{path}.long"), self.long, problems);
        if self.short > self.long {
            let problem = format!("{} is longer than the long time, {}", self.short, self.long);
            problems.push(Problem::new(format!("{path}.short"), problem, format!("at most {}", self.long)));
        }
        if !(0.0..=1.0).contains(&self.short_share) {
            let problem = format!("share {} is out of range", self.short_share);
            problems.push(Problem::new(format!("{path}.short_share"), problem, "from 0 to 1"));
        }
    }
}

fn check_time(path: &str, time: Span, problems: &mut Vec<Problem>) {
    if time < SHORTEST || time > LONGEST {
        problems.push(Problem::new(
            path,
            format!("time {time} is out of range"),
            format!("from {SHORTEST} to {LONGEST}"),
        ));
    }
}
