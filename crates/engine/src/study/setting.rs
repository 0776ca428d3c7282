//! Settings: a scenario with values by path and a number of seeds, and what inner tables inherit from outer ones.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

use hopscope_scenario::{Entry, Node, Path, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::over::ByPath;

/// What any table of a study may say of the runs that it needs; inner tables inherit what outer ones say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SettingTable {
    /// The scenario to run: a ready scenario by name, or a file.
    pub scenario: Option<String>,
    /// Values to set in the scenario, by path. They are added to those of outer tables and override them.
    pub set: ByPath,
    /// The number of seeds per setting. Default 1.
    pub seeds: Option<NonZeroU32>,
}

/// What holds for a table: what it says, and what it inherits.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// The scenario, with the table that names it.
    pub scenario: Option<(String, Path)>,
    /// Values by path.
    pub set: BTreeMap<String, Entry>,
    /// Seeds of a setting; nothing: 1.
    pub seeds: Option<NonZeroU32>,
    /// Values that go before all others.
    pub always: BTreeMap<String, Entry>,
}

impl Context {
    /// What holds within the table at this path.
    pub fn within(&self, table: &SettingTable, at: &Path, root: &Node) -> Self {
        let named = table.scenario.clone().map(|scenario| (scenario, at.field("scenario")));
        let mut set = self.set.clone();
        set.extend(values(root, &at.field("set")));
        Self {
            scenario: named.or_else(|| self.scenario.clone()),
            set,
            seeds: table.seeds.or(self.seeds),
            always: self.always.clone(),
        }
    }

    /// The same with more values.
    pub fn with(&self, more: impl IntoIterator<Item = (String, Entry)>) -> Self {
        let mut with = self.clone();
        with.set.extend(more);
        with
    }

    /// All values, in the order of their paths.
    pub fn entries(&self) -> BTreeMap<String, Entry> {
        let mut all = self.set.clone();
        all.extend(self.always.clone());
        all
    }
}

/// The values of a `set` table at this path.
pub(super) fn values(root: &Node, path: &Path) -> BTreeMap<String, Entry> {
    let Some(Value::Table(table)) = root.at(path).map(|node| &node.value) else { return BTreeMap::new() };
    table.entries.iter().map(|entry| (entry.key.clone(), entry.clone())).collect()
}

/// A scenario with overrides, and how many seeds it is run with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Setting {
    pub scenario: String,
    /// Paths with their values as TOML writes them, in the order of the paths.
    pub set: Vec<(String, String)>,
    pub seeds: u32,
    /// The study's folder, where the scenario and the files that are set lie; nothing for a study of the program's.
    pub study: Option<PathBuf>,
}
