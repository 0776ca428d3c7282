//! The JSON Schema of scenarios: one branch a model.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value as Json, json};

use crate::registry::{MODELS, Registered};
use crate::scenario::header::Header;

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
