//! Who receives what a flow sends: one host, or several at once.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use hopscope_measure::Problem;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The receivers of a flow, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// One host.
    One(String),
    /// A group of hosts, each of which gets every message: multicast.
    Group(Vec<String>),
}

impl Receivers {
    /// The names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Group(names) => names,
        }
    }

    /// What is wrong with the receivers of what this host sends, whatever the network; `path` is their own.
    pub(crate) fn problem(&self, from: &str, path: &str) -> Option<Problem> {
        let names = match self {
            Self::One(to) if to == from => {
                return Some(Problem::new(path, "a flow from a host to itself", "another host"));
            }
            Self::One(_) => return None,
            Self::Group(names) => names,
        };
        let mut seen = BTreeSet::new();
        if let Some(at) = names.iter().position(|name| !seen.insert(name)) {
            let problem = format!("host \"{}\" is in the group twice", names[at]);
            return Some(Problem::new(format!("{path}[{at}]"), problem, "each host once"));
        }
        match &names[..] {
            [] => Some(Problem::new(path, "the group is empty", "at least one host")),
            [only] if only == from => {
                let problem = "the sender is the only host of the group";
                Some(Problem::new(path, problem, "at least one other host"))
            }
            _ => None,
        }
    }
}

impl From<&str> for Receivers {
    fn from(name: &str) -> Self {
        Self::One(name.to_owned())
    }
}

impl fmt::Display for Receivers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(name) => f.write_str(name),
            Self::Group(names) => write!(f, "{} hosts", names.len()),
        }
    }
}

impl<'de> Deserialize<'de> for Receivers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Receivers;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a host, or a list of names")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Receivers, E> {
                Ok(Receivers::One(name.to_owned()))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, names: A) -> Result<Receivers, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(names)).map(Receivers::Group)
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl Serialize for Receivers {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(name) => to.serialize_str(name),
            Self::Group(names) => names.serialize(to),
        }
    }
}

impl JsonSchema for Receivers {
    fn schema_name() -> Cow<'static, str> {
        "Receivers".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"description": "the name of a host, or a list of names",
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]})
    }
}
