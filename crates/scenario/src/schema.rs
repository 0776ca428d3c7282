//! What a type's JSON Schema says of its fields: messages and reference pages take their words from it.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

use crate::tree::{Path, Step};

/// What the field at this path of a `T` is for: its name and the first sentence of its documentation.
#[must_use]
pub fn meaning<T: JsonSchema>(path: &Path) -> Option<String> {
    let root = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    let mut schema = &root;
    for step in &path.0 {
        schema = match step {
            Step::Key(key) => field(&root, schema, key)?,
            Step::Index(_) => &resolved(&root, schema)["items"],
        };
    }
    let Some(Step::Key(name)) = path.0.last() else { return None };
    let text = schema["description"].as_str().or_else(|| resolved(&root, schema)["description"].as_str())?;
    let sentence = text.split(". ").next().unwrap_or(text).trim_end_matches('.');
    let mut letters = sentence.chars();
    let first = letters.next()?.to_lowercase();
    Some(format!("{name}: {first}{}", letters.as_str()))
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
