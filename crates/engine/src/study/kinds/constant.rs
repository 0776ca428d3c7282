//! `kind = "constant"`: a number of the study's own.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Given, Kind};
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// A number to compare with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Constant {
    /// The constant.
    pub value: f64,
}

impl Kind for Constant {
    fn resolve(&self, _: &mut Resolver<'_>, _: &Path, _: &Context, _: &Given) -> Json {
        json!({ "value": self.value })
    }
}
