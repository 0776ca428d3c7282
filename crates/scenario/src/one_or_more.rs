//! A section that may be repeated: `[figure]` where there is one, `[[figure]]` where there are several.
#![allow(
    clippy::result_large_err,
    reason = "a scenario is refused a few times at most, and a refusal in a box is harder to fill in"
)]

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, Visitor};

use crate::deserialise::NodeReader;
use crate::refusal::Refusal;
use crate::tree::Node;

/// One section, or a list of them.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMore<T>(pub Vec<T>);

/// The name by which the reader of a tree knows that a section stands for a list.
pub(crate) const ONE_OR_MORE: &str = "hopscope::OneOrMore";

impl<T> Default for OneOrMore<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reading<T> {
            type Value = OneOrMore<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a section or a list of them")
            }
            fn visit_seq<S: de::SeqAccess<'de>>(self, mut items: S) -> Result<Self::Value, S::Error> {
                let mut all = Vec::new();
                while let Some(item) = items.next_element()? {
                    all.push(item);
                }
                Ok(OneOrMore(all))
            }
        }
        from.deserialize_tuple_struct(ONE_OR_MORE, 1, Reading(PhantomData))
    }
}

/// A section as the list of itself: its path has no number.
pub(crate) struct Only<'a>(pub Option<&'a Node>);

impl<'de> de::SeqAccess<'de> for Only<'_> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refusal> {
        self.0.take().map(|node| seed.deserialize(NodeReader(node))).transpose()
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMore<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMore{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({"anyOf": [one, {"type": "array", "items": one}]})
    }
}
