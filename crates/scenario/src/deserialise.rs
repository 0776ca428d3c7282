//! Serde over the tree: every refusal knows the path and the place of what it refuses, in plain words.
#![allow(
    clippy::result_large_err,
    reason = "a scenario is refused a few times at most, and a refusal in a box is harder to fill in"
)]

use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};

use crate::joined::{JOINED, read_parts};
use crate::names::one_of;
use crate::one_or_more::{ONE_OR_MORE, Only};
use crate::reading::WHOLE_NUMBER;
use crate::refusal::{Kind, Refusal};
use crate::shorthand;
use crate::tree::{Entry, Node, Place, Step, Table, Value};

/// Reads a value from a node.
#[derive(Clone, Copy)]
pub(crate) struct NodeReader<'a>(pub &'a Node);

impl<'a> NodeReader<'a> {
    /// The place of this node belongs to every refusal that does not have a narrower one.
    fn placed<T>(self, result: Result<T, Refusal>) -> Result<T, Refusal> {
        result.map_err(|refusal| refusal.at(&self.0.place))
    }

    fn wrong_kind<T>(self, expected: &str) -> Result<T, Refusal> {
        self.placed(Err(Refusal::new(format!("{} does not fit here", self.0.describe()), expected)))
    }

    /// A whole number that a type of these limits holds. Messages do not name the limits of the type, because a model
    /// may refuse values within them.
    fn integer(self, low: i64, high: i64) -> Result<i64, Refusal> {
        let refused = |problem, expected| Err(Refusal::new(problem, expected));
        self.placed(match self.0.value {
            Value::Integer(number) if (low..=high).contains(&number) => Ok(number),
            Value::Integer(number) if number < 0 && low == 0 => {
                refused(format!("{number} is negative"), "a whole number that is not negative")
            }
            Value::Integer(number) if number < low => {
                refused(format!("{number} is out of range"), "a whole number that is not so low")
            }
            Value::Integer(number) => {
                refused(format!("{number} is out of range"), "a whole number that is not so large")
            }
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                let problem = format!("{number:?} is not written as a whole number");
                Err(Refusal::new(problem, WHOLE_NUMBER).hint(format!("write {number}")))
            }
            Value::Float(number) if number.is_finite() => {
                refused(format!("{number:?} is not a whole number"), WHOLE_NUMBER)
            }
            _ => self.wrong_kind(WHOLE_NUMBER),
        })
    }

    fn float(self) -> Result<f64, Refusal> {
        match self.0.value {
            Value::Integer(number) => Ok(number as f64),
            Value::Float(number) if number.is_finite() => Ok(number),
            Value::Float(number) => {
                self.placed(Err(Refusal::new(format!("{number} is not a finite number"), "a number")))
            }
            _ => self.wrong_kind("a number"),
        }
    }
}

macro_rules! integers {
    ($($method:ident, $visit:ident, $type:ty, $low:expr, $high:expr;)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
            let number = self.integer($low, $high)?;
            let number = <$type>::try_from(number).expect("the range was checked");
            self.placed(visitor.$visit(number))
        }
    )+};
}

impl<'de> de::Deserializer<'de> for NodeReader<'_> {
    type Error = Refusal;

    integers! {
        deserialize_i8, visit_i8, i8, i64::from(i8::MIN), i64::from(i8::MAX);
        deserialize_i16, visit_i16, i16, i64::from(i16::MIN), i64::from(i16::MAX);
        deserialize_i32, visit_i32, i32, i64::from(i32::MIN), i64::from(i32::MAX);
        deserialize_i64, visit_i64, i64, i64::MIN, i64::MAX;
        deserialize_u8, visit_u8, u8, 0, i64::from(u8::MAX);
        deserialize_u16, visit_u16, u16, 0, i64::from(u16::MAX);
        deserialize_u32, visit_u32, u32, 0, i64::from(u32::MAX);
        deserialize_u64, visit_u64, u64, 0, i64::MAX;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        let result = match &self.0.value {
            Value::Text(text) => visitor.visit_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(_) => visitor.visit_f64(self.float()?),
            Value::Bool(truth) => visitor.visit_bool(*truth),
            Value::Date(_) | Value::Removed => Err(Refusal::of_kind(self.0, &visitor)),
            Value::List(items) => read_list(items, visitor),
            Value::Table(table) => visitor.visit_map(Entries::of(table)),
        };
        self.placed(result)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        let number = self.float()?;
        self.placed(visitor.visit_f64(number))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0.value {
            Value::Bool(truth) => self.placed(visitor.visit_bool(truth)),
            _ => self.wrong_kind("true or false"),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match &self.0.value {
            Value::Text(text) => self.placed(visitor.visit_str(text)),
            _ => match shorthand::of(self.0) {
                Some(word) => self.placed(visitor.visit_str(word)),
                None => self.placed(Err(Refusal::of_kind(self.0, &visitor))),
            },
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match &self.0.value {
            Value::List(items) => self.placed(read_list(items, visitor)),
            Value::Table(_) => self.wrong_kind("a list").map_err(|refusal| {
                refusal.hint("a section that may be repeated is headed in double brackets: [[...]]")
            }),
            _ => self.wrong_kind("a list, in [ ]"),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Refusal> {
        match &self.0.value {
            Value::List(items) if items.len() == length => self.placed(read_list(items, visitor)),
            Value::List(items) => {
                let problem = format!("the list has length {}", items.len());
                self.placed(Err(Refusal::new(problem, &format!("a list of length {length}"))))
            }
            _ => self.wrong_kind(&format!("a list of length {length}, in [ ]")),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        if name == JOINED {
            return self.placed(read_parts(self.0, visitor));
        }
        if name == ONE_OR_MORE {
            return match &self.0.value {
                Value::List(items) => self.placed(read_list(items, visitor)),
                _ => self.placed(visitor.visit_seq(Only(Some(self.0)))),
            };
        }
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match &self.0.value {
            Value::Table(table) => self.placed(visitor.visit_map(Entries::of(table))),
            _ => self.wrong_kind("a section"),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match &self.0.value {
            Value::Table(table) => self.placed(visitor.visit_map(Entries::of(table))),
            _ => self.wrong_kind(&format!("a section with {}", fields.join(", "))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match &self.0.value {
            Value::Text(name) => {
                self.placed(visitor.visit_enum(Choice { name, payload: None, place: &self.0.place }))
            }
            Value::Table(table) => {
                let Entry { key, key_place, node } =
                    only_choice(table, variants).map_err(|r| r.at(&self.0.place))?;
                self.placed(visitor.visit_enum(Choice { name: key, payload: Some(node), place: key_place }))
            }
            Value::Integer(number) if variants.contains(&number.to_string().as_str()) => self
                .wrong_kind(&one_of(variants.iter().copied()))
                .map_err(|refusal| refusal.hint(format!("put it in quotes: \"{number}\""))),
            _ => self.wrong_kind(&one_of(variants.iter().copied())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.placed(visitor.visit_newtype_struct(self))
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct identifier ignored_any
    }
}

/// The one choice that a section makes. An unknown name is refused before the number of names is: it is the likelier
/// slip.
fn only_choice<'a>(table: &'a Table, variants: &'static [&'static str]) -> Result<&'a Entry, Refusal> {
    let choices = one_of(variants.iter().copied());
    if let [only] = table.entries.as_slice() {
        return Ok(only);
    }
    if let Some(unknown) = table.entries.iter().find(|entry| !variants.contains(&entry.key.as_str())) {
        return Err(<Refusal as de::Error>::unknown_variant(&unknown.key, variants).at(&unknown.key_place));
    }
    let expected = format!("exactly one of {choices}");
    let added = table.entries.iter().find(|entry| entry.key_place.source.is_override());
    let Some(superfluous) = added.or(table.entries.last()) else {
        return Err(Refusal::new("the section is empty", &expected));
    };
    let names: Vec<_> = table.entries.iter().map(|entry| format!("\"{}\"", entry.key)).collect();
    let refusal = Refusal::new(format!("{} are given together", names.join(" and ")), &expected);
    let kind = if added.is_some() { Kind::AddedChoice(superfluous.key.clone()) } else { Kind::Value };
    Err(Refusal { kind, ..refusal }.at(&superfluous.key_place))
}

fn read_list<'de, V: Visitor<'de>>(items: &[Node], visitor: V) -> Result<V::Value, Refusal> {
    visitor.visit_seq(Items { items, next: 0 })
}

struct Items<'a> {
    items: &'a [Node],
    next: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refusal> {
        let rest = self.items[self.next..].iter();
        let passed_over = rest.take_while(|item| matches!(item.value, Value::Removed)).count();
        let at = self.next + passed_over;
        let Some(item) = self.items.get(at) else { return Ok(None) };
        let step = Step::Index(at);
        self.next = at + 1;
        seed.deserialize(NodeReader(item)).map(Some).map_err(|refusal| refusal.below(step))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len() - self.next)
    }
}

pub(crate) struct Entries<'a> {
    entries: std::slice::Iter<'a, Entry>,
    value: Option<&'a Entry>,
}

impl<'a> Entries<'a> {
    pub fn of(table: &'a Table) -> Self {
        Self { entries: table.entries.iter(), value: None }
    }
}

impl<'de> de::MapAccess<'de> for Entries<'_> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refusal> {
        self.value = self.entries.next();
        let Some(entry) = self.value else { return Ok(None) };
        let key = seed.deserialize(entry.key.as_str().into_deserializer());
        key.map(Some).map_err(|refusal: Refusal| refusal.at(&entry.key_place))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refusal> {
        let entry = self.value.take().expect("serde asks for a value after its key");
        let value = seed.deserialize(NodeReader(&entry.node));
        value.map_err(|refusal| refusal.below(Step::Key(entry.key.clone())))
    }
}

/// A choice by name, with or without parameters.
struct Choice<'a> {
    name: &'a str,
    payload: Option<&'a Node>,
    place: &'a Place,
}

impl<'a> Choice<'a> {
    fn with_payload<T>(self, read: impl FnOnce(NodeReader<'a>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        let Some(payload) = self.payload else {
            let refusal = Refusal::new(
                format!("\"{}\" needs parameters of its own", self.name),
                &format!("{{ {} = ... }}", self.name),
            );
            return Err(refusal.at(self.place));
        };
        read(NodeReader(payload)).map_err(|refusal| refusal.below(Step::Key(self.name.to_owned())))
    }
}

impl<'de> de::EnumAccess<'de> for Choice<'_> {
    type Error = Refusal;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Refusal> {
        let variant = seed.deserialize(self.name.into_deserializer());
        Ok((variant.map_err(|refusal: Refusal| refusal.at(self.place))?, self))
    }
}

impl<'de> de::VariantAccess<'de> for Choice<'_> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        match self.payload {
            None => Ok(()),
            Some(payload) => {
                let refusal = Refusal::new(
                    format!("\"{}\" has no parameters", self.name),
                    &format!("just \"{}\"", self.name),
                );
                Err(refusal.at(&payload.place))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refusal> {
        self.with_payload(|payload| seed.deserialize(payload))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Refusal> {
        self.with_payload(|payload| de::Deserializer::deserialize_tuple(payload, length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.with_payload(|payload| de::Deserializer::deserialize_struct(payload, "", fields, visitor))
    }
}
