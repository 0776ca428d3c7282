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

/// A study: a published table or figure, reproduced cell by cell.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// The table or figure that is reproduced, in one line.
    pub title: String,
    /// The publication, with section, table or figure.
    pub source: String,
    /// The file of `published/` with the cells, such as "an1.csv".
    pub published: String,
    /// Settings of quick runs (`--quick`); they override all others.
    #[serde(default)]
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    pub quick: Quick,
    /// The published cells, each with its measurement.
    pub cell: Vec<Cell>,
    /// The figure or figures, in the axes of the paper.
    #[serde(default)]
    pub figure: OneOrMore<Figure>,
    /// A histogram, from a series of the runs.
    #[serde(default)]
    pub histogram: Option<Histogram>,
    /// Time-space diagrams of single messages.
    #[serde(default)]
    pub diagram: Vec<Diagram>,
    /// Explanations of bottlenecks, in words.
    #[serde(default)]
    pub why: Vec<Why>,
}

/// The settings of a quick run, which is too short to count as a miss.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Quick {
    /// Values by path; they override all others.
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
    /// The reason of a miss, which is printed.
    #[serde(default)]
    pub reason: String,
}
