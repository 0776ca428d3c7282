//! The quantities as scenarios hold them: strings with a unit.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{Data, Rate, Span};

macro_rules! quantity_in_scenarios {
    ($($name:ident, $what:literal, $pattern:literal, $examples:expr;)+) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl de::Visitor<'_> for Visitor {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        // What a command line sets needs no quotes: its reader asks for the alternate form.
                        let quotes = if f.alternate() { "" } else { " in quotes" };
                        write!(f, concat!($what, " with its unit{}, such as \"{}\""), quotes, $examples[0])
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                from.deserialize_str(Visitor)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "description": $what, "pattern": $pattern, "examples": $examples})
            }
        }
    )+};
}

quantity_in_scenarios! {
    Span, "a time", "^[0-9_.]+ ?(s|ms|us|[µμ]s|ns|ps|min|h|d)$", ["0.48 us", "125 ms"];
    Data, "an amount of data", "^[0-9_.]+ ?(bit|bits|B|byte|bytes|kB|KB|MB|GB|KiB|MiB|GiB|kbit|Mbit)$", ["1000 B", "4 KiB"];
    Rate, "a rate", "^[0-9_.]+ ?([TGMKtgmk]?(bit/s|bps|b/s)|[TGMKtgmk]|[TGM]bE|[tgm]be)$", ["100 Mbit/s", "50 kbit/s"];
}
