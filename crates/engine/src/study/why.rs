//! `[[why]]`: what held a run back, in the words of its own ledger and resources.

use hopscope_scenario::{Joined, Path};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::resolver::Resolver;
use super::setting::{Context, SettingTable};

/// A run to explain, with its setting.
pub(super) type Why = Joined<SettingTable, WhyHead>;

/// What is explained.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhyHead {
    /// What stands above the sentences.
    pub heading: String,
    /// What the sentences call the run.
    #[serde(default)]
    pub name: String,
    /// A setting to compare with; it inherits from this one.
    #[serde(default)]
    pub against: Option<Joined<SettingTable, Against>>,
}

/// The run that another is compared with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Against {
    /// What the sentences call it.
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
