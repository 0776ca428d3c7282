//! `[[why]]`: what held a run back, in the words of its own ledger and resources.

use hopscope_scenario::{Joined, Path};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::resolver::Resolver;
use super::setting::{Context, SettingTable};

/// A run to explain, with its setting.
pub(super) type Why = Joined<SettingTable, WhyHead>;

/// An explanation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhyHead {
    /// The heading above the sentences.
    pub heading: String,
    /// The name of the run in the sentences.
    #[serde(default)]
    pub name: String,
    /// A setting to compare with, which inherits from this one.
    #[serde(default)]
    pub against: Option<Joined<SettingTable, Against>>,
}

/// The run to compare with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Against {
    /// Its name in the sentences.
    #[serde(default)]
    pub name: String,
}

impl Resolver<'_> {
    /// The explanations of a study.
    pub fn reasons(&mut self, reasons: &[Why], outer: &Context) -> Vec<Json> {
        let mut resolved = Vec::new();
        for (nth, why) in reasons.iter().enumerate() {
            let at = Path::of("why").entry(nth);
            let context = self.within(&why.shared, &at, outer);
            let setting = self.setting(&context, &at);
            let mut against = Json::Null;
            let mut names = [why.own.name.as_str(), ""];
            if let Some(other) = &why.own.against {
                let at = at.field("against");
                let context = self.within(&other.shared, &at, &context);
                against = json!(self.setting(&context, &at));
                names[1] = &other.own.name;
            }
            resolved.push(json!({
                "heading": why.own.heading,
                "setting": setting,
                "against": against,
                "names": names,
            }));
        }
        resolved
    }
}
