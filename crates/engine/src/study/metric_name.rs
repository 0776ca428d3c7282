//! How a study names a metric: NAME[CLASS].STATISTIC, or a figure of the network.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// What a name looks like, in the words of a message.
const EXPECTED: &str = "NAME[CLASS].STATISTIC such as \"latency[short].p99\", or a figure of the network such as \"topology.figures.switches\"";

/// A metric by the name that summaries give it, or a figure of the network, which needs no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MetricName(pub String);

impl MetricName {
    /// Reads a name.
    fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_figure =
            text.strip_prefix("topology.").is_some_and(|path| path.split('.').all(|part| !part.is_empty()));
        (is_figure || is_metric(text)).then(|| Self(text.to_owned()))
    }
}

/// A name, perhaps a class in brackets, perhaps a statistic of one or two words.
fn is_metric(text: &str) -> bool {
    let (name, rest) = text.split_at(text.find(['[', ']', '.']).unwrap_or(text.len()));
    let rest = match rest.strip_prefix('[') {
        None => rest,
        Some(rest) => match rest.split_once(']') {
            Some((class, rest)) if !class.is_empty() && !class.contains('[') => rest,
            _ => return false,
        },
    };
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    let is_statistic = |text: &str| {
        let words: Vec<&str> = text.split(' ').collect();
        words.len() <= 2 && words.into_iter().all(is_word)
    };
    !name.is_empty() && (rest.is_empty() || rest.strip_prefix('.').is_some_and(is_statistic))
}

impl<'de> Deserialize<'de> for MetricName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl de::Visitor<'_> for Reading {
            type Value = MetricName;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<MetricName, E> {
                let wrong = || E::custom(format!("\"{text}\" does not name a metric; expected {EXPECTED}"));
                MetricName::of(text).ok_or_else(wrong)
            }
        }
        from.deserialize_str(Reading)
    }
}

impl JsonSchema for MetricName {
    fn schema_name() -> Cow<'static, str> {
        "MetricName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "examples": ["latency[short].p99", "topology.figures.switches"]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_what_is_none() {
        for right in [
            "latency",
            "latency.mean",
            "latency[short].p99",
            "round trip over hops[0].mean",
            "round trip from last bit autocorrelation.lag 1",
            "topology.figures.switches",
        ] {
            assert!(MetricName::of(right).is_some(), "{right}");
        }
        for wrong in
            ["", ".mean", "latency.", "latency[].mean", "latency[short", "a.b.c", "a.lag 1 2", "topology..x"]
        {
            assert!(MetricName::of(wrong).is_none(), "{wrong}");
        }
    }
}
