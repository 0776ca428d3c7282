//! The JSON Schema of scenarios: one branch a model.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value as Json, json};

use crate::registry::{MODELS, Registered};
use crate::scenario::header::Header;
use crate::scenario::tree::{Path, Step};

/// The JSON Schema of the scenarios of all models, with what every field means and its default.
#[must_use]
pub fn schema() -> Json {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let models: Vec<Json> = MODELS.iter().map(|model| branch(*model, &mut generator)).collect();
    let definitions = generator.take_definitions(true);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hopscope scenario",
        "description": "A network, its protocols, its traffic and its measurement: everything that a run depends on.",
        "oneOf": models,
        "$defs": definitions,
    })
}

/// What the field at this path of a `T` is for: its name and the first sentence of its documentation.
pub(crate) fn meaning<T: JsonSchema>(path: &Path) -> Option<String> {
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
fn field<'a>(root: &'a Json, schema: &'a Json, key: &str) -> Option<&'a Json> {
    let schema = resolved(root, schema);
    let choices = ["oneOf", "anyOf"].iter().filter_map(|of| schema[of].as_array()).flatten();
    schema["properties"].get(key).or_else(|| choices.filter_map(|choice| field(root, choice, key)).next())
}

/// The schema that a reference leads to.
fn resolved<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let name = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/"));
    name.map_or(schema, |name| &root["$defs"][name])
}

/// What every scenario has and what this model's have, in one object.
fn branch(model: &dyn Registered, generator: &mut SchemaGenerator) -> Json {
    let mut whole = Header::json_schema(generator).to_value();
    let params = model.schema(generator);
    let object = whole.as_object_mut().expect("a header is a section");
    object.insert("title".into(), model.name().into());
    object.insert("description".into(), model.about().into());
    if let Some(of_model) = params["properties"].as_object() {
        let properties = object["properties"].as_object_mut().expect("a header has fields");
        properties.extend(of_model.clone());
        properties["model"]["const"] = model.name().into();
    }
    if let Some(of_model) = params["required"].as_array() {
        object["required"].as_array_mut().expect("a header needs a model").extend(of_model.clone());
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of all fields below this schema that say nothing of themselves.
    fn undocumented(root: &Json, path: &str, schema: &Json, found: &mut Vec<String>) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            let says = |schema: &Json| schema["description"].as_str().is_some_and(|text| !text.is_empty());
            // A choice with a single name is documented as the choice.
            if !says(field) && !says(resolved(root, field)) && !says(schema) {
                found.push(path.clone());
            }
            undocumented(root, &path, field, found);
        }
        for of in ["oneOf", "anyOf"] {
            for choice in schema[of].as_array().into_iter().flatten() {
                undocumented(root, path, choice, found);
            }
        }
    }

    #[test]
    fn every_field_of_every_model_says_what_it_is() {
        let schema = schema();
        let mut found = Vec::new();
        undocumented(&schema, "", &schema, &mut found);
        for (name, definition) in schema["$defs"].as_object().expect("the models have types") {
            undocumented(&schema, name, definition, &mut found);
        }
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn every_model_has_a_branch_that_takes_no_other_fields() {
        let schema = schema();
        let branches = schema["oneOf"].as_array().expect("one branch a model");
        assert_eq!(branches.len(), MODELS.len());
        for (branch, model) in branches.iter().zip(MODELS) {
            assert_eq!(branch["properties"]["model"]["const"], model.name());
            assert_eq!(branch["additionalProperties"], false);
            assert!(branch["properties"]["seed"]["default"] == 1 && branch["required"][0] == "model");
        }
    }
}
