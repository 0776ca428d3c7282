//! `kind = "crossing"`: the swept value at which a metric passes a threshold.

use hopscope_scenario::{Path, Value};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::metric::metric;
use super::{Given, Kind};
use crate::study::metric_name::MetricName;
use crate::study::over::ByPath;
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// A crossing: a coarse grid finds the interval, which is then quartered until it is no wider than the resolution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Crossing {
    /// One path with the numbers of the coarse grid: a list, or a range "0.1..0.7:0.1".
    #[expect(dead_code, reason = "its values are read where they stand, with their places")]
    pub over: ByPath,
    /// The metric.
    #[serde(default)]
    pub metric: Option<MetricName>,
    /// The threshold.
    pub threshold: f64,
    /// Whether the metric falls below the threshold instead.
    #[serde(default)]
    pub falls: bool,
    /// The resolution of the crossing, in the unit of the swept value. Between whole numbers only whole ones are looked
    /// at, and the crossing is the first beyond the threshold. Default 0.005.
    #[serde(default = "default_resolution")]
    pub resolution: f64,
}

fn default_resolution() -> f64 {
    0.005
}

impl Kind for Crossing {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, given: &Given) -> Json {
        let metric = metric(resolver, at, self.metric.as_ref(), given);
        if !self.resolution.is_finite() || self.resolution <= 0.0 {
            let problem = format!("{} is out of range", self.resolution);
            resolver.refuse(&at.field("resolution"), &problem, "a number above 0", None);
        }
        let Some(swept) = resolver.swept(at) else { return json!({}) };
        let path = swept.entry.key.clone();
        if context.always.contains_key(&path) {
            let problem = format!("\"{path}\" is swept over, and [quick] sets it");
            resolver.refuse(&at.field("over"), &problem, "a path that [quick] leaves as it is", None);
        }
        let mut values = Vec::new();
        for node in &swept.values {
            match node.value {
                Value::Integer(number) => values.push(json!(number)),
                Value::Float(number) => values.push(json!(number)),
                _ => {
                    resolver.refuse_node(&at.field("over"), node, "a number");
                    continue;
                }
            }
            let entry = hopscope_scenario::Entry { node: node.clone(), ..swept.entry.clone() };
            resolver.setting(&context.with([(path.clone(), entry)]), at);
        }
        let without = Context {
            set: context.set.clone().into_iter().filter(|(key, _)| *key != path).collect(),
            ..context.clone()
        };
        json!({
            "setting": resolver.unchecked(&without),
            "path": path,
            "values": values,
            "metric": metric,
            "threshold": self.threshold,
            "falls": self.falls,
            "resolution": self.resolution,
        })
    }
}
