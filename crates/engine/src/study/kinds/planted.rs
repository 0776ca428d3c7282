//! `kind = "planted"`: how often an explanation names what was planted in a generated corpus.

use hopscope_scenario::Path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Given, Kind};
use crate::study::resolver::Resolver;
use crate::study::setting::Context;

/// A share of the cases of a corpus.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct Planted {
    /// The seed of the corpus: another seed, other networks.
    pub corpus: u64,
    /// How many networks are drawn for each sort of cause in each model.
    pub each: u16,
    /// What is counted.
    #[serde(default)]
    pub counted: Counted,
    /// Who names the cause.
    #[serde(default)]
    pub by: By,
}

/// Who names the cause.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::study) enum By {
    /// The explanation of a run, in networks of all models.
    #[default]
    Explanation,
    /// The diagnosis of a fabric from the counters of its ports alone.
    Counters,
}

/// Which cases are counted.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::study) enum Counted {
    /// Of the cases with something planted: those whose class and place are named, healthy ones included.
    #[default]
    Named,
    /// Of the healthy cases: those that are called healthy.
    Healthy,
    /// Of another corpus, whose remedies are known: those where `--what-if` puts a remedy first.
    Relieved,
}

impl Kind for Planted {
    fn resolve(&self, resolver: &mut Resolver<'_>, at: &Path, _: &Context, _: &Given) -> Json {
        if self.each == 0 {
            resolver.refuse(&at.field("each"), "a corpus without a network", "1 or more", None);
        }
        json!({ "corpus": self.corpus, "each": self.each, "counted": self.counted, "by": self.by })
    }
}
