//! `kind = "metric"`: a metric of one setting, or a figure of its network.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Given, Kind};
use crate::study::metric_name::MetricName;
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// A metric.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Metric {
    /// The metric with class and statistic, such as "latency[short].p99", or a figure of the network, such as
    /// "topology.figures.switches". A line of a figure may inherit it from the figure or its points.
    #[serde(default)]
    pub metric: Option<MetricName>,
    /// The value is given in multiples of this number of its units. Default 1.
    #[serde(default)]
    pub per: Option<f64>,
}

impl Kind for Metric {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, given: &Given) -> Json {
        let metric = metric(resolver, at, self.metric.as_ref(), given);
        let per = self.per.or(given.per).unwrap_or(1.0);
        if per == 0.0 {
            resolver.refuse(&at.field("per"), "0 is out of range", "a number other than 0", None);
        }
        json!({ "setting": resolver.setting(context, at), "metric": metric, "per": per })
    }
}

/// The metric of a table, or of the figure that the table is a line of.
pub(super) fn metric(
    resolver: &mut Resolver<'_>,
    at: &Path,
    own: Option<&MetricName>,
    given: &Given,
) -> Option<String> {
    let found = given.metric(own);
    if found.is_none() {
        resolver.missing(at, "metric", "what is measured, such as \"latency.mean\"");
    }
    found
}
