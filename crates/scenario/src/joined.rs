//! Sections that several kinds have in common: fields that all of them share, and those of one kind, which `kind`
//! names.
//!
//! Serde's own `flatten` and tags collect a section in memory before they read it, and forget where its values stand.
//! Here each part is read from the tree, so that a refusal keeps its path and place.
#![allow(
    clippy::result_large_err,
    reason = "a scenario is refused a few times at most, and a refusal in a box is harder to fill in"
)]

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, Visitor};
use serde_json::{Map, Value as Json, json};

use crate::deserialise::Entries;
use crate::refusal::{Kind, Refusal};
use crate::tree::{Entry, Node, Place, Step, Table, Value};
use crate::{did_you_mean, one_of};

/// A section with the fields of `A`, a struct, beside those of `B`: a struct, an enum or another joined section.
///
/// An enum is chosen by the field `kind`, and by its first variant where the section does not say; each variant holds a
/// struct with its fields. `A` ignores the fields that it does not know, and `B` refuses those that neither knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined<A, B> {
    /// What several kinds of section share.
    pub shared: A,
    /// What this kind has of its own.
    pub own: B,
}

/// The name by which the reader of a tree knows that a section is to be read in parts.
pub(crate) const JOINED: &str = "hopscope::Joined";
/// The field that chooses among the variants of an enum.
const KIND: &str = "kind";

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Deserialize<'de> for Joined<A, B> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading<A, B>(PhantomData<(A, B)>);
        impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Visitor<'de> for Reading<A, B> {
            type Value = Joined<A, B>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a section")
            }
            fn visit_seq<P: de::SeqAccess<'de>>(self, mut parts: P) -> Result<Self::Value, P::Error> {
                let mut missing = || de::Error::custom("a section has two parts");
                let shared = parts.next_element()?.ok_or_else(&mut missing)?;
                Ok(Joined { shared, own: parts.next_element()?.ok_or_else(missing)? })
            }
        }
        from.deserialize_tuple_struct(JOINED, 2, Reading(PhantomData))
    }
}

/// Reads a section in parts.
pub(crate) fn read_parts<'de, V: Visitor<'de>>(node: &Node, visitor: V) -> Result<V::Value, Refusal> {
    match &node.value {
        Value::Table(table) => {
            visitor.visit_seq(Parts { table, place: &node.place, known: Vec::new(), next: 0 })
        }
        _ => Err(Refusal::new(format!("{} does not fit here", node.describe()), "a section")),
    }
}

/// The parts of a section that are still to be read: first what is shared, then the rest.
struct Parts<'a> {
    table: &'a Table,
    place: &'a Place,
    /// The fields that earlier parts know.
    known: Vec<&'static str>,
    next: usize,
}

impl<'de> de::SeqAccess<'de> for Parts<'_> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refusal> {
        self.next += 1;
        match self.next {
            1 => seed.deserialize(SharedPart(self)).map(Some),
            2 => seed.deserialize(OwnPart { parts: self, by_kind: false }).map(Some),
            _ => Ok(None),
        }
    }
}

/// The entries of a table for which this holds.
fn entries_where(table: &Table, holds: impl Fn(&str) -> bool) -> Table {
    Table { entries: table.entries.iter().filter(|entry| holds(&entry.key)).cloned().collect() }
}

/// The part with the shared fields, which gives their names.
struct SharedPart<'p, 'a>(&'p mut Parts<'a>);

impl<'de> de::Deserializer<'de> for SharedPart<'_, '_> {
    type Error = Refusal;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.0.known.extend(fields);
        let of_this = entries_where(self.0.table, |key| fields.contains(&key));
        visitor.visit_map(Entries::of(&of_this)).map_err(|refusal| refusal.at(self.0.place))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refusal> {
        unreachable!("the shared part of a section is a struct")
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The part with everything else.
struct OwnPart<'p, 'a> {
    parts: &'p mut Parts<'a>,
    by_kind: bool,
}

impl<'a> OwnPart<'_, 'a> {
    fn kind(&self) -> Option<&'a Entry> {
        self.parts.table.get(KIND)
    }

    /// Names that belong to other parts of the section may have been meant, too.
    fn known_beside(&self, mut refusal: Refusal) -> Refusal {
        if let Kind::UnknownField(name, fields) = &refusal.kind
            && refusal.steps.is_empty()
        {
            let kind = self.by_kind.then_some(KIND);
            let known = || self.parts.known.iter().copied().chain(kind).chain(fields.iter().copied());
            (refusal.expected, refusal.hint) = (one_of(known()), did_you_mean(name, known()));
        }
        refusal.at(self.parts.place)
    }
}

impl<'de> de::Deserializer<'de> for OwnPart<'_, '_> {
    type Error = Refusal;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let known = &self.parts.known;
        let rest =
            entries_where(self.parts.table, |key| !(known.contains(&key) || self.by_kind && key == KIND));
        visitor.visit_map(Entries::of(&rest)).map_err(|refusal| self.known_beside(refusal))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let undecided = |node: &Node, refusal: Refusal| {
            let refusal = refusal.at(&node.place).below(Step::Key(KIND.to_owned()));
            Refusal { kind: Kind::Deciding, ..refusal }
        };
        let name = match self.kind().map(|entry| &entry.node) {
            None => variants[0],
            Some(Node { value: Value::Text(name), .. }) if variants.contains(&name.as_str()) => name,
            Some(node @ Node { value: Value::Text(name), .. }) => {
                return Err(undecided(node, <Refusal as de::Error>::unknown_variant(name, variants)));
            }
            Some(node) => {
                let problem = format!("{} does not fit here", node.describe());
                return Err(undecided(node, Refusal::new(problem, &one_of(variants.iter().copied()))));
            }
        };
        visitor.visit_enum(OfKind { name, part: OwnPart { by_kind: true, ..self } })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        assert!(name == JOINED, "a part of a section is a struct, an enum or joined itself");
        let Parts { table, place, known, .. } = self.parts;
        visitor.visit_seq(Parts { table, place, known: std::mem::take(known), next: 0 })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refusal> {
        unreachable!("a part of a section is a struct, an enum or joined itself")
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple map identifier ignored_any
    }
}

/// A variant by its name, with the fields of its section.
struct OfKind<'n, 'p, 'a> {
    name: &'n str,
    part: OwnPart<'p, 'a>,
}

impl<'de, 'p, 'a> de::EnumAccess<'de> for OfKind<'_, 'p, 'a> {
    type Error = Refusal;
    type Variant = OwnPart<'p, 'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), Refusal> {
        let name = de::IntoDeserializer::<Refusal>::into_deserializer(self.name);
        Ok((seed.deserialize(name)?, self.part))
    }
}

impl<'de> de::VariantAccess<'de> for OwnPart<'_, '_> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        unreachable!("a kind of section has a struct with its fields")
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refusal> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Refusal> {
        unreachable!("a kind of section has a struct with its fields")
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        de::Deserializer::deserialize_struct(self, "", fields, visitor)
    }
}

impl<A: JsonSchema, B: JsonSchema> JsonSchema for Joined<A, B> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}And{}", A::schema_name(), B::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let shared = A::json_schema(generator).to_value();
        let own = B::json_schema(generator).to_value();
        let Some(kinds) = own["oneOf"].as_array() else { return merged(&shared, &own, &Map::new()) };
        let kind = |(place, choice): (usize, &Json)| {
            if choice["properties"][KIND]["const"].is_string() {
                // The own part is itself joined, with its kinds already distinguished.
                let mut whole = merged(&shared, choice, &Map::new()).to_value();
                whole["title"] = choice["title"].clone();
                return Some(whole);
            }
            let (name, fields) = choice["properties"].as_object()?.iter().next()?;
            let mut tag = json!({ "const": name, "description": "What it is." });
            if place == 0 {
                tag["default"] = name.as_str().into();
            }
            let definitions = generator.definitions();
            let target = fields["$ref"].as_str().and_then(|target| target.rsplit('/').next());
            let fields = target.and_then(|name| definitions.get(name)).unwrap_or(fields);
            let mut whole = merged(&shared, fields, &Map::from_iter([(KIND.to_owned(), tag)])).to_value();
            whole["title"] = name.as_str().into();
            whole["description"] = choice["description"].clone();
            if place > 0 {
                whole["required"].as_array_mut().expect("a list").push(KIND.into());
            }
            Some(whole)
        };
        let kinds: Vec<Json> = kinds.iter().enumerate().filter_map(kind).collect();
        let schema = json!({ "description": own["description"], "oneOf": kinds });
        schema.try_into().expect("a section's schema is an object")
    }
}

/// One section with the fields of both and these.
fn merged(shared: &Json, own: &Json, more: &Map<String, Json>) -> Schema {
    let fields = |of: &Json| of["properties"].as_object().cloned().unwrap_or_default();
    let mut properties = more.clone();
    properties.extend(fields(shared));
    properties.extend(fields(own));
    let required = [shared, own].into_iter().filter_map(|of| of["required"].as_array()).flatten();
    let required: Vec<Json> = required.cloned().collect();
    let whole = json!({
        "type": "object",
        "description": own["description"],
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    whole.try_into().expect("a section's schema is an object")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde::Deserialize;

    use crate::{Diagnosis, Joined, Origin, ScenarioError, SourceText, parse, read};

    #[derive(Debug, Default, PartialEq, Deserialize, schemars::JsonSchema)]
    #[serde(default)]
    struct Common {
        /// How often.
        seeds: u8,
    }

    /// A shape.
    #[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Shape {
        /// Round.
        Circle(Circle),
        /// Of two shapes.
        Pair(Pair),
    }

    #[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Circle {
        /// Half its width.
        radius: f64,
    }

    #[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Pair {
        /// The one.
        first: Box<Joined<Common, Shape>>,
    }

    #[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Drawing {
        /// What is drawn.
        shape: Vec<Joined<Common, Shape>>,
    }

    fn read_drawing(text: &str) -> Result<Drawing, String> {
        let source = SourceText { label: "d.toml".into(), text: text.into(), origin: Origin::Scenario };
        let root = parse(&Arc::new(source)).expect("the test's text is TOML");
        let line = |diagnosis: &Diagnosis| {
            let (line, column) = diagnosis.place.as_ref().expect("a place").line_and_column();
            let rest = [diagnosis.expected.as_deref(), diagnosis.hint.as_deref()];
            let rest = rest.into_iter().flatten().map(|text| format!("; {text}")).collect::<String>();
            format!("{line}:{column} {}{rest}", diagnosis.problem)
        };
        read::<Drawing>(&root, &[]).map_err(|found| {
            ScenarioError::new(found).diagnoses.iter().map(line).collect::<Vec<_>>().join("\n")
        })
    }

    #[test]
    fn a_section_is_read_by_its_kind_and_the_first_needs_no_name() {
        let text =
            "[[shape]]\nradius = 1\n[[shape]]\nkind = \"pair\"\nseeds = 2\nfirst = { seeds = 3, radius = 2 }";
        let drawing = read_drawing(text).expect("nothing is wrong");
        insta::assert_compact_debug_snapshot!(drawing, @"Drawing { shape: [Joined { shared: Common { seeds: 0 }, own: Circle(Circle { radius: 1.0 }) }, Joined { shared: Common { seeds: 2 }, own: Pair(Pair { first: Joined { shared: Common { seeds: 3 }, own: Circle(Circle { radius: 2.0 }) } }) }] }");
    }

    #[test]
    fn every_mistake_of_every_section_is_told_once() {
        let text = "[[shape]]\nkind = \"circel\"\nsides = 3\n[[shape]]\nkind = 3\n[[shape]]\nkind = \"pair\"\n\
            first = { radius = \"1\", seeds = -1, colour = 2 }\n[[shape]]\nseed = 3\nradius = 1\n[[shape]]\nkind = \"circle\"";
        insta::assert_snapshot!(read_drawing(text).unwrap_err(), @r#"
        2:8 shape[0].kind: "circel" is not one of the choices; "circle" or "pair"; did you mean "circle"?
        5:8 shape[1].kind: the number 3 does not fit here; "circle" or "pair"
        8:20 shape[2].first.radius: the text "1" does not fit here; a number; write radius = 1
        8:33 shape[2].first.seeds: -1 is negative; a whole number that is not negative
        8:37 shape[2].first: there is no field "colour"; "seeds", "kind" or "radius"
        10:1 shape[3]: there is no field "seed"; "seeds", "kind" or "radius"; did you mean "seeds"?
        12:1 shape[4]: the field "radius" is missing; radius: half its width
        "#);
    }

    #[test]
    fn the_schema_has_a_branch_a_kind() {
        let schema = schemars::schema_for!(Joined<Common, Circle>).to_value();
        assert_eq!(schema["required"], serde_json::json!(["radius"]));
        let schema = schemars::schema_for!(Joined<Common, Shape>).to_value();
        let branches = schema["oneOf"].as_array().expect("one branch a kind");
        assert_eq!(branches.len(), 2);
        assert_eq!(
            branches[0]["required"],
            serde_json::json!(["radius"]),
            "the first kind need not be named"
        );
        assert_eq!(branches[1]["required"], serde_json::json!(["first", "kind"]));
        assert!(branches.iter().all(|branch| branch["properties"]["seeds"]["description"] == "How often."));
        let nested = schemars::schema_for!(Joined<Circle, Joined<Common, Shape>>).to_value();
        let branches = nested["oneOf"].as_array().expect("one branch a kind");
        assert_eq!(branches[1]["required"], serde_json::json!(["radius", "first", "kind"]));
        assert_eq!(branches[1]["title"], "pair");
    }
}
