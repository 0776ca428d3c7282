//! `[histogram]`: the distribution of a series that runs keep.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::figure::Labelled;
use super::resolver::Resolver;
use super::setting::Context;

/// A histogram, such as that of round trips, with a panel for each setting.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Histogram {
    /// The title above it.
    pub title: String,
    /// The title of the x axis.
    pub x_title: String,
    /// The title of the y axis.
    pub y_title: String,
    /// The series: one point per bin, with the bin's upper end in seconds and its count.
    pub series: String,
    /// The end of the axis, in ms; all values beyond it are one bar.
    pub until: f64,
    /// The panels, one per setting.
    pub lines: Vec<Labelled>,
}

impl Resolver<'_> {
    /// The histogram of a study.
    pub fn histogram(&mut self, drawn: &Histogram, outer: &Context) -> Json {
        json!({
            "title": drawn.title,
            "x_title": drawn.x_title,
            "y_title": drawn.y_title,
            "series": drawn.series,
            "until": drawn.until,
            "lines": self.labelled(&drawn.lines, &Path::of("histogram.lines"), outer),
        })
    }
}
