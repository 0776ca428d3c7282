//! What a type's JSON Schema says of its fields: messages and reference pages take their words from it.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

use crate::tree::{Path, Step};

/// No scenario has deeper sections; one within itself has no end.
const DEEPEST: usize = 4;

/// What the field at this path of a `T` is for: its name and the first sentence of its documentation.
#[must_use]
pub fn meaning<T: JsonSchema>(path: &Path) -> Option<String> {
    let root = root_of::<T>();
    let schema = at(&root, path)?;
    let Some(Step::Key(name)) = path.0.last() else { return None };
    let text = schema["description"].as_str().or_else(|| resolved(&root, schema)["description"].as_str())?;
    let sentence = text.split(". ").next().unwrap_or(text).trim_end_matches('.');
    let mut letters = sentence.chars();
    let first = letters.next()?.to_lowercase();
    Some(format!("{name}: {first}{}", letters.as_str()))
}

/// The least and the greatest whole number that the field at this path of a `T` takes, if the field has limits of its
/// own: those of its type do not count.
#[must_use]
pub(crate) fn limits<T: JsonSchema>(path: &Path) -> (Option<i64>, Option<i64>) {
    let root = root_of::<T>();
    let Some(field) = at(&root, path) else { return (None, None) };
    let of_type = match field["format"].as_str() {
        Some("uint8") => Some(i64::from(u8::MAX)),
        Some("uint16") => Some(i64::from(u16::MAX)),
        _ => None,
    };
    let least = field["minimum"].as_i64().filter(|least| *least != 0);
    let most = field["maximum"].as_i64().filter(|most| Some(*most) != of_type);
    (least, most)
}

/// The fields that the section at this path of a `T` must have.
#[must_use]
pub(crate) fn required<T: JsonSchema>(path: &Path) -> Vec<String> {
    let root = root_of::<T>();
    let section = at(&root, path).map(|schema| resolved(&root, schema));
    let names = section.and_then(|section| section["required"].as_array()).into_iter().flatten();
    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// The schema of a `T`. The engine of a page has none: it would be a twentieth of it, and a page states the ranges of
/// its own settings.
fn root_of<T: JsonSchema>() -> Json {
    if cfg!(target_family = "wasm") {
        return Json::Null;
    }
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// What the schema says of the field at this path.
fn at<'a>(root: &'a Json, path: &Path) -> Option<&'a Json> {
    path.0.iter().try_fold(root, |schema, step| match step {
        Step::Key(key) => field(root, schema, key),
        Step::Index(_) => resolved(root, schema).get("items"),
    })
}

/// The paths of the fields of this name that are nearest to the root of a `T`, outside of lists: all of the same depth.
#[must_use]
pub(crate) fn paths_of<T: JsonSchema>(name: &str) -> Vec<String> {
    let root = root_of::<T>();
    let mut sections = vec![(String::new(), &root)];
    for _ in 0..DEEPEST {
        let fields = sections.iter().flat_map(|(prefix, section)| {
            fields(&root, section).into_iter().map(move |(key, field)| (key, format!("{prefix}{key}"), field))
        });
        let fields: Vec<_> = fields.collect();
        let named = fields.iter().filter(|(key, ..)| *key == name);
        let mut found: Vec<_> = named.map(|(_, path, _)| path.clone()).collect();
        found.dedup();
        if !found.is_empty() {
            return found;
        }
        sections = fields.into_iter().map(|(_, path, field)| (format!("{path}."), field)).collect();
    }
    Vec::new()
}

/// The fields of a section, those of all its choices included.
fn fields<'a>(root: &'a Json, schema: &'a Json) -> Vec<(&'a str, &'a Json)> {
    let schema = resolved(root, schema);
    let own = schema["properties"].as_object().into_iter().flatten();
    let mut found: Vec<_> = own.map(|(key, field)| (key.as_str(), field)).collect();
    for of in ["oneOf", "anyOf"] {
        let choices = schema[of].as_array().into_iter().flatten();
        found.extend(choices.flat_map(|choice| fields(root, choice)));
    }
    found
}

/// The field of a section, or of the choice that has it.
#[must_use]
pub fn field<'a>(root: &'a Json, schema: &'a Json, key: &str) -> Option<&'a Json> {
    let schema = resolved(root, schema);
    let choices = ["oneOf", "anyOf"].iter().filter_map(|of| schema[of].as_array()).flatten();
    schema["properties"].get(key).or_else(|| choices.filter_map(|choice| field(root, choice, key)).next())
}

/// The schema that a reference leads to.
#[must_use]
pub fn resolved<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let name = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/"));
    name.map_or(schema, |name| &root["$defs"][name])
}
