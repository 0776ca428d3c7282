//! `kind = "resource"`: a figure of one resource at one place.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Given, Kind};
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// A resource and what of it is measured.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Resource {
    /// Its name in the summary.
    pub resource: String,
    /// Its place.
    pub place: String,
    /// The figure.
    #[serde(default)]
    pub figure: ResourceFigure,
    /// Count only holders in this stage: the mean amount that they hold.
    #[serde(default)]
    pub held_in: Option<String>,
}

/// A figure of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::study) enum ResourceFigure {
    /// The mean amount held.
    #[default]
    Occupancy,
    /// The mean share held.
    Utilisation,
    /// The largest amount held.
    Peak,
    /// The mean number of waiting messages.
    Waiting,
    /// The number of acquisitions.
    Acquisitions,
}

impl Kind for Resource {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, _: &Given) -> Json {
        json!({
            "setting": resolver.setting(context, at),
            "resource": self.resource,
            "place": self.place,
            "figure": self.figure,
            "held_in": self.held_in,
        })
    }
}
