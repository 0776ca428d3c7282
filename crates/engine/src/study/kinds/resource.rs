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
    /// Its name in summaries.
    pub resource: String,
    /// Where it is.
    pub place: String,
    /// What of it.
    #[serde(default)]
    pub figure: ResourceFigure,
    /// Only what holders in this stage have of it: the mean amount.
    #[serde(default)]
    pub held_in: Option<String>,
}

/// A figure of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::study) enum ResourceFigure {
    /// How much of it is held, on average.
    #[default]
    Occupancy,
    /// The share of it that is held.
    Utilisation,
    /// The most that was ever held.
    Peak,
    /// How many wait for it, on average.
    Waiting,
    /// How often it was taken.
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
