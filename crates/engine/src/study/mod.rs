//! Studies: which published cells a study has, and how each is measured. This reads and checks `study.toml`; what
//! measures is Python's.
//!
//! ```text
//! study.toml -> tree with places -> sections by kind -> settings with what they inherit -> definition as JSON
//! ```
//!
//! The text is read as scenarios are: every mistake at once, each with its place, what was expected and a hint. What a
//! table sets is checked against the language of its scenario.

mod diagram;
mod event_name;
mod figure;
mod file;
mod histogram;
mod kinds;
mod metric_name;
pub(crate) mod over;
mod published;
mod resolver;
mod setting;
mod source;
mod why;

use std::sync::Arc;

use hopscope_scenario::{FileAccess, Joined, Node, ScenarioError, SourceText, read};
use schemars::generate::SchemaSettings;
use serde_json::{Value as Json, json};

use self::file::{Head, StudyFile};
use self::resolver::Resolver;
use self::setting::SettingTable;
use self::source::Source;

pub use self::source::names;

/// The fields of a study's file that stand beside those of [`Head`].
const OF_A_SETTING: [&str; 3] = ["scenario", "set", "seeds"];

/// The definition of a study as JSON: its cells and figures with every default written out and every setting resolved.
/// `wanted` is the name of a study that comes with the program, or the path of a folder with a `study.toml`; with
/// `quick`, the values of `[quick]` take the place of all others. A study may come from others as a scenario may: what
/// it names lies in its own folder unless `allow_files` says otherwise.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn definition(wanted: &str, quick: bool, allow_files: bool) -> Result<String, ScenarioError> {
    let Source { name, text, readme, folder } = Source::find(wanted)?;
    let access = FileAccess { any: allow_files, study: folder };
    let mut definition = of_text(&text, quick, &access)?;
    definition["name"] = name.into();
    definition["readme"] = readme.into();
    Ok(definition.to_string())
}

/// The definition of a study's text; `access` says where the scenarios that it names may lie.
///
/// # Errors
/// Those of [`definition`].
pub fn of_text(text: &Arc<SourceText>, quick: bool, access: &FileAccess) -> Result<Json, ScenarioError> {
    let root = hopscope_scenario::parse(text).map_err(ScenarioError::new)?;
    let study: StudyFile = read(&root, &OF_A_SETTING).map_err(ScenarioError::new)?;
    // Values that only a quick run takes must be right in any case.
    let rough = resolved(&root, &study, access, true)?;
    if quick { Ok(rough) } else { resolved(&root, &study, access, false) }
}

fn resolved(root: &Node, study: &StudyFile, access: &FileAccess, quick: bool) -> Result<Json, ScenarioError> {
    let mut resolver = Resolver::new(root, study, access, quick)?;
    let definition = resolver.study(study);
    resolver.finish().map(|()| definition)
}

/// The JSON Schema of `study.toml`, with what every field means and its default.
#[must_use]
pub fn schema() -> Json {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut whole =
        <Joined<SettingTable, Head> as schemars::JsonSchema>::json_schema(&mut generator).to_value();
    let definitions = generator.take_definitions(true);
    let object = whole.as_object_mut().expect("a study is a section");
    object.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    object.insert("title".into(), "hopscope study".into());
    object.insert("$defs".into(), json!(definitions));
    whole
}

/// The cells of a file of `published/` as JSON, in their order; nothing where there is no such file.
#[must_use]
pub fn published_cells(file: &str) -> Option<String> {
    let cells = published::cells(file)?;
    Some(serde_json::to_string(&cells).expect("cells are plain data"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::undocumented;

    #[test]
    fn every_field_of_a_study_says_what_it_is() {
        let schema = schema();
        let mut found = Vec::new();
        undocumented(&schema, "", &schema, &mut found);
        for (name, definition) in schema["$defs"].as_object().expect("a study has types") {
            undocumented(&schema, name, definition, &mut found);
        }
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn the_schema_takes_no_other_fields() {
        let schema = schema();
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["required"], json!(["title", "source", "published", "cell"]));
    }
}
