//! How much is offered.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How much is offered: a fraction of a link's rate, or as much as the network takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// A fraction of a host link's rate, above 0 and at most 1.
    Fraction(f64),
    /// The source always has another message ready the moment the last one has left it.
    Saturated,
}

impl Load {
    /// The fraction, where it is one.
    #[must_use]
    pub fn fraction(self) -> Option<f64> {
        match self {
            Self::Fraction(load) => Some(load),
            Self::Saturated => None,
        }
    }

    /// Why this is no load, or nothing where it is one.
    #[must_use]
    pub fn problem(self) -> Option<String> {
        match self {
            Self::Fraction(load) if !(load > 0.0 && load <= 1.0) => {
                Some(format!("load {load} is out of range"))
            }
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Load {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Load;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a load above 0 and at most 1, such as 0.5, or \"saturated\"")
            }
            fn visit_f64<E: de::Error>(self, load: f64) -> Result<Load, E> {
                Ok(Load::Fraction(load))
            }
            fn visit_i64<E: de::Error>(self, load: i64) -> Result<Load, E> {
                Ok(Load::Fraction(load as f64))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Load, E> {
                match text {
                    "saturated" => Ok(Load::Saturated),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl Serialize for Load {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fraction(load) => to.serialize_f64(*load),
            Self::Saturated => to.serialize_str("saturated"),
        }
    }
}

impl JsonSchema for Load {
    fn schema_name() -> Cow<'static, str> {
        "Load".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "a fraction of a host link's rate, or as much as the network takes",
            "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {"const": "saturated"}]})
    }
}
