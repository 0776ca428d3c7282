//! `kind = "equal"`: pairs of quantities that should agree.

use hopscope_scenario::{Joined, Path};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::compared::Compared;
use super::{Given, Kind};
use crate::study::resolver::Resolver;
use crate::study::setting::{Context, SettingTable};

/// Pairs that should agree.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Equal {
    /// The pairs, each a `first` and a `second` quantity.
    pub pairs: Vec<Joined<SettingTable, Compared>>,
}

impl Kind for Equal {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, context: &Context, _: &Given) -> Json {
        if self.pairs.is_empty() {
            resolver.refuse(&at.field("pairs"), "there are no pairs", "at least one", None);
        }
        let mut pairs = Vec::new();
        for (nth, pair) in self.pairs.iter().enumerate() {
            let at = at.field("pairs").entry(nth);
            let within = resolver.within(&pair.shared, &at, context);
            pairs.push(pair.own.resolve(resolver, &at, &within, &Given::default()));
        }
        json!({ "pairs": pairs })
    }
}
