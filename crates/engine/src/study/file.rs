//! `study.toml` as it is written.

use hopscope_scenario::{Joined, OneOrMore};
use schemars::JsonSchema;
use serde::Deserialize;

use super::diagram::Diagram;
use super::figure::Figure;
use super::histogram::Histogram;
use super::kinds::Measured;
use super::over::ByPath;
use super::setting::SettingTable;
use super::why::Why;

/// A study's file.
pub(super) type StudyFile = Joined<SettingTable, Head>;

/// A study: a published table or figure that is measured again, cell by cell.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// What is measured again, in one line.
    pub title: String,
    /// The publication, with section, table or figure.
    pub source: String,
    /// The file of `published/` with the cells, such as "an1.csv".
    pub published: String,
    /// Under `--quick`, what goes before all other values.
    #[serde(default)]
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    pub quick: Quick,
    /// The published cells, each with how it is measured.
    pub cell: Vec<Cell>,
    /// What is drawn in the axes of the paper.
    #[serde(default)]
    pub figure: OneOrMore<Figure>,
    /// A distribution that runs keep as a series.
    #[serde(default)]
    pub histogram: Option<Histogram>,
    /// Time-space diagrams of single messages.
    #[serde(default)]
    pub diagram: Vec<Diagram>,
    /// What holds a run back, in words.
    #[serde(default)]
    pub why: Vec<Why>,
}

/// What a quick run sets: it measures too little to blame.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Quick {
    /// Values by path that take the place of all others.
    #[serde(default)]
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    pub set: ByPath,
}

/// A cell: which it is, and what it measures.
pub(super) type Cell = Joined<CellHead, Measured>;

/// Which published cell is measured.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct CellHead {
    /// The id of the published cell.
    pub id: String,
    /// Why it misses, where it does: it is printed.
    #[serde(default)]
    pub reason: String,
}
