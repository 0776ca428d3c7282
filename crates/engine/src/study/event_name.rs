//! How a study names what happened to a message: "RFNM arrives", or of a message before or after, "RFNM arrives (i-4)".

use std::borrow::Cow;
use std::fmt;

use hopscope_arpanet::TraceKind;
use hopscope_measure::closest;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// What a name looks like, in the words of a message.
const EXPECTED: &str = "an event such as \"RFNM arrives\", of another message as in \"RFNM arrives (i-4)\"";

/// An event in the life of message i, or of one that is counted from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventName(pub String);

/// The event that a text names, without what may be behind it, "(i)", "(i-4)" or "(i+1)"; nothing where it has another
/// form.
fn event_of(text: &str) -> Option<&str> {
    let Some((event, counted)) = text.split_once(" (i") else { return Some(text) };
    let offset = counted.strip_suffix(')')?;
    let counts = offset.is_empty() || (offset.starts_with(['+', '-']) && offset.parse::<i32>().is_ok());
    counts.then_some(event)
}

/// What is wrong with the name of an event; nothing where a run takes such events down.
fn fault(text: &str) -> Option<String> {
    let wrong = format!("\"{text}\" does not name an event; expected {EXPECTED}");
    let Some(event) = event_of(text) else { return Some(wrong) };
    let words = || TraceKind::ALL.into_iter().map(TraceKind::words);
    if words().any(|known| known == event) {
        return None;
    }
    let meant = closest(event, words()).map(|known| format!("; did you mean \"{known}\"?"));
    Some(wrong + &meant.unwrap_or_default())
}

impl<'de> Deserialize<'de> for EventName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl de::Visitor<'_> for Reading {
            type Value = EventName;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<EventName, E> {
                fault(text).map_or_else(|| Ok(EventName(text.to_owned())), |wrong| Err(E::custom(wrong)))
            }
        }
        from.deserialize_str(Reading)
    }
}

impl JsonSchema for EventName {
    fn schema_name() -> Cow<'static, str> {
        "EventName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "examples": ["RFNM arrives", "RFNM arrives (i-4)"]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_counted_from_message_i() {
        let named = ["RFNM arrives", "GVB sent (i)", "RFNM arrives (i-4)", "input begins (i+1)"];
        assert_eq!(named.map(fault), [const { None }; 4]);
        for other in ["", " (i)", "RFNM arrives (i", "RFNM arrives (i4)", "RFNM arrives (i-four)"] {
            assert!(fault(other).is_some(), "{other}");
        }
        let meant = fault("RFNM arives (i-4)").expect("no such event");
        assert!(meant.ends_with("did you mean \"RFNM arrives\"?"), "{meant}");
    }
}
