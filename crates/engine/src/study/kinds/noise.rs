//! `kind = "noise"`: between what a correlation coefficient lies where nothing is correlated.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::metric::metric;
use super::{Given, Kind};
use crate::study::metric_name::MetricName;
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// The noise of a coefficient.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Noise {
    /// The coefficient.
    #[serde(default)]
    pub metric: Option<MetricName>,
}

impl Kind for Noise {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, given: &Given) -> Json {
        let metric = metric(resolver, at, self.metric.as_ref(), given);
        json!({ "setting": resolver.setting(context, at), "metric": metric })
    }
}
