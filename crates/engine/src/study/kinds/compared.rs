//! `kind = "difference"` and `kind = "ratio"`: two quantities against each other.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Given, Kind, Measured};
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// Two quantities.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Compared {
    /// The first quantity.
    pub first: Box<Measured>,
    /// The second quantity.
    pub second: Box<Measured>,
}

impl Kind for Compared {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, _: &Given) -> Json {
        let given = Given::default();
        json!({
            "first": resolver.quantity(&self.first, &at.field("first"), context, &given),
            "second": resolver.quantity(&self.second, &at.field("second"), context, &given),
        })
    }
}
