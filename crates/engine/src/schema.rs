//! The JSON Schema of scenarios: one branch a model.

use hopscope_scenario::Header;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value as Json, json};

use crate::registry::{MODELS, Registered};
use crate::rules::Rules;

/// The JSON Schema of the scenarios of all models, with what every field means and its default.
#[must_use]
pub fn schema() -> Json {
    schema_with(&Rules::default())
}

/// The same where scenarios may name these rules, too.
pub(crate) fn schema_with(rules: &Rules) -> Json {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let models: Vec<Json> = MODELS.iter().map(|model| branch(*model, &mut generator)).collect();
    let own = rules.rate_control_schemas(&mut generator);
    let mut definitions = generator.take_definitions(true);
    if !own.is_empty() {
        add_choice(&mut definitions["RateControlParams"], own);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hopscope scenario",
        "description": "A network, its protocols, its traffic and its measurement: everything that a run depends on.",
        "oneOf": models,
        "$defs": definitions,
    })
}

/// Adds the rules of one's own to the rate controls that a scenario may name.
fn add_choice(rate_controls: &mut Json, own: Vec<(String, Json)>) {
    let section = |name: &str, schema: Json| {
        let about = schema["description"].clone();
        let properties = serde_json::Map::from_iter([(name.to_owned(), schema)]);
        json!({
            "type": "object",
            "description": about,
            "properties": properties,
            "required": [name],
            "additionalProperties": false,
        })
    };
    let rules: Vec<Json> = own.into_iter().map(|(name, schema)| section(&name, schema)).collect();
    let about = "A rule of one's own, by the name that its program gives it.";
    let mut choice = section("own", json!({ "description": about, "oneOf": rules }));
    choice["description"] = about.into();
    rate_controls["oneOf"].as_array_mut().expect("rate controls are a choice").push(choice);
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
pub(crate) mod tests {
    use hopscope_scenario::resolved;

    use super::*;

    /// The paths of all fields below this schema that say nothing of themselves.
    pub(crate) fn undocumented(root: &Json, path: &str, schema: &Json, found: &mut Vec<String>) {
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
