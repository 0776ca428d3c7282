//! `[histogram]`: the distribution of a series that runs keep.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::figure::Labelled;
use super::resolver::Resolver;
use super::setting::Context;

/// A figure of a distribution, such as that of round trips: a panel for each setting.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Histogram {
    /// What stands above it.
    pub title: String,
    /// What the x axis shows.
    pub x_title: String,
    /// What the y axis shows.
    pub y_title: String,
    /// The series: a point a bin, with the bin's upper end in seconds and how many fell into it.
    pub series: String,
    /// Where the axis ends, in ms; what lies beyond is one bar.
    pub until: f64,
    /// The panels, one a setting.
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
