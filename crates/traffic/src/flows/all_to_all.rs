use hopscope_units::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every host sends to every other: a shuffle, or the exchange of experts' tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllToAll {
    /// What each host sends to each other.
    pub size: Data,
    /// In which order.
    #[serde(default)]
    pub order: Order,
}

/// When the flows of an all-to-all begin. Stage s of a host is its flow to the host s ranks on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All at the start of the round.
    AtOnce,
    /// A host begins its next stage when its flow of this one has ended.
    #[default]
    Staged,
    /// Everybody begins the next stage when all flows of this one have ended.
    Barrier,
}

/// To which rank another sends in a stage, counted from 1: the one so many on.
pub(crate) fn partner(ranks: usize, stage: usize, rank: usize) -> usize {
    (rank + stage) % ranks
}
