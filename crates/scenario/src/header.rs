//! What every scenario begins with, whatever its model.

use std::borrow::Cow;
use std::fmt;

use hopscope_measure::{Problem, RunPlan, Warmup};
use hopscope_units::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::snapshots::Snapshots;

/// The default seed. It is the same on all machines, so that a scenario without one gives the same numbers everywhere.
const SEED: u64 = 1;

/// The part of a scenario that every model shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What the scenario shows, in one line.
    #[serde(default)]
    pub title: String,
    /// The model that simulates the scenario.
    pub model: String,
    /// The seed of all random numbers. The same scenario, version and seed give the same bytes.
    #[serde(default = "default_seed")]
    #[schemars(range(max = i64::MAX))]
    pub seed: u64,
    /// How long to measure, and what to record.
    #[serde(default)]
    pub measure: Measure,
}

fn default_seed() -> u64 {
    SEED
}

impl Header {
    /// The names of the fields.
    pub const FIELDS: [&str; 4] = ["title", "model", "seed", "measure"];

    /// What is wrong with values that could be read.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        self.measure.problems()
    }
}

/// How long a run measures, and what it records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// The number of messages to measure after the warm-up. With `precision` it is the maximum.
    #[schemars(range(min = 1, max = Measure::MOST_MESSAGES))]
    pub messages: u64,
    /// The run ends once half the 95 % confidence interval of the mean delay is at most this share of the mean: 0.02 is
    /// 2 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 0.5))]
    pub precision: Option<f64>,
    /// How the warm-up is removed from the results: "auto" (the MSER-5 rule; nothing of a finite workload is removed),
    /// "none" (measured from the start), or a time such as "10 ms": it ends at the first check after this time, and
    /// checks come at most 4096 events apart.
    pub warmup: WarmupRule,
    /// The number of messages that are recorded in full, stage by stage.
    #[schemars(range(max = Measure::MOST_JOURNEYS))]
    pub journeys: u64,
    /// The instants at which the state of the network is recorded (model arpanet): a period, such as "10 s", or a list
    /// of instants. Snapshots taken during the warm-up are dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Snapshots>,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            messages: 1_000_000,
            precision: None,
            warmup: WarmupRule(Warmup::Auto),
            journeys: 0,
            snapshots: None,
        }
    }
}

impl Measure {
    /// The most messages of one run: some days on today's machines.
    const MOST_MESSAGES: u64 = 1_000_000_000_000;
    /// The most journeys: they are held in memory.
    const MOST_JOURNEYS: u64 = 1_000_000;
    /// A precision is not believed before this many messages: an interval needs batches that forget one another.
    const FEWEST_FOR_PRECISION: u64 = 10_000;

    /// The measurement as the run's controller takes it.
    #[must_use]
    pub fn plan(&self) -> RunPlan {
        RunPlan {
            max_messages: self.messages,
            min_messages: self.messages.min(Self::FEWEST_FOR_PRECISION),
            precision: self.precision,
            warmup: self.warmup.0,
        }
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.messages == 0 || self.messages > Self::MOST_MESSAGES {
            let problem = format!("{} messages cannot be measured", self.messages);
            problems.push(Problem::new("measure.messages", problem, "from 1 to 1000000000000"));
        }
        if let Some(precision) = self.precision.filter(|share| !(*share > 0.0 && *share < 0.5)) {
            let problem = format!("precision {precision} is out of range");
            let expected = "a share above 0 and below 0.5, such as 0.02 for two per cent";
            problems.push(Problem::new("measure.precision", problem, expected));
        }
        problems.extend(self.snapshots.as_ref().and_then(Snapshots::problem));
        if self.journeys > Self::MOST_JOURNEYS {
            let problem = format!("{} journeys do not fit in memory", self.journeys);
            problems.push(Problem::new("measure.journeys", problem, "from 0 to 1000000"));
        }
        problems
    }
}

/// How the start of a run is kept out of the numbers, as a scenario writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmupRule(pub Warmup);

impl fmt::Display for WarmupRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Warmup::Auto => f.write_str("auto"),
            Warmup::None => f.write_str("none"),
            Warmup::Fixed(span) => span.fmt(f),
        }
    }
}

impl Serialize for WarmupRule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WarmupRule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        const EXPECTED: &str = "\"auto\", \"none\" or a time such as \"10 ms\"";
        impl de::Visitor<'_> for Visitor {
            type Value = WarmupRule;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<WarmupRule, E> {
                match text {
                    "auto" => Ok(WarmupRule(Warmup::Auto)),
                    "none" => Ok(WarmupRule(Warmup::None)),
                    time => time
                        .parse::<Span>()
                        .map(|span| WarmupRule(Warmup::Fixed(span)))
                        .map_err(|error| E::custom(format!("{}; expected {EXPECTED}", error.problem))),
                }
            }
        }
        from.deserialize_str(Visitor)
    }
}

impl JsonSchema for WarmupRule {
    fn schema_name() -> Cow<'static, str> {
        "Warmup".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let time = generator.subschema_for::<Span>();
        json_schema!({"anyOf": [{"enum": ["auto", "none"]}, time]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_names_are_the_fields() {
        let schema = schemars::schema_for!(Header).to_value();
        let fields: std::collections::BTreeSet<_> = schema["properties"]
            .as_object()
            .expect("a header has fields")
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(fields, Header::FIELDS.into_iter().collect());
    }
}
