//! `kind = "share"`: the share of a message's latency that goes into one resource.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use hopscope_measure::EVERY_CLASS;

use super::{Given, Kind};
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// A share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Share {
    /// The resource, by its name in the ledger.
    pub resource: String,
    /// The class of messages.
    #[serde(default = "all_classes")]
    pub class: String,
}

/// The default of fields that name a class.
pub(in crate::study) fn all_classes() -> String {
    EVERY_CLASS.to_owned()
}

impl Kind for Share {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, _: &Given) -> Json {
        json!({ "setting": resolver.setting(context, at), "resource": self.resource, "class": self.class })
    }
}
