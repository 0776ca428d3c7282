//! When the state of a model is kept, as a scenario writes it: one time, or a list of instants.

use std::borrow::Cow;
use std::fmt;

use hopscope_measure::{Problem, SnapshotTimes};
use hopscope_units::{Span, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The instants of snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshots(pub SnapshotTimes);

/// The shortest and longest time between two snapshots.
const SHORTEST: Span = Span::from_ms(1);
const LONGEST: Span = Span::from_s(1_000_000);
/// The most instants of a list.
const MOST_INSTANTS: usize = 10_000;
const EXPECTED: &str =
    "a time between two such as \"10 s\", or a list of instants such as [\"10 s\", \"12.5 s\"]";

impl Snapshots {
    /// What is wrong with it, if anything.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let wrong =
            |problem: String, expected: String| Some(Problem::new("measure.snapshots", problem, expected));
        match &self.0 {
            SnapshotTimes::Every(gap) if *gap < SHORTEST || *gap > LONGEST => wrong(
                format!("snapshot interval {gap} is out of range"),
                format!("from {SHORTEST} to {LONGEST}"),
            ),
            SnapshotTimes::At(times) if times.is_empty() || times.len() > MOST_INSTANTS => {
                wrong(format!("there are {} instants", times.len()), format!("from 1 to {MOST_INSTANTS}"))
            }
            SnapshotTimes::At(times) if times.contains(&Time::ZERO) => {
                let problem = "a snapshot at 0 s, when nothing has happened yet";
                wrong(problem.into(), "instants after the start of the run".into())
            }
            _ => None,
        }
    }
}

impl Serialize for Snapshots {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            SnapshotTimes::Every(gap) => gap.serialize(to),
            SnapshotTimes::At(times) => to.collect_seq(times.iter().map(ToString::to_string)),
        }
    }
}

impl<'de> Deserialize<'de> for Snapshots {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Snapshots;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Snapshots, E> {
                let gap = text.parse::<Span>();
                gap.map(|gap| Snapshots(SnapshotTimes::Every(gap)))
                    .map_err(|error| E::custom(format!("{}; expected {EXPECTED}", error.problem)))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Snapshots, A::Error> {
                let mut times = Vec::new();
                while let Some(after) = list.next_element::<Span>()? {
                    times.push(Time::ZERO + after);
                }
                Ok(Snapshots(SnapshotTimes::At(times)))
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl JsonSchema for Snapshots {
    fn schema_name() -> Cow<'static, str> {
        "Snapshots".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let time = generator.subschema_for::<Span>();
        json_schema!({"anyOf": [time, {"type": "array", "items": time, "minItems": 1}]})
    }
}
