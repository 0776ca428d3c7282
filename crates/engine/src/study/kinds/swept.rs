//! `kind = "spread"`, `"band"`, `"least"` and `"greatest"`: a quantity at every value of a sweep.

use hopscope_scenario::{Entry, Path};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Given, Kind, Measured};
use crate::study::over::ByPath;
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// A quantity and what it is swept over.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct SweptQuantity {
    /// One path with its values: a list, or a range "0.1..0.7:0.1".
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    pub over: ByPath,
    /// The quantity.
    pub of: Box<Measured>,
}

impl Kind for SweptQuantity {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, _: &Given) -> Json {
        let Some(swept) = resolver.swept(at) else { return json!({}) };
        let mut parts = Vec::new();
        for node in swept.values {
            let entry = Entry { node, ..swept.entry.clone() };
            let context = context.with([(entry.key.clone(), entry)]);
            parts.push(resolver.quantity(&self.of, &at.field("of"), &context, &Given::default()));
        }
        json!({ "parts": parts })
    }
}
