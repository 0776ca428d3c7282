//! The scenario language by its JSON Schema: which values are allowed where.

use std::collections::BTreeSet;

use hopscope_scenario::{Step, resolved};
use serde_json::Value as Json;

use crate::path;

/// The JSON Schema of all models' scenarios.
#[derive(Clone, Debug)]
pub struct Language {
    root: Json,
}

impl Language {
    /// The language of the engine.
    #[must_use]
    pub fn of_engine() -> Self {
        Self { root: hopscope_engine::schema() }
    }

    /// The names of the models, in the order of the schema.
    ///
    /// # Panics
    /// Never: every model has a branch with its name.
    #[must_use]
    pub fn models(&self) -> Vec<&str> {
        let branches = self.root["oneOf"].as_array().expect("one branch a model").iter();
        branches.map(|branch| branch["properties"]["model"]["const"].as_str().expect("a name")).collect()
    }

    /// What a scenario of this model is.
    pub(crate) fn scenario(&self, model: &str) -> &Json {
        let branches = self.root["oneOf"].as_array().expect("one branch a model");
        let is_it = |branch: &&Json| branch["properties"]["model"]["const"] == model;
        branches.iter().find(is_it).expect("the model is one of the schema's")
    }

    /// The schema that a reference leads to.
    pub(crate) fn resolved<'a>(&'a self, schema: &'a Json) -> &'a Json {
        resolved(&self.root, schema)
    }

    /// The choices of a schema without the one that is no value; the schema itself where it leaves none.
    pub(crate) fn choices<'a>(&'a self, schema: &'a Json) -> Vec<&'a Json> {
        let schema = self.resolved(schema);
        let given = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
        match given {
            Some(choices) => choices
                .iter()
                .filter(|choice| choice["type"] != "null")
                .flat_map(|choice| self.choices(choice))
                .collect(),
            None => vec![schema],
        }
    }

    /// The choice of a schema that this value is, by its outermost part.
    pub(crate) fn choice_of<'a>(&'a self, schema: &'a Json, value: &Json) -> Option<&'a Json> {
        self.choices(schema).into_iter().find(|choice| fits(choice, value))
    }

    /// The schema of the value at this path of a scenario.
    pub(crate) fn schema_at<'a>(&'a self, scenario: &Json, path: &[Step]) -> Option<&'a Json> {
        let mut schema = self.scenario(scenario["model"].as_str()?);
        let mut value = scenario;
        for step in path {
            let choice = self.choice_of(schema, value)?;
            (schema, value) = match step {
                Step::Key(key) => (choice["properties"].get(key)?, value.get(key)?),
                Step::Index(index) => (choice.get("items")?, value.get(index)?),
            };
        }
        Some(schema)
    }

    /// Whether the scenario may do without the value at this path: an optional field, or an entry of a list that has
    /// more than it needs.
    pub(crate) fn may_lack(&self, scenario: &Json, path: &[Step]) -> bool {
        let Some((last, above)) = path.split_last() else { return false };
        let (schema, value) = (self.schema_at(scenario, above), path::at(scenario, above));
        let Some((schema, value)) = schema.zip(value) else { return false };
        let Some(choice) = self.choice_of(schema, value) else { return true };
        match last {
            Step::Key(key) => {
                !choice["required"].as_array().is_some_and(|keys| keys.iter().any(|needed| needed == key))
            }
            Step::Index(_) => {
                value.as_array().map_or(0, Vec::len) as u64 > choice["minItems"].as_u64().unwrap_or(0)
            }
        }
    }

    /// Every leaf parameter of this model by its path, and every name that one may have: `fabric.link.rate`,
    /// `fabric.switch.switching=cut-through`.
    #[must_use]
    pub fn leaves(&self, model: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.collect(self.scenario(model), model, &mut found);
        found
    }

    fn collect(&self, schema: &Json, path: &str, found: &mut BTreeSet<String>) {
        for choice in self.choices(schema) {
            if let Some(properties) = choice["properties"].as_object() {
                for (key, field) in properties {
                    self.collect(field, &format!("{path}.{key}"), found);
                }
            } else if let Some(items) = choice.get("items") {
                self.collect(items, &format!("{path}[]"), found);
            } else {
                found.extend(names(choice).iter().map(|name| format!("{path}={name}")));
                if names(choice).is_empty() {
                    found.insert(path.to_owned());
                }
            }
        }
    }

    /// The leaf parameters that this scenario sets.
    #[must_use]
    pub fn leaves_of(&self, scenario: &Json) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        if let Some(model) = scenario["model"].as_str() {
            self.collect_of(self.scenario(model), scenario, model, &mut found);
        }
        found
    }

    fn collect_of(&self, schema: &Json, value: &Json, path: &str, found: &mut BTreeSet<String>) {
        let Some(choice) = self.choice_of(schema, value) else { return };
        match value {
            Json::Object(fields) => fields.iter().for_each(|(key, child)| {
                if let Some(field) = choice["properties"].get(key) {
                    self.collect_of(field, child, &format!("{path}.{key}"), found);
                }
            }),
            Json::Array(items) => {
                items
                    .iter()
                    .for_each(|item| self.collect_of(&choice["items"], item, &format!("{path}[]"), found));
            }
            _ if names(choice).is_empty() => {
                found.insert(path.to_owned());
            }
            name => {
                found.insert(format!("{path}={name}"));
            }
        }
    }
}

/// The names that a choice is one of; none where it is a number or a free text.
pub(crate) fn names(choice: &Json) -> Vec<&Json> {
    match (choice.get("const"), choice["enum"].as_array()) {
        (Some(name), _) => vec![name],
        (None, Some(names)) => names.iter().collect(),
        (None, None) => Vec::new(),
    }
}

/// The type of a choice, without null.
pub(crate) fn kind(choice: &Json) -> &str {
    let kinds = choice["type"].as_array().into_iter().flatten().filter_map(Json::as_str);
    choice["type"].as_str().or_else(|| kinds.into_iter().find(|kind| *kind != "null")).unwrap_or_default()
}

/// Whether the outermost part of a value is as the choice says.
fn fits(choice: &Json, value: &Json) -> bool {
    let names = names(choice);
    if !names.is_empty() {
        return names.contains(&value);
    }
    match value {
        Json::Object(fields) => {
            let properties = choice["properties"].as_object();
            let required = choice["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
            properties.is_some_and(|properties| fields.keys().all(|key| properties.contains_key(key)))
                && required.into_iter().all(|key| fields.contains_key(key))
        }
        Json::Array(_) => kind(choice) == "array",
        Json::String(_) => kind(choice) == "string",
        Json::Number(_) => matches!(kind(choice), "number" | "integer"),
        Json::Bool(_) => kind(choice) == "boolean",
        Json::Null => false,
    }
}
