//! How a study names what happened to a message: "RFNM arrives", or of a message before or after, "RFNM arrives (i-4)".

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// What a name looks like, in the words of a message.
const EXPECTED: &str = "an event such as \"RFNM arrives\", of another message as in \"RFNM arrives (i-4)\"";

/// An event in the life of message i, or of one that is counted from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventName(pub String);

/// Whether a text is an event, perhaps with "(i)", "(i-4)" or "(i+1)" behind it.
fn is_event(text: &str) -> bool {
    let event = match text.split_once(" (i") {
        None => text,
        Some((event, counted)) => match counted.strip_suffix(')') {
            Some("") => event,
            Some(offset) if offset.starts_with(['+', '-']) && offset.parse::<i32>().is_ok() => event,
            _ => return false,
        },
    };
    !event.trim().is_empty()
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
                let wrong = || E::custom(format!("\"{text}\" does not name an event; expected {EXPECTED}"));
                is_event(text).then(|| EventName(text.to_owned())).ok_or_else(wrong)
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
        assert!(
            ["RFNM arrives", "GVB sent (i)", "RFNM arrives (i-4)", "input begins (i+1)"]
                .into_iter()
                .all(is_event)
        );
        assert!(
            !["", " (i)", "RFNM arrives (i", "RFNM arrives (i4)", "RFNM arrives (i-four)"]
                .into_iter()
                .any(is_event)
        );
    }
}
